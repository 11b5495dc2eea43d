//! Converter threads: from a queued row to text and passages.
//!
//! Reads the bytes once for their hash; the same content is converted once, wherever it lies. Whether the file is still being
//! written is seen by looking at it before and after. Refuses to decide: outcomes are written by the commit thread.

use super::Core;
use super::estimate::SafeEstimate;
use super::outcome::Outcome;
use crate::chunk::{self, Chunking, WordsTokenizer, chunk};
use crate::domain::{Converted, DocumentState, Generation, NewPassage, Reason, Warning};
use crate::enrich;
use crate::error::{EngineError, Result};
use crate::fault;
use crate::ledger::documents::{ContentHash, Stat};
use crate::ledger::{DocumentRow, content, documents, sources};
use crate::seams::{
    ConvertError, ConvertInput, ConvertRequest, Embedder, Limits, ModelError, Tokenizer, locked_parts,
};
use crate::watch::{paths, rules, walk};
use crossbeam_channel::Sender;
use rusqlite::{Connection, OptionalExtension, params};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a file that changed while it was read is left alone.
const QUIET: Duration = Duration::from_millis(500);
/// How often it is looked whether the text of a file is still wanted while it is converted.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A queued document.
pub(super) struct Job {
    row: DocumentRow,
    name: String,
    place: Where,
    hash: Option<ContentHash>,
    converter: Option<String>,
    media_type: String,
}

enum Where {
    File(PathBuf),
    Inline(Vec<u8>),
    /// A text that was handed over converted: the ledger kept nothing but that. Whether it still has it.
    Nowhere {
        has_text: bool,
    },
}

/// A document that was looked at.
pub(super) struct Finished {
    pub(super) row: DocumentRow,
    pub(super) what: What,
}

/// What a converter thread found.
pub(super) enum What {
    /// The file is not there; a scan will say what that means.
    Gone,
    /// The content is that of the last time.
    Same(Stat),
    /// It did not become text.
    Refused {
        stat: Stat,
        hash: Option<ContentHash>,
        converter: Option<String>,
        state: DocumentState,
        reason: Reason,
    },
    /// Text and passages.
    Text(Box<Text>),
}

impl What {
    /// Bytes of text that it keeps in memory.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.converted.markdown.len(),
            _ => 0,
        }
    }
}

/// Text and passages of one document, made for one generation.
pub(super) struct Text {
    pub(super) stat: Stat,
    pub(super) hash: ContentHash,
    pub(super) converted: Converted,
    pub(super) passages: Vec<NewPassage>,
    pub(super) generation: Generation,
}

/// A converter thread.
pub(super) fn run(core: &Arc<Core>, results: &Sender<Finished>) {
    while let Some(row) = core.work.next(&core.cancel, |most| queued(core, most)) {
        let what = match core.shared.reads.with(|conn| job(conn, row)) {
            Ok(Some(job)) => {
                core.work.begin(&job.name);
                let name = job.name.clone();
                catch_unwind(AssertUnwindSafe(|| look(core, job))).unwrap_or_else(|_| {
                    tracing::error!(file = name, "a fault of ours while taking in a file");
                    Ok(Some(fault_of_ours(&name)))
                })
            }
            Ok(None) => {
                core.work.finish(row, Some(Outcome::Gone));
                continue;
            }
            Err(error) => Err(error),
        };
        match what {
            Ok(Some(what)) => {
                fault::point("ingest.after_convert");
                if !core.work.hold(what.bytes(), &core.cancel) {
                    return;
                }
                if results.send(Finished { row, what }).is_err() {
                    return;
                }
            }
            Ok(None) => core.work.defer(row, QUIET),
            Err(EngineError::Cancelled) => core.work.finish(row, None),
            Err(error) => {
                tracing::warn!(%error, "a document could not be taken in now; it is tried again");
                core.work.defer(row, Duration::from_secs(5));
            }
        }
    }
}

