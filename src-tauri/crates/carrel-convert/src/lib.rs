//! carrel-convert
