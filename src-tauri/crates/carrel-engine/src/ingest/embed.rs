//! The embed thread: gives waiting passages their vectors, batch by batch, and when none waits their lines of context.
//!
//! A text that alone fails is given up after some attempts; when the embedder itself fails, it backs off, then lets words answer
//! alone and says so. Everything given up is tried again when the embedder is back, when the user asks, and at the next start.
//! Refuses to make up a vector, and to store one of another space.

use super::commit::give_up;
use super::enrich::Enriching;
use super::{Core, fill};
use crate::domain::{EmbeddingSpace, GenerationId, PassageId};
use crate::error::{EngineError, Result};
use crate::ledger::vectors::{self, Completed, Missing};
use crate::ledger::{contexts, documents, generations, versions};
use crate::seams::{EmbedKind, ModelError, Tag};
use rusqlite::params;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Attempts after which a text, or the embedder, is given up for now.
pub(crate) const ATTEMPTS: u32 = 5;

/// Wait after the first failure; it doubles.
const BACK_OFF: Duration = Duration::from_millis(200);

/// How often an embedder that was given up is looked at again.
const PROBE: Duration = Duration::from_secs(30);

/// How often a halted thread looks whether it may go on.
const HALT: Duration = Duration::from_millis(100);

/// A batch is to take about this long, so that a pause is felt soon.
const PACE: Duration = Duration::from_millis(400);

struct Embedding {
    /// Texts of the next batch.
    batch: usize,
    /// Batches that failed one after the other.
    failures: u32,
}

/// The embed thread.
pub(super) fn run(core: &Arc<Core>) {
    let mut embedding = Embedding { batch: 16, failures: 0 };
    let mut enriching = Enriching::default();
    while !core.cancel.is_cancelled() {
        let rings = core.work.rings();
        if core.work.is_paused() && due(core) {
            core.work.back_off(HALT, &core.cancel);
            continue;
        }
        let mut step = embedding.step(core);
        if matches!(step, Ok(false)) {
            core.work.embedded(rings);
            step = enriching.step(core);
        }
        if !matches!(step, Ok(false)) {
            core.work.wrote(&step);
        }
        match step {
            Ok(true) | Err(EngineError::Cancelled) => {}
            Ok(false) => {
                if !core.work.nothing_to_embed(rings, PROBE, &core.cancel) {
                    return;
                }
                if embedding.failures > 0 && rings == core.work.rings() {
                    embedding.probe(core);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "embedding cannot go on now; it is tried again");
                if !core.work.back_off(Duration::from_secs(5), &core.cancel) {
                    return;
                }
            }
        }
    }
}

impl Embedding {
    /// One batch of the generation that answers, else of the one that is being built; whether there was anything to do.
    fn step(&mut self, core: &Arc<Core>) -> Result<bool> {
        let active = core.shared.generation();
        if let Some(space) = &active.space
            && self.some(core, active.id, space)?
        {
            return Ok(true);
        }
        fill::step(core, |generation, space| self.some(core, generation, space))
    }

    fn some(&mut self, core: &Arc<Core>, generation: GenerationId, space: &EmbeddingSpace) -> Result<bool> {
        let batch = core
            .shared
            .reads
            .with(|conn| vectors::missing(conn, &core.shared.contents, generation, ATTEMPTS, self.batch))?;
        if batch.is_empty() {
            return Ok(false);
        }
        let begun = Instant::now();
        match embed(core, space, &batch) {
            Ok(vectors) => {
                store(core, space, &batch, vectors)?;
                self.failures = 0;
                self.pace(begun.elapsed());
            }
            Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
            Err(error) => self.failed(core, generation, space, &batch, &error)?,
        }
        Ok(true)
    }

    fn pace(&mut self, took: Duration) {
        if took > PACE * 2 {
            self.batch = (self.batch / 2).max(8);
        } else if took < PACE / 2 {
            self.batch = (self.batch * 2).min(512);
        }
    }

    /// A batch failed: one text of it, or the embedder.
    fn failed(
        &mut self,
        core: &Arc<Core>,
        generation: GenerationId,
        space: &EmbeddingSpace,
        batch: &[Missing],
        error: &ModelError,
    ) -> Result<()> {
        let of_a_text =
            matches!(error, ModelError::TooLong { .. } | ModelError::Failed(_) | ModelError::Refused { .. });
        if of_a_text && batch.len() > 1 && self.one_by_one(core, space, batch)? {
            return Ok(());
        }
        if let (ModelError::TooLong { .. }, [one]) = (error, batch) {
            return give_up_text(core, one.passage, error, ATTEMPTS);
        }
        self.failures += 1;
        let for_good = matches!(
            error,
            ModelError::NotInstalled { .. }
                | ModelError::LeftOut { .. }
                | ModelError::Unknown { .. }
                | ModelError::Damaged { .. }
        );
        if for_good || self.failures >= ATTEMPTS {
            tracing::warn!(%error, "the embedder cannot be used: words answer alone");
            self.failures = ATTEMPTS;
            return give_up_all(core, generation, error);
        }
        core.work.back_off(BACK_OFF * (1 << (self.failures - 1)), &core.cancel);
        Ok(())
    }

