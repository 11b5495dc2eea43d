//! Writes lines of context for the passages that wait for one, when nothing waits for a vector.
//!
//! The last step, because nothing waits for it: words and meaning answer meanwhile. Each batch is one transaction, so that work goes on
//! where it was after whatever ended it. Refuses to hold anything up: a model that cannot be used is tried again later.

use super::Core;
use crate::chunk::WordsTokenizer;
use crate::domain::{GenerationId, PassageId};
use crate::enrich::Task;
use crate::error::Result;
use crate::ledger::contexts::{self, Bare, ContextKey, Enriched, Written};
use crate::ledger::{generations, meta, set_meta, vectors};
use crate::seams::{EmbedKind, Embedder, LanguageModel, ModelError, Tag, Tokenizer};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Lines written in one transaction, and the time after which what there is is written.
const BATCH: usize = 16;
const PACE: Duration = Duration::from_secs(4);

/// Key of the ledger: the model that last wrote lines.
const ENRICHED_BY: &str = "enriched_by";

/// The state of the step.
#[derive(Default)]
pub(super) struct Enriching {
    /// The model has written something: where it fails now, the text is to blame.
    proved: bool,
    /// What was written and is not in the ledger yet, because its vectors could not be made.
    unsaved: HashMap<ContextKey, Written>,
}

impl Enriching {
    /// One batch; whether there was anything to do that could be done.
    pub(super) fn step(&mut self, core: &Arc<Core>) -> Result<bool> {
        let generation = core.shared.generation();
        if !generation.enriched || core.shared.reads.with(generations::building)?.is_some() {
            return Ok(false);
        }
        let model = match core.shared.parts.models.language_model(None) {
            Ok(model) => model,
            Err(error) => {
                tracing::debug!(%error, "no lines of context are written now");
                return Ok(false);
            }
        };
        self.note_model(core, generation.id, &model.spec().id)?;
        let contents = &core.shared.contents;
        let due = core.shared.reads.with(|conn| contexts::due(conn, contents, generation.id, BATCH))?;
        if due.is_empty() {
            return Ok(false);
        }
        let embedder = match generation.space.as_ref().map(|space| core.shared.embedder(space)).transpose() {
            Ok(embedder) => embedder,
            Err(error) => {
                tracing::debug!(%error, "lines of context wait for the embedder");
                return Ok(false);
            }
        };
        let written = self.write(core, &due, &*model, embedder.as_deref())?;
        let some = !written.is_empty();
        let enriched = embedded(core, &due, written, embedder.as_deref())?;
        let (id, space) = (generation.id, generation.space);
        core.shared.writer.run(move |tx| {
            if generations::active(tx)?.id == id {
                contexts::store(tx, id, space.as_ref(), &enriched)?;
            }
            tx.changed(Tag::Jobs);
            Ok(())
        })?;
        self.unsaved.clear();
        Ok(some)
    }

    /// Where another model writes now, it is asked too for what the one before had no line for.
    fn note_model(&mut self, core: &Arc<Core>, generation: GenerationId, id: &str) -> Result<()> {
        if core.shared.reads.with(|conn| meta(conn, ENRICHED_BY))?.as_deref() == Some(id) {
            return Ok(());
        }
        self.proved = false;
        let id = id.to_owned();
        core.shared.writer.run(move |tx| {
            set_meta(tx, ENRICHED_BY, &id)?;
            contexts::try_again(tx, generation)
        })
    }

    /// Lines for the first of these, until the time is up or work is halted.
    fn write(
        &mut self,
        core: &Arc<Core>,
        due: &[Bare],
        model: &dyn LanguageModel,
        embedder: Option<&dyn Embedder>,
    ) -> Result<Vec<(Option<ContextKey>, Option<String>)>> {
        let words = WordsTokenizer;
        let tokenizer = embedder.map_or(&words as &dyn Tokenizer, Embedder::tokenizer);
        let begun = Instant::now();
        let mut written = Vec::new();
        for bare in due {
            if begun.elapsed() > PACE || core.work.is_paused() {
                break;
            }
            core.cancel.check()?;
            let task = Task::new(bare);
            let key = task.key();
            let known = match self.unsaved.get(&key) {
                Some(unsaved) => Some(unsaved.clone()),
                None => core.shared.reads.with(|conn| contexts::find(conn, &key))?,
            };
            if let Some(Written(line)) = known {
                written.push((Some(key), line));
                continue;
            }
            if !task.is_for(model) {
                written.push((None, None));
                continue;
            }
            match task.write(model, tokenizer, &core.cancel, &|| core.work.is_paused()) {
                Ok((line, _)) => {
                    self.proved = true;
                    self.unsaved.insert(key, Written(line.clone()));
                    written.push((Some(key), line));
                }
                Err(ModelError::Cancelled) => break,
                Err(ModelError::Failed(_) | ModelError::TooLong { .. } | ModelError::Refused { .. })
                    if self.proved =>
                {
                    written.push((Some(key), None));
                    self.proved = false;
                }
                Err(error) => {
                    tracing::warn!(%error, "lines of context wait for the language model");
                    break;
                }
            }
        }
        Ok(written)
    }
}

/// What was written, with the vectors of the texts that it makes. A text for which there is none keeps the one that it has without
/// the line.
fn embedded(
    core: &Arc<Core>,
    due: &[Bare],
    written: Vec<(Option<ContextKey>, Option<String>)>,
    embedder: Option<&dyn Embedder>,
) -> Result<Vec<(PassageId, Enriched)>> {
    let mut enriched = Vec::with_capacity(written.len());
    for (bare, (key, line)) in due.iter().zip(written) {
        let result = match (key, line) {
            (Some(key), Some(line)) => with_vector(core, bare, key, line, embedder)?,
            (key, _) => Enriched::None { key },
        };
        enriched.push((bare.passage, result));
    }
    Ok(enriched)
}

fn with_vector(
    core: &Core,
    bare: &Bare,
    key: ContextKey,
    line: String,
    embedder: Option<&dyn Embedder>,
) -> Result<Enriched> {
    let text = bare.embedded_with(&line);
    let words = WordsTokenizer;
    let tokenizer = embedder.map_or(&words as &dyn Tokenizer, Embedder::tokenizer);
    let tokens = (tokenizer.count(&text)? + tokenizer.overhead()) as u32;
    let vector = match embedder {
        Some(embedder) if tokens > embedder.space().window => return Ok(Enriched::None { key: Some(key) }),
        Some(embedder) => match embedder.embed(EmbedKind::Passage, &[&text], &core.cancel) {
            Ok(vectors) => vectors.into_iter().next(),
            Err(ModelError::TooLong { .. } | ModelError::Failed(_) | ModelError::Refused { .. }) => None,
            Err(error) => return Err(error.into()),
        },
        None => None,
    };
    let sound = |vector: &Vec<f32>| vector.iter().all(|x| x.is_finite());
    if embedder.is_some() && !vector.as_ref().is_some_and(sound) {
        return Ok(Enriched::None { key: Some(key) });
    }
    Ok(Enriched::Line { line, key, tokens, hash: vectors::hash(&text), vector })
}
