//! Turns what goes wrong inside tantivy into an [`IndexError`]: its errors, and its panics on damaged files.

use crate::seams::IndexError;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) fn error(detail: impl std::fmt::Display) -> IndexError {
    IndexError { index: "lexical", detail: detail.to_string() }
}

/// Runs `work`; a panic in it is an error of the index. What `work` touched must not be used after an error, except to be
/// dropped or opened again.
pub(super) fn guarded<T>(work: impl FnOnce() -> tantivy::Result<T>) -> Result<T, IndexError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(error),
        Err(panic) => {
            let said = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            Err(error(format!("its files are damaged ({said})")))
        }
    }
}
