//! carrel-models
