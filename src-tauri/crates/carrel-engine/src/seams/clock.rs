//! Time, handed in.

use jiff::Timestamp;

/// The engine never reads the system's clock by itself.
pub trait Clock: Send + Sync {
    /// Now, by the wall clock. Never used for order: sequence numbers are.
    fn now(&self) -> Timestamp;
}
