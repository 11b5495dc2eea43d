//! carrel-engine