    /// Embeds the texts of a failed batch alone, to find the one that fails; whether any did not.
    fn one_by_one(&mut self, core: &Arc<Core>, space: &EmbeddingSpace, batch: &[Missing]) -> Result<bool> {
        let mut failing = Vec::new();
        let mut any = false;
        for one in batch {
            match embed(core, space, std::slice::from_ref(one)) {
                Ok(vectors) => {
                    store(core, space, std::slice::from_ref(one), vectors)?;
                    any = true;
                }
                Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
                Err(error) => failing.push((one.passage, error)),
            }
            if failing.len() >= 3 && !any {
                return Ok(false);
            }
        }
        if any {
            for (passage, error) in failing {
                let attempts = if matches!(error, ModelError::TooLong { .. }) { ATTEMPTS } else { 1 };
                give_up_text(core, passage, &error, attempts)?;
            }
            self.failures = 0;
        }
        Ok(any)
    }

    /// Looks whether an embedder that was given up is back.
    fn probe(&mut self, core: &Arc<Core>) {
        let Some(space) = core.shared.space() else { return };
        let back = core
            .shared
            .embedder(&space)
            .is_ok_and(|embedder| embedder.embed(EmbedKind::Passage, &["ready"], &core.cancel).is_ok());
        if back {
            self.failures = 0;
            let retried = core.shared.writer.run(|tx| vectors::retry(tx, None));
            if let Err(error) = retried {
                tracing::warn!(%error, "what was given up could not be queued again");
            }
            core.work.ring();
        }
    }
}

/// Whether there is anything to do; when in doubt, there is.
fn due(core: &Core) -> bool {
    let due = core.shared.reads.with(|conn| {
        let active = generations::active(conn)?.id;
        Ok(generations::building(conn)?.is_some()
            || vectors::count_missing(conn, active, ATTEMPTS)? > 0
            || contexts::count_bare(conn, active)? > 0)
    });
    due.unwrap_or(true)
}

fn embed(core: &Core, space: &EmbeddingSpace, batch: &[Missing]) -> Result<Vec<Vec<f32>>, ModelError> {
    let embedder = core.shared.embedder(space)?;
    let texts: Vec<&str> = batch.iter().map(|missing| missing.text.as_str()).collect();
    let vectors = embedder.embed(EmbedKind::Passage, &texts, &core.cancel)?;
    let sound = vectors.len() == batch.len()
        && vectors.iter().all(|v| v.len() == space.dimensions as usize && v.iter().all(|x| x.is_finite()));
    if sound { Ok(vectors) } else { Err(ModelError::Failed("it gave no usable vectors".to_owned())) }
}

fn store(core: &Arc<Core>, space: &EmbeddingSpace, batch: &[Missing], vectors: Vec<Vec<f32>>) -> Result<()> {
    let pairs: Vec<_> = batch.iter().map(|missing| missing.hash).zip(vectors).collect();
    let space = space.clone();
    core.shared.writer.run(move |tx| {
        for done in vectors::store(tx, &space, &pairs)? {
            if done.pending {
                versions::activate(tx, done.version)?;
            }
            documents::settle(tx, done.document)?;
        }
        tx.changed(Tag::Jobs);
        Ok(())
    })
}

fn give_up_text(core: &Arc<Core>, passage: PassageId, error: &ModelError, attempts: u32) -> Result<()> {
    let why = error.to_string();
    core.shared.writer.run(move |tx| {
        for _ in 0..attempts {
            let completed = vectors::failed(tx, &[passage], ATTEMPTS)?;
            give_up(tx, &completed, &why)?;
        }
        Ok(())
    })
}

/// Gives up everything that waits in a generation.
fn give_up_all(core: &Arc<Core>, generation: GenerationId, error: &ModelError) -> Result<()> {
    let why = error.to_string();
    core.shared.writer.run(move |tx| {
        let waiting: Vec<Completed> = tx
            .prepare_cached(
                "SELECT DISTINCT v.document, v.id, v.state = 'pending' FROM passage p JOIN version v ON v.id = p.version
                 JOIN generation g ON g.id = p.generation AND g.state = 'active'
                 WHERE p.generation = ?1 AND p.waits = 1 AND p.embed_failed < ?2",
            )?
            .query_map(params![generation.0, ATTEMPTS], |row| {
                Ok(Completed {
                    document: row.get(0)?,
                    version: crate::domain::VersionId(row.get(1)?),
                    pending: row.get(2)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        tx.prepare_cached("UPDATE passage SET embed_failed = ?2 WHERE generation = ?1 AND waits = 1 AND embed_failed < ?2")?
            .execute(params![generation.0, ATTEMPTS])?;
        give_up(tx, &waiting, &why)
    })
}
