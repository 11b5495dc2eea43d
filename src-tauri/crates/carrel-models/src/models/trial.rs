//! One real call to a model, which shows whether it works.

use super::{Models, files};
use crate::catalogue::ModelRole;
use crate::remote::Remote;
use crate::transcribe::Whisper;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{
    EmbedKind, Embedder, GenerateRequest, LanguageModel, Message, ModelError, ModelProvider, Reranker, Role,
    SPEECH_RATE, Transcriber,
};
use std::sync::Arc;
use std::time::Instant;

impl Models {
    /// Checks the files against their hashes and makes one real call. Says what it did.
    pub fn test(&self, id: &str, cancel: &Cancel) -> Result<String, ModelError> {
        match self.remote(id) {
            Some(Remote::LanguageModel(remote)) => return say_something(remote.as_ref(), cancel),
            Some(Remote::Embedder(remote)) => return embed_something(&*remote.embedder(cancel)?, cancel),
            Some(Remote::Reranker(remote)) => return judge_something(&*remote, cancel),
            None => {}
        }
        let (model, folder) = self.find(id)?;
        files::verify(&model, &folder, cancel)?;
        self.forget(id);
        match model.role {
            ModelRole::Embedder => embed_something(&*self.embedder(id)?, cancel),
            ModelRole::Reranker => judge_something(&*self.reranker(id)?, cancel),
            ModelRole::LanguageModel => say_something(self.language_model(Some(id))?.as_ref(), cancel),
            // It runs in the process that converts.
            ModelRole::Ocr => {
                Ok("Its files are whole: images and scanned pages are read with it.".to_owned())
            }
            ModelRole::Transcriber => {
                let began = Instant::now();
                hear_a_tone(self.whisper(id)?, cancel)?;
                Ok(format!("It listened to a second of sound in {:.1} s.", began.elapsed().as_secs_f64()))
            }
        }
    }
}

/// The shortest request.
pub(super) fn one_word(text: &str, max_tokens: usize) -> GenerateRequest {
    let messages = vec![Message { role: Role::User, content: text.to_owned() }];
    GenerateRequest::new(messages, max_tokens)
}

fn embed_something(embedder: &dyn Embedder, cancel: &Cancel) -> Result<String, ModelError> {
    let vectors = embedder.embed(EmbedKind::Query, &["A lighthouse keeper at work."], cancel)?;
    Ok(format!("It turned a sentence into {} numbers.", vectors.first().map_or(0, Vec::len)))
}

fn judge_something(reranker: &dyn Reranker, cancel: &Cancel) -> Result<String, ModelError> {
    let passages = ["The keeper lights the lamp at dusk.", "The soup needs more salt."];
    let scores = reranker.score("Who lights the lamp?", &passages, cancel)?;
    let shown: Vec<String> = scores.iter().map(|score| format!("{score:.2}")).collect();
    Ok(format!("It gave a passage that answers and one that does not {}.", shown.join(" and ")))
}

/// One whole call, from samples to tokens.
fn hear_a_tone(whisper: Arc<Whisper>, cancel: &Cancel) -> Result<(), ModelError> {
    let wave = (0..SPEECH_RATE).map(|n| ((f64::from(n) * 0.17).sin() * 8_000.0) as i16);
    let mut recording = whisper.begin();
    recording.hear(&wave.collect::<Vec<_>>(), cancel)?;
    recording.finish(cancel).map(drop)
}

fn say_something(model: &dyn LanguageModel, cancel: &Cancel) -> Result<String, ModelError> {
    let mut said = String::new();
    model.generate(&one_word("Say hello in one short sentence.", 24), cancel, &mut |t| said.push_str(t))?;
    if cancel.is_cancelled() {
        return Err(ModelError::Cancelled);
    }
    if said.trim().is_empty() {
        return Err(ModelError::Failed(format!("{} said nothing", model.spec().id)));
    }
    Ok(format!("It said: {}", said.trim()))
}
