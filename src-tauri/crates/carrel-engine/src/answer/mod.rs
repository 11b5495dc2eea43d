//! The road of a question from the hits to a cited answer: route, gate, assemble, generate, cite.

mod types;

pub use types::{Answer, AskEvent, AskRequest, Citation, Claim, NoAnswer, Verdict};

/// Answers a question from libraries: route, search, gate, assemble, generate, cite. Events stream while it works; the answer
/// is whole at the end, also when stopped (`mode` is `stopped`, the partial text stays). Blocks.
pub fn ask(
    _libraries: &[std::sync::Arc<crate::library::Library>],
    _request: &AskRequest,
    _models: &dyn crate::seams::ModelProvider,
    _cancel: &crate::cancel::Cancel,
    _on_event: &mut dyn FnMut(AskEvent),
) -> crate::error::Result<Answer> {
    unimplemented!()
}
