//! Places of folders that could not be looked at when they last were, kept from one start to the next.
//!
//! A place is forgotten when a scan that covers it could look there. Single files need none of this: each is a document with its
//! own state.

use super::apply::uri;
use super::diff::View;
use crate::domain::{Source, SourceKind};
use crate::error::{EngineError, Result};
use crate::ingest::Core;
use crate::ledger::{meta, set_meta};
use crate::seams::Tag;
use rusqlite::Connection;
use std::collections::BTreeSet;

/// Under this key of `meta` they stand as JSON.
const KEY: &str = "unreadable";

/// Source, path and what the system said.
type Place = (i64, Vec<u8>, String);

/// URIs of the places, each with what the system said.
pub(crate) fn all(conn: &Connection, sources: &[Source]) -> Result<Vec<(String, String)>> {
    let named = |(source, path, why): Place| {
        sources.iter().find(|s| s.id.0 == source).map(|source| (uri(source, &path), why))
    };
    Ok(read(conn)?.into_iter().filter_map(named).collect())
}

/// Keeps what a scan could not look at, in the place of what was kept of the same parts.
pub(super) fn keep(core: &Core, views: &[View]) -> Result<()> {
    let views = || views.iter().filter(|view| view.source.kind == SourceKind::Folder && !view.listing.absent);
    let before = core.shared.reads.with(read)?;
    let mut now: BTreeSet<Place> = before
        .iter()
        .filter(|(source, path, _)| !views().any(|v| v.source.id.0 == *source && v.scope.holds(path)))
        .cloned()
        .collect();
    for view in views() {
        let here = view.listing.unreadable.iter();
        now.extend(here.map(|(path, why)| (view.source.id.0, path.clone(), why.clone())));
    }
    if now == before {
        return Ok(());
    }
    let text = serde_json::to_string(&now).map_err(|error| EngineError::Internal(error.to_string()))?;
    core.shared.writer.run(move |tx| {
        set_meta(tx, KEY, &text)?;
        tx.changed(Tag::Documents);
        Ok(())
    })
}

fn read(conn: &Connection) -> Result<BTreeSet<Place>> {
    let kept = meta(conn, KEY)?.and_then(|text| serde_json::from_str(&text).ok());
    Ok(kept.unwrap_or_default())
}
