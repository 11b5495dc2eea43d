//! Whether the sources carry what an answer claims: first by code, then by a model of entailment, then by the language model.
//!
//! Code tells supported from unsupported; only a model, which reads, may find a claim contradicted. Refuses to change the answer: what
//! failed is marked. Only who asks for thorough work gets it written anew, from what the sources do say, or taken out.

mod code;
mod judge;
mod mend;

pub(super) use code::{Cited, failure};
pub(super) use judge::judge;
pub(super) use mend::mended;

use super::{Claim, Verdict};

/// How much is done to verify an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// By code alone.
    Code,
    /// By code, and by a model of entailment where there is one.
    #[default]
    Auto,
    /// By these and by the language model; what fails is written anew or taken out.
    Thorough,
}

impl Verify {
    /// By its word: `code`, `auto`, `thorough`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "code" => Some(Self::Code),
            "auto" => Some(Self::Auto),
            "thorough" => Some(Self::Thorough),
            _ => None,
        }
    }
}

/// Supported claims of all; `None` where nothing is claimed.
pub(super) fn faithfulness(claims: &[Claim]) -> Option<f32> {
    let supported = claims.iter().filter(|claim| claim.verdict == Verdict::Supported).count();
    (!claims.is_empty()).then(|| supported as f32 / claims.len() as f32)
}
