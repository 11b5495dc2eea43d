//! Measurements: `carrel eval` and `carrel bench`.
