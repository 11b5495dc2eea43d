//! Whether the library holds an answer at all: first whether it speaks of the matter, then whether one place speaks of what is asked.
//!
//! The first is decided on the best score of a reranker, or else the best score by meaning and the share of the question's words in one
//! passage, against a threshold found on the library itself; never on a fused score. The second looks at what the question asks of its
//! subject: a lease says nothing of the landlord's telephone, though it is all about the landlord. A reranker has read both together, and
//! is believed. Invariant: the same libraries and question give the same decision.

mod attributes;
mod calibrate;
mod question;
mod support;

use crate::cancel::Cancel;
use crate::error::Result;
use crate::library::Library;
use crate::retrieve::{Evidence, Judged, SearchResponse};
use crate::seams::ModelProvider;
use calibrate::Calibration;
use std::sync::Arc;
pub(super) use support::Asked;

/// What a question asks for, piece by piece.
pub(super) fn asked(question: &str) -> Asked {
    Asked::of(question, &[])
}

/// What the gate found.
pub(super) struct Verdict {
    pub(super) passes: bool,
    /// For the trace.
    pub(super) note: String,
}

/// Whether an answer is tried. Where several libraries are asked, the most generous of them decides.
pub(super) fn look(
    libraries: &[Arc<Library>],
    question: &str,
    response: &SearchResponse,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<Verdict> {
    if response.hits.is_empty() {
        return Ok(Verdict { passes: false, note: "nothing was found".to_owned() });
    }
    let judged = response.judged.as_ref();
    let mut evidence = response.evidence;
    let calibrations = libraries.iter().map(|library| calibrate::of(library, judged, models, cancel));
    let calibrations: Vec<Calibration> = calibrations.collect::<Result<_>>()?;
    if judged.is_some_and(|judged| !calibrations.iter().all(|c| c.reranked.contains_key(&judged.key))) {
        evidence.rerank = None;
    }
    let thresholds = calibrations.iter().map(|calibration| threshold(calibration, evidence, judged));
    let least = thresholds.fold(f32::INFINITY, f32::min);
    let score = evidence.score();
    let near = format!("{score:.2}, of at least {least:.2}");
    // In scripts without spaces pairs of characters lie across words, so that their share says little where nothing else is compared: a place
    // that speaks of what is asked decides alone.
    let by_pairs =
        evidence.dense.is_none() && evidence.rerank.is_none() && support::is_unspaced_text(question);
    let support = match evidence.rerank {
        Some(_) => None,
        None => support::of(libraries, question, &response.hits, cancel)?,
    };
    if score <= 0.0 || score < least && !(by_pairs && support.is_some()) {
        return Ok(Verdict { passes: false, note: format!("nothing in the library speaks of it: {near}") });
    }
    let note = match &support {
        Some(support) => format!("{near}; {}", support.note()),
        None => near,
    };
    Ok(match support.is_none_or(|support| support.is_enough()) {
        true => Verdict { passes: true, note: format!("passed: {note}") },
        false => Verdict {
            passes: false,
            note: format!("no place in the library speaks of what is asked: {note}"),
        },
    })
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
