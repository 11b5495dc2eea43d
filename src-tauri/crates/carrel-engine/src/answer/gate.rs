//! Whether the library holds an answer at all: what speaks for it, against a threshold found on the library itself.
//!
//! Decided on the best score of a reranker, or else the best score by meaning and the share of the question's words in one passage,
//! never on a fused score. Invariant: the
//! same libraries and question give the same decision.

use super::calibrate::{self, Calibration};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::library::Library;
use crate::retrieve::{Evidence, Judged};
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
    judged: Option<&Judged>,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<Verdict> {
    let mut least = f32::INFINITY;
    let mut evidence = evidence;
    let calibrations = libraries.iter().map(|library| calibrate::of(library, judged, models, cancel));
    let calibrations: Vec<Calibration> = calibrations.collect::<Result<_>>()?;
    if judged.is_some_and(|judged| !calibrations.iter().all(|c| c.reranked.contains_key(&judged.key))) {
        evidence.rerank = None;
    }
    for calibration in &calibrations {
        least = least.min(threshold(calibration, evidence, judged));
    }
    let score = evidence.score();
    let passes = score > 0.0 && score >= least;
    let words = if passes { "passed" } else { "nothing in the library speaks of it" };
    Ok(Verdict { passes, note: format!("{words}: {score:.2}, of at least {least:.2}") })
}

/// Where nothing was searched by meaning, the words alone are compared.
fn threshold(calibration: &Calibration, evidence: Evidence, judged: Option<&Judged>) -> f32 {
    let reranked = evidence.rerank.and(judged).and_then(|judged| calibration.reranked.get(&judged.key));
    if let Some(least) = reranked {
        return *least;
    }
    match evidence.dense {
        Some(_) => calibration.both.unwrap_or(calibration.words),
        None => calibration.words,
    }
}