fn queued(core: &Core, most: usize) -> Vec<DocumentRow> {
    let rows = core.shared.reads.with(|conn| {
        let mut statement =
            conn.prepare_cached("SELECT row FROM document WHERE queued = 1 ORDER BY bytes, row LIMIT ?1")?;
        Ok(statement.query_map([most as i64], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?)
    });
    rows.unwrap_or_else(|error| {
        tracing::warn!(%error, "the queue could not be read");
        Vec::new()
    })
}

fn job(conn: &Connection, row: DocumentRow) -> Result<Option<Job>> {
    let found = conn
        .prepare_cached(
            "SELECT d.name, s.kind, s.root, d.path, d.inline_bytes, d.content_hash, d.converter, d.media_type,
                    EXISTS (SELECT 1 FROM version v WHERE v.document = d.row AND v.state = 'active')
             FROM document d JOIN source s ON s.id = d.source WHERE d.row = ?1 AND d.queued = 1",
        )?
        .query_row([row], |r| {
            let root = paths::path_of(r.get_ref(2)?.as_blob()?);
            let path: Vec<u8> = r.get(3)?;
            let kind = sources::kind(r.get_ref(1)?.as_str()?);
            let inline: Option<Vec<u8>> = r.get(4)?;
            Ok((r.get(0)?, kind, root, path, inline, r.get(5)?, r.get(6)?, r.get(7)?, r.get(8)?))
        })
        .optional()?;
    let Some((name, kind, root, path, inline, hash, converter, media_type, has_text)) = found else {
        return Ok(None);
    };
    let place = match inline {
        Some(packed) => Where::Inline(zstd::decode_all(packed.as_slice()).map_err(|error| {
            EngineError::Internal(format!("the content of {name} does not unpack ({error}): add it again"))
        })?),
        None => match paths::absolute(kind, &root, &path) {
            Some(path) => Where::File(path),
            None => Where::Nowhere { has_text },
        },
    };
    Ok(Some(Job { row, name, place, hash, converter, media_type }))
}

/// `None` where the file is still being written.
fn look(core: &Core, job: Job) -> Result<Option<What>> {
    let name = hint(core, &job);
    let expected = core.shared.parts.converter.converter_for(&name);
    let expected_id = expected.as_ref().map(|id| format!("{}/{}", id.id, id.version));
    let (stat, hash) = match &job.place {
        Where::Inline(bytes) => {
            let stat = Stat { bytes: bytes.len() as u64, ..Stat::default() };
            (stat, *blake3::hash(bytes).as_bytes())
        }
        Where::Nowhere { has_text: true } => return Ok(Some(What::Gone)),
        Where::Nowhere { has_text: false } => {
            let lost = "its text was lost, and nothing else of it was kept: add it again";
            return Ok(Some(unreadable(Stat::default(), lost)));
        }
        Where::File(path) => {
            let stat = match std::fs::symlink_metadata(path) {
                Ok(metadata) if metadata.is_file() => walk::stat_of(&metadata),
                Ok(_) => return Ok(Some(What::Gone)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Some(What::Gone)),
                Err(error) => return Ok(Some(failed_to_read(Stat::default(), &error))),
            };
            let limit = Limits::default().input_bytes;
            if stat.bytes > limit {
                let reason = rules::too_large(stat.bytes, limit);
                return Ok(Some(What::Refused {
                    stat,
                    hash: None,
                    converter: None,
                    state: DocumentState::Skipped,
                    reason,
                }));
            }
            match hash_file(path, || core.cancel.is_cancelled()) {
                Ok(Some(hash)) => (stat, hash),
                Ok(None) => return Err(EngineError::Cancelled),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Some(What::Gone)),
                Err(error) => return Ok(Some(failed_to_read(stat, &error))),
            }
        }
    };
    let (row, password) = (job.row, core.take_password(job.row));
    if password.is_none() && job.hash == Some(hash) && job.converter.is_some() && job.converter == expected_id
    {
        return Ok(Some(What::Same(stat)));
    }
    if !core.work.claim(hash, job.row, &core.cancel) {
        return Err(EngineError::Cancelled);
    }
    let generation = core.shared.generation();
    // What others were converted to without a password is what it is to add to.
    let twin = match expected.as_ref().filter(|_| password.is_none()) {
        Some(id) => core.shared.reads.with(|conn| same_content(conn, row, &hash, &id.id, id.version))?,
        None => None,
    };
    let path = match &job.place {
        Where::File(path) => Some(path.clone()),
        Where::Inline(_) | Where::Nowhere { .. } => None,
    };
    let converted = if let Some(converted) = twin {
        Ok(converted)
    } else {
        let input = match job.place {
            Where::File(path) => ConvertInput::Path(path),
            Where::Inline(bytes) => ConvertInput::Bytes(bytes),
            Where::Nowhere { .. } => return Ok(Some(What::Gone)),
        };
        let request = ConvertRequest { input, name, password: password.clone(), limits: Limits::default() };
        convert(core, row, &job.name, &request)
    };
    if let Some(path) = path
        && std::fs::symlink_metadata(path).ok().map(|metadata| walk::stat_of(&metadata)) != Some(stat)
    {
        return Ok(None);
    }
    let converted = match converted {
        Ok(converted) => converted,
        Err(ConvertError::Cancelled) if core.cancel.is_cancelled() => return Err(EngineError::Cancelled),
        // It changed, or is gone.
        Err(ConvertError::Cancelled) => return Ok(None),
        Err(error) => return Ok(Some(refused(stat, hash, expected_id, &error))),
    };
    if password.is_some() && core.shared.reads.with(|conn| would_lock(conn, row, &converted))? {
        return Ok(Some(What::Same(stat)));
    }
    let passages = cut(core, &generation, &text_of(&converted))?;
    Ok(Some(What::Text(Box::new(Text { stat, hash, converted, passages, generation }))))
}

