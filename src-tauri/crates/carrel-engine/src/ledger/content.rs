//! Converted content: Markdown and structure, compressed, shared by versions with the same text.
//!
//! Invariant: a content row never changes; it is deleted when no version uses it.

use crate::domain::{Block, Converted, LocatedSpan};
use crate::error::{EngineError, Result};
use crate::writer::WriteTx;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// zstd's default: most of what higher levels save, at a tenth of their time on the writer thread.
const LEVEL: i32 = 3;

/// Bytes of the Markdown that serve in the dictionary of its structure.
const DICTIONARY: usize = 64 << 10;

/// A usual structure, which ends the dictionary of every other: short documents consist of little else. Part of the schema.
const EXAMPLE: &str = r#"{"blocks":[{"kind":"heading","level":1,"text":"","span":{"start":0,"end":10}},{"kind":"paragraph","span":{"start":12,"end":100}}],"locations":[{"span":{"start":0,"end":10},"location":{"line":1}},{"span":{"start":12,"end":100},"location":{"line":3}}]}"#;

/// Row of a content.
pub(crate) type ContentRow = i64;

/// Blocks and locations, as they are packed.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Structure {
    /// The block tree.
    pub(crate) blocks: Vec<Block>,
    /// Places in the original.
    pub(crate) locations: Vec<LocatedSpan>,
}

/// A content, unpacked; its structure only when asked for.
#[derive(Debug)]
pub(crate) struct Content {
    row: ContentRow,
    /// The final text.
    pub(crate) markdown: Arc<str>,
    packed: Vec<u8>,
    structure: OnceLock<Structure>,
}

impl Content {
    /// Blocks and locations.
    pub(crate) fn structure(&self) -> Result<&Structure> {
        if let Some(structure) = self.structure.get() {
            return Ok(structure);
        }
        let dictionary = dictionary(&self.markdown);
        let json = zstd::stream::read::Decoder::with_dictionary(self.packed.as_slice(), &dictionary)
            .and_then(|mut decoder| {
                let mut json = Vec::new();
                decoder.read_to_end(&mut json)?;
                Ok(json)
            })
            .map_err(|e| damaged(self.row, &e))?;
        let structure = serde_json::from_slice(&json).map_err(|e| damaged(self.row, &e))?;
        Ok(self.structure.get_or_init(|| structure))
    }
}

fn dictionary(markdown: &str) -> Vec<u8> {
    [&markdown.as_bytes()[..markdown.len().min(DICTIONARY)], EXAMPLE.as_bytes()].concat()
}

fn damaged(row: ContentRow, detail: &dyn std::fmt::Display) -> EngineError {
    EngineError::Internal(format!("text {row} of the ledger does not unpack ({detail}): run `carrel doctor`"))
}

/// Stores a conversion's text and structure, or finds them stored. Returns the row.
pub(super) fn ensure(tx: &mut WriteTx<'_>, converted: &Converted) -> Result<ContentRow> {
    #[derive(Serialize)]
    struct Borrowed<'a> {
        blocks: &'a [Block],
        locations: &'a [LocatedSpan],
    }
    let structure =
        serde_json::to_vec(&Borrowed { blocks: &converted.blocks, locations: &converted.locations })
            .map_err(|e| EngineError::Internal(format!("the structure of a text does not pack: {e}")))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(converted.markdown.len() as u64).to_le_bytes());
    hasher.update(converted.markdown.as_bytes());
    hasher.update(&structure);
    let digest = hasher.finalize();
    let hash = &digest.as_bytes()[..16];
    let known = tx
        .prepare_cached("SELECT id FROM content WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()?;
    if let Some(row) = known {
        return Ok(row);
    }
    let failed = |e| EngineError::Internal(format!("zstd failed: {e}"));
    let markdown = zstd::bulk::compress(converted.markdown.as_bytes(), LEVEL).map_err(failed)?;
    let structure = zstd::bulk::Compressor::with_dictionary(LEVEL, &dictionary(&converted.markdown))
        .and_then(|mut packer| packer.compress(&structure))
        .map_err(failed)?;
    tx.prepare_cached(
        "INSERT INTO content (hash, markdown, structure, characters, bytes) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        hash,
        markdown,
        structure,
        converted.markdown.chars().count() as i64,
        converted.markdown.len() as i64,
    ])?;
    Ok(tx.last_insert_rowid())
}

/// Deletes a content that no version uses any more.
pub(super) fn release(tx: &mut WriteTx<'_>, row: ContentRow) -> Result<()> {
    tx.prepare_cached(
        "DELETE FROM content WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM version WHERE content = ?1)",
    )?
    .execute([row])?;
    Ok(())
}

/// Reads and unpacks a content.
pub(crate) fn read(conn: &Connection, row: ContentRow) -> Result<Content> {
    let (markdown, packed, bytes): (Vec<u8>, Vec<u8>, i64) = conn
        .prepare_cached("SELECT markdown, structure, bytes FROM content WHERE id = ?1")?
        .query_row([row], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let text = zstd::bulk::decompress(&markdown, bytes as usize).map_err(|e| damaged(row, &e))?;
    let text = String::from_utf8(text).map_err(|e| damaged(row, &e))?;
    Ok(Content { row, markdown: text.into(), packed, structure: OnceLock::new() })
}

/// Contents unpacked lately, up to a number of bytes, so that the passages of one document unpack it once.
pub(crate) struct Contents {
    limit: usize,
    cached: Mutex<Cached>,
}

#[derive(Default)]
struct Cached {
    entries: HashMap<ContentRow, (Arc<Content>, u64)>,
    order: BTreeMap<u64, ContentRow>,
    clock: u64,
    bytes: usize,
}

impl Default for Contents {
    fn default() -> Self {
        Self { limit: 48 << 20, cached: Mutex::default() }
    }
}

impl Contents {
    /// The content of a row. Rows are never used twice and never change, so the cache is never stale.
    pub(crate) fn get(&self, conn: &Connection, row: ContentRow) -> Result<Arc<Content>> {
        if let Some(content) = self.lock().touch(row) {
            return Ok(content);
        }
        let content = Arc::new(read(conn, row)?);
        self.lock().put(row, &content, self.limit);
        Ok(content)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an entry costs besides its text.
const OVERHEAD: usize = 256;

impl Cached {
    fn touch(&mut self, row: ContentRow) -> Option<Arc<Content>> {
        self.clock += 1;
        let (content, tick) = self.entries.get_mut(&row)?;
        self.order.remove(tick);
        *tick = self.clock;
        self.order.insert(self.clock, row);
        Some(Arc::clone(content))
    }

    fn put(&mut self, row: ContentRow, content: &Arc<Content>, limit: usize) {
        if self.touch(row).is_some() {
            return;
        }
        self.clock += 1;
        self.bytes += content.markdown.len() + content.packed.len() + OVERHEAD;
        self.entries.insert(row, (Arc::clone(content), self.clock));
        self.order.insert(self.clock, row);
        while self.bytes > limit && self.entries.len() > 1 {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            if let Some((gone, _)) = self.entries.remove(&oldest) {
                self.bytes -= gone.markdown.len() + gone.packed.len() + OVERHEAD;
            }
        }
    }
}
