//! carrel-testkit
