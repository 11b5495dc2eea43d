//! Writes what a scan means, in batches, and says what it touched.

use super::diff::{Moved, New, Plan, Refused};
use super::paths;
use crate::domain::{DocumentState, Source, SourceId};
use crate::error::Result;
use crate::ingest::Core;
use crate::ledger::documents::{self, Place};
use crate::ledger::{DocumentRow, sources};
use crate::seams::Tag;
use crate::writer::WriteTx;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows written in one transaction.
const BATCH: usize = 500;

/// What a scan touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    /// Documents of files seen for the first time that wait for conversion.
    pub(crate) new: Vec<DocumentRow>,
    /// Documents whose bytes are to be looked at.
    pub(crate) check: Vec<DocumentRow>,
    /// Documents as they were, or back as they were.
    pub(crate) unchanged: Vec<DocumentRow>,
    /// Documents as they were that could not be converted.
    pub(crate) failing: Vec<DocumentRow>,
    /// Files that are not taken.
    pub(crate) skipped: Vec<DocumentRow>,
    /// Documents found elsewhere.
    pub(crate) moved: Vec<DocumentRow>,
    /// Documents that went missing.
    pub(crate) removed: usize,
    /// Places that could not be looked at: URI and what the system said.
    pub(crate) unreadable: Vec<(String, String)>,
}

enum Step {
    Moved(Moved),
    Back(DocumentRow, bool),
    New(New),
    Check(DocumentRow, bool),
    Refused(Refused),
    Gone(DocumentRow),
}

enum Done {
    Moved(DocumentRow),
    Back(DocumentRow),
    New(DocumentRow),
    Check(DocumentRow),
    Skipped(DocumentRow),
    Gone,
}

/// Writes a plan. Moves come first: what was found elsewhere is never hidden in between.
pub(super) fn apply(core: &Arc<Core>, all: &[Source], plan: Plan) -> Result<Round> {
    let mut round = Round::default();
    for (row, state) in plan.unchanged {
        match state {
            DocumentState::Skipped => round.skipped.push(row),
            DocumentState::Failed | DocumentState::NeedsPassword | DocumentState::NoText => {
                round.failing.push(row);
            }
            _ => round.unchanged.push(row),
        }
    }
    let sources: Arc<HashMap<SourceId, Source>> = Arc::new(all.iter().map(|s| (s.id, s.clone())).collect());
    let news = plan.sources;
    if !news.is_empty() {
        core.shared.writer.run(move |tx| {
            for source in &news {
                sources::set_present(tx, source.id, source.present)?;
                sources::set_confirmation(tx, source.id, source.confirmation)?;
            }
            tx.changed(Tag::Sources);
            Ok(())
        })?;
    }
    let steps = plan
        .moved
        .into_iter()
        .map(Step::Moved)
        .chain(plan.back.into_iter().map(|(row, unread)| Step::Back(row, unread)))
        .chain(plan.new.into_iter().map(Step::New))
        .chain(plan.check.into_iter().map(|(row, anew)| Step::Check(row, anew)))
        .chain(plan.refused.into_iter().map(Step::Refused))
        .chain(plan.gone.into_iter().map(Step::Gone));
    let mut steps = steps.peekable();
    while steps.peek().is_some() {
        core.cancel.check()?;
        let batch: Vec<Step> = steps.by_ref().take(BATCH).collect();
        let (inside, sources) = (Arc::clone(core), Arc::clone(&sources));
        let done = core.shared.writer.run(move |tx| {
            let done: Result<Vec<Option<Done>>> =
                batch.iter().map(|step| write(&inside, tx, &sources, step)).collect();
            tx.changed(Tag::Jobs);
            done
        })?;
        for done in done.into_iter().flatten() {
            match done {
                Done::Moved(row) => round.moved.push(row),
                Done::Back(row) => round.unchanged.push(row),
                Done::New(row) => round.new.push(row),
                Done::Check(row) => round.check.push(row),
                Done::Skipped(row) => round.skipped.push(row),
                Done::Gone => round.removed += 1,
            }
        }
        core.work.ring();
    }
    Ok(round)
}

/// Writes one step; `None` where the document or its source was removed meanwhile.
fn write(
    core: &Core,
    tx: &mut WriteTx<'_>,
    sources: &HashMap<SourceId, Source>,
    step: &Step,
) -> Result<Option<Done>> {
    let place = |id: SourceId, path| {
        sources.get(&id).map(|source| Place { source: id, kind: source.kind, root: &source.root, path })
    };
    let (Step::Moved(Moved { row, .. })
    | Step::Back(row, _)
    | Step::Check(row, _)
    | Step::Refused(Refused { row, .. })
    | Step::Gone(row)) = step
    else {
        let Step::New(new) = step else { return Ok(None) };
        let Some(place) = place(new.source, &new.path) else { return Ok(None) };
        // Removed by the user, or added by another call, since the scan looked.
        if sources::get(tx, new.source).is_err() || documents::at(tx, new.source, &new.path)?.is_some() {
            return Ok(None);
        }
        let row = documents::insert(tx, place, new.stat, new.refused.as_ref())?;
        return Ok(Some(if new.refused.is_some() { Done::Skipped(row) } else { Done::New(row) }));
    };
    let row = *row;
    if documents::is_queued(tx, row)?.is_none() {
        return Ok(None);
    }
    Ok(match step {
        Step::Moved(moved) => {
            let Some(place) = place(moved.source, &moved.path) else { return Ok(None) };
            documents::relocate(tx, row, place, Some(moved.stat))?;
            if moved.hidden {
                documents::unhide(tx, row)?;
            }
            if moved.anew {
                documents::queue(tx, row, true)?;
                core.work.changed_again(row);
            }
            Some(Done::Moved(row))
        }
        Step::Back(_, unread) => {
            documents::unhide(tx, row)?;
            if *unread {
                documents::queue(tx, row, false)?;
                core.work.changed_again(row);
            }
            Some(Done::Back(row))
        }
        Step::Check(_, anew) => {
            documents::queue(tx, row, *anew)?;
            core.work.changed_again(row);
            Some(Done::Check(row))
        }
        Step::Refused(refused) => {
            documents::set_stat(tx, row, refused.stat)?;
            documents::dequeue(tx, row)?;
            documents::set_state(tx, row, DocumentState::Skipped, Some(&refused.reason))?;
            Some(Done::Skipped(row))
        }
        Step::Gone(_) => {
            documents::hide(tx, row)?;
            Some(Done::Gone)
        }
        Step::New(_) => None,
    })
}

/// The URI of a place in a source.
pub(super) fn uri(source: &Source, path: &[u8]) -> String {
    paths::uri(source.kind, &source.root, path)
}
