//! The doctor: looks at ledger, indexes and sources, and mends what it can.
#![allow(unused_variables, clippy::unimplemented)] // bodies are being filled

use super::{Check, Library};
use crate::error::Result;

impl Library {
    /// Looks at ledger, indexes and sources; with `repair`, mends what it can.
    pub fn doctor(&self, repair: bool) -> Result<Vec<Check>> {
        unimplemented!()
    }
}
