//! Settings of a library.
#![allow(unused_variables, clippy::unimplemented)] // bodies are being filled

use super::Library;
use crate::error::Result;
use std::collections::BTreeMap;

impl Library {
    /// Settings of the library (`KEY=VALUE`): `chunking`, `embedder`.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        unimplemented!()
    }

    /// Changes settings; unknown keys and bad values are refused whole.
    pub fn change_settings(&self, changes: &BTreeMap<String, String>) -> Result<()> {
        unimplemented!()
    }
}
