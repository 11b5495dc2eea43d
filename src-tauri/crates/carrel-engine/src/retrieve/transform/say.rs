//! Asking a language model something short, once.

use crate::cancel::Cancel;
use crate::library::Pause;
use crate::retrieve::Means;
use crate::retrieve::cache::fingerprint;
use crate::seams::{Finish, GenerateRequest, LanguageModel, Message, ModelError};
use std::sync::Arc;

/// What a model said, and the tokens that this cost now: none where it was said before.
pub(super) struct Said {
    pub(super) text: Arc<str>,
    pub(super) tokens: usize,
}

/// Asks until `is_enough` of what was said so far, or the model ends, or `most` tokens are written. What one model answered to the same
/// words is not asked again.
pub(super) fn ask(
    model: &Arc<dyn LanguageModel>,
    messages: Vec<Message>,
    most: usize,
    is_enough: &dyn Fn(&str) -> bool,
    means: Means<'_>,
) -> Result<Said, ModelError> {
    let spec = model.spec();
    let limit = most.to_string();
    let parts: Vec<&str> =
        [spec.id.as_str(), &limit].into_iter().chain(messages.iter().map(|m| m.content.as_str())).collect();
    let key = fingerprint(&parts);
    if let Some(text) = means.kept().and_then(|caches| caches.sayings().get(key)) {
        return Ok(Said { text, tokens: 0 });
    }
    let request = GenerateRequest::new(messages, most);
    let mut text = String::new();
    let halt: Cancel = means.cancel.child();
    let generated = {
        // A local model needs the processor that ingest would take from it.
        let _pause = spec.local.then(|| Pause::new(means.libraries));
        model.generate(&request, &halt, &mut |piece| {
            text.push_str(piece);
            if is_enough(&text) {
                halt.cancel();
            }
        })?
    };
    if generated.finish == Finish::Cancelled && means.cancel.is_cancelled() {
        return Err(ModelError::Cancelled);
    }
    let text: Arc<str> = text.into();
    if let Some(caches) = means.kept() {
        caches.sayings().put(key, Arc::clone(&text));
    }
    Ok(Said { text, tokens: generated.prompt_tokens + generated.tokens })
}
