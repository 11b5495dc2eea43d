//! carrel-api
