//! Whether the library holds an answer at all: what speaks for it, against a threshold found on the library itself.
//!
//! Decided on the best score by meaning and the share of the question's words in one passage, never on a fused score. Invariant: the
//! same libraries and question give the same decision.

use super::calibrate::{self, Calibration};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::library::Library;
use crate::retrieve::Evidence;
use crate::seams::ModelProvider;
use std::sync::Arc;

/// What the gate found.
pub(super) struct Verdict {
    pub(super) passes: bool,
    /// For the trace.
    pub(super) note: String,
}

/// Whether an answer is tried. Where several libraries are asked, the most generous of them decides.
pub(super) fn look(
    libraries: &[Arc<Library>],
    evidence: Evidence,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<Verdict> {
    let mut least = f32::INFINITY;
    for library in libraries {
        least = least.min(threshold(&calibrate::of(library, models, cancel)?, evidence));
    }
    let score = evidence.score();
    let passes = score > 0.0 && score >= least;
    let words = if passes { "passed" } else { "nothing in the library speaks of it" };
    Ok(Verdict { passes, note: format!("{words}: {score:.2}, of at least {least:.2}") })
}

/// Where nothing was searched by meaning, the words alone are compared.
fn threshold(calibration: &Calibration, evidence: Evidence) -> f32 {
    match evidence.dense {
        Some(_) => calibration.both.unwrap_or(calibration.words),
        None => calibration.words,
    }
}