/// Converts a file and says how far that is. Between its parts it waits while work is halted, and stops where nobody wants the text
/// any more: a recording takes as long as all else in a library.
fn convert(
    core: &Core,
    row: DocumentRow,
    name: &str,
    request: &ConvertRequest,
) -> Result<Converted, ConvertError> {
    let cancel = core.cancel.child();
    let mut looked = Instant::now();
    core.shared.parts.converter.convert_by_parts(request, &cancel, &mut |part| {
        if core.work.begin_part(name, part) {
            core.tell();
        }
        // Somebody waits for what a password opens.
        let urgent = request.password.is_some();
        core.work.wait_until(&core.cancel, || urgent || !core.work.is_paused());
        if looked.elapsed() > LOOK_AGAIN {
            looked = Instant::now();
            let queued = core.shared.reads.with(|conn| documents::is_queued(conn, row));
            if core.work.is_changed_again(row) || matches!(queued, Ok(None | Some(false))) {
                cancel.cancel();
            }
        }
    })
}

/// The name by which a converter is chosen. Pasted text is Markdown; a page is what its server said.
fn hint(core: &Core, job: &Job) -> String {
    if matches!(job.place, Where::File(_)) || core.shared.parts.converter.converter_for(&job.name).is_some() {
        return job.name.clone();
    }
    let media_type = job.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let ending = match media_type.as_str() {
        "text/html" | "application/xhtml+xml" => "html",
        "application/pdf" => "pdf",
        "text/plain" => "txt",
        "text/csv" => "csv",
        _ => "md",
    };
    format!("{}.{ending}", job.name)
}

