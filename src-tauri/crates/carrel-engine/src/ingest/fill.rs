//! Builds another generation beside the active one, which keeps answering: cuts what there is, embeds it, swaps.

use super::Core;
use super::convert::cut;
use super::embed::ATTEMPTS;
use crate::chunk;
use crate::domain::{EmbeddingSpace, GenerationId};
use crate::error::Result;
use crate::ledger::content::ContentRow;
use crate::ledger::{generations, vectors, versions};
use crate::seams::Tag;
use std::sync::Arc;

/// Versions cut in one transaction.
const BATCH: usize = 32;

/// One step of the generation that is being built; whether there was anything to do.
pub(super) fn step(
    core: &Arc<Core>,
    mut embed: impl FnMut(GenerationId, &EmbeddingSpace) -> Result<bool>,
) -> Result<bool> {
    let Some(building) = core.shared.reads.with(generations::building)? else { return Ok(false) };
    let due = core.shared.reads.with(|conn| {
        let versions = generations::to_fill(conn, building.id, BATCH)?;
        let mut due = Vec::with_capacity(versions.len());
        for (version, _) in versions {
            let row: ContentRow = conn
                .prepare_cached("SELECT content FROM version WHERE id = ?1")?
                .query_row([version.0], |row| row.get(0))?;
            due.push((version, core.shared.contents.get(conn, row)?));
        }
        Ok(due)
    })?;
    if !due.is_empty() {
        let mut filled = Vec::with_capacity(due.len());
        for (version, content) in due {
            let structure = content.structure()?;
            let text = chunk::Text {
                markdown: &content.markdown,
                blocks: &structure.blocks,
                locations: &structure.locations,
            };
            filled.push((version, cut(core, &building, &text)?));
        }
        let id = building.id;
        core.shared.writer.run(move |tx| {
            // It may have been dropped for another one meanwhile.
            if generations::building(tx)?.is_some_and(|now| now.id == id) {
                for (version, passages) in &filled {
                    versions::fill(tx, *version, passages, id)?;
                }
            }
            tx.changed(Tag::Jobs);
            Ok(())
        })?;
        return Ok(true);
    }
    if let Some(space) = &building.space
        && embed(building.id, space)?
    {
        return Ok(true);
    }
    // Searches go on with the new indexes the moment they are swapped in: they must hold everything by then.
    core.shared.writer.flush()?;
    core.shared.writer.run(move |tx| {
        let ready = generations::building(tx)?.is_some_and(|now| now.id == building.id)
            && generations::to_fill(tx, building.id, 1)?.is_empty()
            && vectors::count_missing(tx, building.id, ATTEMPTS)? == 0;
        if ready {
            generations::swap(tx)?;
            tx.changed(Tag::Documents);
            tx.changed(Tag::Settings);
        }
        Ok(true)
    })
}