/// BLAKE3 of a file; `None` when stopped.
pub(crate) fn hash_file(
    path: &std::path::Path,
    stopped: impl Fn() -> bool,
) -> std::io::Result<Option<ContentHash>> {
    use std::io::Read;
    let mut file = std::fs::File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        if stopped() {
            return Ok(None);
        }
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Some(*hasher.finalize().as_bytes())),
            Ok(n) => {
                hasher.update(&buffer[..n]);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether a part would be locked again that an earlier password opened.
fn would_lock(conn: &Connection, row: DocumentRow, converted: &Converted) -> Result<bool> {
    let known: Option<String> = conn
        .prepare_cached("SELECT warnings FROM version WHERE document = ?1 AND state IN ('active', 'pending') ORDER BY number DESC")?
        .query_row([row], |r| r.get(0))
        .optional()?;
    let known: Option<Vec<Warning>> = known.and_then(|json| serde_json::from_str(&json).ok());
    Ok(known.is_some_and(|known| !locked_parts(&converted.warnings).is_subset(&locked_parts(&known))))
}

/// What another document with the same bytes was converted to, by the converter that would take this one.
fn same_content(
    conn: &Connection,
    row: DocumentRow,
    hash: &ContentHash,
    converter: &str,
    version: u32,
) -> Result<Option<Converted>> {
    let found = conn
        .prepare_cached(
            "SELECT v.content, v.complete, v.warnings, d.media_type,
                    CASE WHEN d.title_given = 0 AND d.title <> d.name THEN d.title END
             FROM document d JOIN version v ON v.document = d.row AND v.state IN ('active', 'pending')
             WHERE d.content_hash = ?1 AND d.row <> ?2 AND v.content_hash = ?1 AND v.converter = ?3
                   AND v.converter_version = ?4 AND v.warnings NOT LIKE '%\"needs_model\"%' LIMIT 1",
        )?
        .query_row(params![hash, row, converter, version], |r| {
            Ok((r.get(0)?, r.get(1)?, r.get::<_, String>(2)?, r.get(3)?, r.get(4)?))
        })
        .optional()?;
    let Some((content, complete, warnings, media_type, title)) = found else { return Ok(None) };
    let content = content::read(conn, content)?;
    let structure = content.structure()?;
    Ok(Some(Converted {
        markdown: content.markdown.to_string(),
        blocks: structure.blocks.clone(),
        locations: structure.locations.clone(),
        media_type,
        title,
        complete,
        warnings: serde_json::from_str(&warnings).unwrap_or_default(),
        converter: crate::domain::ConverterId { id: converter.to_owned(), version },
    }))
}

/// Cuts a text for a generation. Where its embedder cannot be reached, an estimate counts.
pub(super) fn cut(core: &Core, generation: &Generation, text: &chunk::Text<'_>) -> Result<Vec<NewPassage>> {
    let chunking = Chunking::from_id(&generation.chunker).unwrap_or_default();
    let room = if generation.enriched { enrich::ROOM } else { 0 };
    let window = generation.space.as_ref().map(|space| (space.window as usize).saturating_sub(room));
    let by = |tokenizer: &dyn Tokenizer, embedder: Option<&dyn Embedder>| {
        chunk(text, &chunk::Reader { tokenizer, window, embedder }, chunking, &core.cancel)
    };
    let passages = match &generation.space {
        None => by(&WordsTokenizer, None),
        Some(space) => core.shared.embedder(space).and_then(|embedder| {
            let meaning = chunking.needs_embedder().then_some(&*embedder);
            by(embedder.tokenizer(), meaning)
        }),
    };
    let passages = match passages {
        Err(error) if error != ModelError::Cancelled => {
            tracing::warn!(%error, "a text is cut by an estimate of its tokens");
            by(&SafeEstimate, None)
        }
        passages => passages,
    };
    // Whoever stops here must not leave a text without passages behind: it would be taken for one without text.
    passages.map_err(|error| match error {
        ModelError::Cancelled => EngineError::Cancelled,
        error => error.into(),
    })
}

/// A conversion as the chunker takes it.
pub(super) fn text_of(converted: &Converted) -> chunk::Text<'_> {
    chunk::Text { markdown: &converted.markdown, blocks: &converted.blocks, locations: &converted.locations }
}

fn failed_to_read(stat: Stat, error: &std::io::Error) -> What {
    unreadable_as(stat, &ConvertError::unreadable(error))
}

fn unreadable(stat: Stat, detail: &str) -> What {
    unreadable_as(stat, &ConvertError::Unreadable(detail.to_owned()))
}

fn unreadable_as(stat: Stat, error: &ConvertError) -> What {
    What::Refused { stat, hash: None, converter: None, state: DocumentState::Failed, reason: error.reason() }
}

fn refused(stat: Stat, hash: ContentHash, converter: Option<String>, error: &ConvertError) -> What {
    let (state, hash) = match error {
        ConvertError::UnsupportedFormat { .. } | ConvertError::NeedsModel { .. } => {
            (DocumentState::Skipped, Some(hash))
        }
        ConvertError::NeedsPassword | ConvertError::WrongPassword => {
            (DocumentState::NeedsPassword, Some(hash))
        }
        ConvertError::NoText { .. } => (DocumentState::NoText, Some(hash)),
        ConvertError::Unreadable(_) => (DocumentState::Failed, None),
        _ => (DocumentState::Failed, Some(hash)),
    };
    What::Refused { stat, hash, converter, state, reason: error.reason() }
}

fn fault_of_ours(name: &str) -> What {
    let reason = Reason {
        code: "internal".to_owned(),
        message: format!("an internal error stopped the conversion of {name}; the rest goes on"),
        retryable: true,
    };
    let stat = Stat::default();
    What::Refused { stat, hash: None, converter: None, state: DocumentState::Failed, reason }
}

/// Name of a converter with its version, as the ledger keeps it.
pub(super) fn converter_name(converted: &Converted) -> String {
    format!("{}/{}", converted.converter.id, converted.converter.version)
}

/// Whether a row is still in the queue.
pub(super) fn still_queued(conn: &Connection, row: DocumentRow) -> Result<bool> {
    Ok(documents::is_queued(conn, row)?.unwrap_or(false))
}
