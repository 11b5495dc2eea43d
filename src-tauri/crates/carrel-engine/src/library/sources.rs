//! Sources: adding, syncing, following, removing.

use super::report::Report;
use super::{AddItem, AddOptions, FileReport, Library, SyncReport};
use crate::cancel::Cancel;
use crate::domain::{Source, SourceId, SourceKind};
use crate::error::{EngineError, Result};
use crate::ledger::documents::{self, Known, Place, Stat};
use crate::ledger::{DocumentRow, changes, sources, versions};
use crate::seams::Tag;
use crate::watch::{Request, Round, Scope, paths};
use crate::writer::WriteTx;
use crossbeam_channel::{RecvTimeoutError, bounded};
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

/// Documents changed in one transaction.
const BATCH: usize = 200;

impl Library {
    /// Adds items. With `wait`, returns when nothing of them is left to do; otherwise when they are scanned and queued.
    ///
    /// A file or folder that a folder source holds already stays there; what the user had removed comes back.
    pub fn add(
        &self,
        items: &[AddItem],
        options: &AddOptions,
        wait: bool,
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let core = &self.ingest.core;
        let tracker = core.work.track();
        if let Some(opening) = core.take_opening() {
            core.work.untrack(&opening.tracker);
        }
        let result = self.add_tracked(items, options, cancel).and_then(|mut report| {
            if wait {
                report.wait(core, &tracker, cancel)?;
            }
            report.finish(core, &tracker, wait)
        });
        core.work.untrack(&tracker);
        result
    }

    fn add_tracked(&self, items: &[AddItem], options: &AddOptions, cancel: &Cancel) -> Result<Report> {
        let mut report = Report::since(self.shared.reads.with(documents::last_row)?);
        let mut targets: BTreeMap<SourceId, Scope> = BTreeMap::new();
        let single = items.len() == 1;
        let mut files: Vec<PathBuf> = Vec::new();
        for item in items {
            match item {
                AddItem::Text { id, text } => {
                    let row = self.add_inline(SourceKind::Texts, id, text.as_bytes(), None, &mut report)?;
                    self.describe(&[row], options, single)?;
                }
                AddItem::Page { url, bytes, media_type } => {
                    let row =
                        self.add_inline(SourceKind::Pages, url, bytes, media_type.clone(), &mut report)?;
                    self.describe(&[row], options, single)?;
                }
                AddItem::Path { path, watch } => {
                    let found = canonical(path).map(|path| (path.is_dir(), path));
                    match found {
                        Ok((true, folder)) => {
                            let (source, scope) = self.add_folder(&folder, *watch)?;
                            join(&mut targets, source, scope);
                        }
                        Ok((false, file)) => {
                            let (source, scope) = self.place_of_file(&file)?;
                            join(&mut targets, source, scope);
                            files.push(file);
                        }
                        Err(error) => report.failed.push(FileReport {
                            uri: paths::file_uri(path),
                            code: "unreadable".to_owned(),
                            reason: format!("{} could not be read: {error}", path.display()),
                        }),
                    }
                }
            }
        }
        if !targets.is_empty() {
            let round = self.scan(targets, None, cancel)?;
            let mut rows = rows_of(&round);
            report.take(round);
            // The rules of their folder keep them out: the user wants them all the same.
            let outside = self.not_taken(&files)?;
            if !outside.is_empty() {
                let round = self.scan(BTreeMap::from([self.single_files(&outside)?]), None, cancel)?;
                rows.extend(rows_of(&round));
                report.take(round);
            }
            self.describe(&rows, options, single && files.len() == 1)?;
        }
        Ok(report)
    }

    /// Rescans all sources and returns when nothing is left to do.
    pub fn sync(&self, cancel: &Cancel) -> Result<SyncReport> {
        let core = &self.ingest.core;
        let tracker = core.work.track();
        let opening = core.take_opening();
        let result = self.scan(BTreeMap::new(), None, cancel).and_then(|round| {
            let mut report = Report::default();
            report.take(round);
            // The scan at opening was the first to see what changed; it has ended, as the scans of a library follow each other.
            if let Some(opening) = opening {
                report.take(
                    opening.round.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default(),
                );
            }
            report.wait(core, &tracker, cancel)?;
            self.wait_idle(cancel)?;
            if let Some(opening) = opening {
                tracker.absorb(&opening.tracker);
            }
            report.finish(core, &tracker, true)
        });
        core.work.untrack(&tracker);
        if let Some(opening) = opening {
            core.work.untrack(&opening.tracker);
        }
        result
    }

    /// Sources, in order of their making.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.shared.reads.with(sources::all)
    }

    /// Switches following of a folder.
    pub fn set_watched(&self, source: SourceId, watched: bool) -> Result<()> {
        let found = self.shared.reads.with(|conn| sources::get(conn, source))?;
        if found.kind != SourceKind::Folder {
            return Err(EngineError::Invalid("only a folder can be watched".to_owned()));
        }
        self.shared.writer.run(move |tx| {
            sources::set_watched(tx, source, watched)?;
            tx.changed(Tag::Sources);
            Ok(())
        })?;
        self.request(Request::Sources)?;
        if watched {
            self.rescan(source)?;
        }
        Ok(())
    }

    /// Removes a source; its documents are kept as single documents or dropped. Returns how many it had.
    pub fn remove_source(&self, source: SourceId, keep_documents: bool) -> Result<usize> {
        let found = self.shared.reads.with(|conn| sources::get(conn, source))?;
        if found.kind != SourceKind::Folder && keep_documents {
            return Err(EngineError::Invalid(
                "single documents cannot be kept without their source".to_owned(),
            ));
        }
        let mut count = 0;
        loop {
            let all = self.shared.reads.with(|conn| documents::of_source(conn, source, None))?;
            if all.is_empty() {
                break;
            }
            for batch in all.chunks(BATCH) {
                let (batch, root) = (batch.to_vec(), found.root.clone());
                count += batch.iter().filter(|known| !known.hidden).count();
                self.shared.writer.run(move |tx| {
                    for known in batch {
                        if keep_documents && !known.hidden {
                            keep_as_file(tx, &known, &root)?;
                        } else {
                            versions::purge(tx, known.row)?;
                        }
                    }
                    tx.changed(Tag::Documents);
                    Ok(())
                })?;
            }
        }
        self.shared.writer.run(move |tx| {
            sources::remove(tx, source)?;
            tx.changed(Tag::Sources);
            Ok(())
        })?;
        self.request(Request::Sources)?;
        Ok(count)
    }

    /// The user's word on a mass deletion: `true` hides what vanished, `false` keeps everything until the files are back.
    pub fn confirm_deletions(&self, source: SourceId, deleted: bool) -> Result<()> {
        self.shared.reads.with(|conn| sources::get(conn, source))?;
        if deleted {
            self.scan(BTreeMap::from([(source, Scope::All)]), Some(source), &Cancel::new())?;
            return Ok(());
        }
        self.shared.writer.run(move |tx| {
            sources::set_confirmation(tx, source, sources::Confirmation::Kept)?;
            tx.changed(Tag::Sources);
            Ok(())
        })
    }

    /// Has places looked at and waits for it.
    pub(super) fn scan(
        &self,
        targets: BTreeMap<SourceId, Scope>,
        confirmed: Option<SourceId>,
        cancel: &Cancel,
    ) -> Result<Round> {
        let (reply, answer) = bounded(1);
        self.ingest.core.work.scanning(true);
        self.request(Request::Scan { targets, confirmed, cancel: cancel.clone(), reply }).inspect_err(
            |_| {
                self.ingest.core.work.scanning(false);
            },
        )?;
        loop {
            match answer.recv_timeout(Duration::from_millis(50)) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => cancel.check()?,
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Cancelled),
            }
        }
    }

    /// Has a source looked at without waiting.
    fn rescan(&self, source: SourceId) -> Result<()> {
        let (reply, _) = bounded(1);
        let targets = BTreeMap::from([(source, Scope::All)]);
        self.ingest.core.work.scanning(true);
        self.request(Request::Scan { targets, confirmed: None, cancel: Cancel::new(), reply }).inspect_err(
            |_| {
                self.ingest.core.work.scanning(false);
            },
        )
    }

    fn request(&self, request: Request) -> Result<()> {
        self.ingest.core.scans.send(request).map_err(|_| EngineError::Cancelled)
    }

    /// The source of a folder, made where no other holds it, and the part of it that is the folder.
    fn add_folder(&self, folder: &Path, watch: bool) -> Result<(SourceId, Scope)> {
        let libraries = self.shared.folder.parent();
        let data = libraries.and_then(Path::parent).filter(|data| data.join("carrel.db").is_file());
        if folder.starts_with(data.unwrap_or(&self.shared.folder)) {
            return Err(EngineError::Invalid(format!("{} is Carrel's own folder", folder.display())));
        }
        let all = self.sources()?;
        let above = nearest(&all, folder);
        if let Some(above) = above
            && (above.root == folder || above.watched || !watch)
        {
            if watch && !above.watched {
                self.set_watched(above.id, true)?;
            }
            let path = paths::relative(&above.root, folder).unwrap_or_default();
            let (id, below) = (above.id, path.clone());
            self.shared.writer.run(move |tx| include_below(tx, id, &below))?;
            let scope = if path.is_empty() { Scope::All } else { Scope::Places(BTreeSet::from([path])) };
            return Ok((above.id, scope));
        }
        let root = folder.to_owned();
        let id = self.shared.writer.run(move |tx| {
            let id = sources::ensure(tx, SourceKind::Folder, &root)?;
            sources::set_watched(tx, id, watch)?;
            tx.changed(Tag::Sources);
            Ok(id)
        })?;
        self.gather(id, folder, &all)?;
        self.request(Request::Sources)?;
        Ok((id, Scope::All))
    }

    /// Documents of other sources that lie below a new folder source become its own, with everything that is known of them.
    fn gather(&self, id: SourceId, folder: &Path, others: &[Source]) -> Result<()> {
        for other in others {
            let below = match other.kind {
                SourceKind::Folder => paths::relative(&other.root, folder),
                SourceKind::Files => Some(paths::bytes_of(folder)),
                SourceKind::Texts | SourceKind::Pages => None,
            };
            let Some(below) = below else { continue };
            let found = self.shared.reads.with(|conn| documents::of_source(conn, other.id, Some(&below)))?;
            for batch in found.chunks(BATCH) {
                let (batch, root, skip) = (batch.to_vec(), folder.to_owned(), below.len() + 1);
                self.shared.writer.run(move |tx| {
                    for known in batch {
                        let path = known.path.get(skip..).unwrap_or_default();
                        let place = Place { source: id, kind: SourceKind::Folder, root: &root, path };
                        documents::relocate(tx, known.row, place, None)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Where a single file belongs: the nearest folder source above it, else among the single files.
    fn place_of_file(&self, file: &Path) -> Result<(SourceId, Scope)> {
        let all = self.sources()?;
        let Some(above) = nearest(&all, file) else {
            return self.single_files(&[file.to_owned()]);
        };
        let path = paths::relative(&above.root, file).unwrap_or_default();
        let (id, included) = (above.id, path.clone());
        self.shared.writer.run(move |tx| sources::include(tx, id, &included).map(|_| ()))?;
        Ok((above.id, Scope::Places(BTreeSet::from([path]))))
    }

    fn single_files(&self, files: &[PathBuf]) -> Result<(SourceId, Scope)> {
        let id = self.shared.writer.run(|tx| {
            let id = sources::ensure(tx, SourceKind::Files, Path::new(""))?;
            sources::set_watched(tx, id, true)?;
            tx.changed(Tag::Sources);
            Ok(id)
        })?;
        self.request(Request::Sources)?;
        Ok((id, Scope::Files(files.iter().map(|file| paths::bytes_of(file)).collect())))
    }

    /// Those of these files that no source has taken.
    fn not_taken(&self, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
        self.shared.reads.with(|conn| {
            let mut outside = Vec::new();
            for file in files {
                let taken: bool = conn
                    .prepare_cached(
                        "SELECT EXISTS (SELECT 1 FROM document WHERE uri = ?1 AND hidden_ns IS NULL)",
                    )?
                    .query_row([paths::file_uri(file)], |row| row.get(0))?;
                if !taken {
                    outside.push(file.clone());
                }
            }
            Ok(outside)
        })
    }

    /// Keeps a text or a page with its bytes; queued unless they are those it had.
    fn add_inline(
        &self,
        kind: SourceKind,
        id: &str,
        bytes: &[u8],
        media_type: Option<String>,
        report: &mut Report,
    ) -> Result<DocumentRow> {
        let hash = *blake3::hash(bytes).as_bytes();
        let packed = zstd::bulk::compress(bytes, 3)
            .map_err(|error| EngineError::Internal(format!("the text does not pack: {error}")))?;
        let (path, size) = (id.as_bytes().to_vec(), bytes.len() as u64);
        let core = std::sync::Arc::clone(&self.ingest.core);
        let (row, new, changed) = self.shared.writer.run(move |tx| {
            let source = sources::ensure(tx, kind, Path::new(""))?;
            let known = documents::at(tx, source, &path)?;
            let (row, new) = if let Some(known) = &known {
                (known.row, false)
            } else {
                let place = Place { source, kind, root: Path::new(""), path: &path };
                (documents::insert(tx, place, Stat { bytes: size, ..Stat::default() }, None)?, true)
            };
            let changed = new || known.is_none_or(|known| known.hash != Some(hash));
            if changed {
                tx.prepare_cached(
                    "UPDATE document SET inline_bytes = ?2, bytes = ?3, modified_ns = ?4,
                            media_type = coalesce(?5, media_type) WHERE row = ?1",
                )?
                .execute(params![
                    row,
                    packed,
                    size as i64,
                    tx.now().as_nanosecond() as i64,
                    media_type
                ])?;
                documents::queue(tx, row, false)?;
                core.work.changed_again(row);
            }
            Ok((row, new, changed))
        })?;
        self.ingest.core.work.ring();
        if new {
            report.new.insert(row);
        } else if changed {
            report.check.insert(row);
        } else {
            report.settled.push(row);
        }
        Ok(row)
    }

    /// Gives documents the user's title and tags.
    fn describe(&self, rows: &[DocumentRow], options: &AddOptions, single: bool) -> Result<()> {
        let title = options.title.clone().filter(|_| single);
        if title.is_none() && options.tags.is_empty() {
            return Ok(());
        }
        for batch in rows.chunks(BATCH) {
            let (batch, title, tags) = (batch.to_vec(), title.clone(), options.tags.clone());
            self.shared.writer.run(move |tx| {
                for row in batch {
                    let mut changed = documents::add_tags(tx, row, &tags)?;
                    if let Some(title) = &title {
                        changed |= documents::give_title(tx, row, title)?;
                    }
                    if changed {
                        changes::reindex_document(tx, row)?;
                    }
                }
                tx.changed(Tag::Documents);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The path without links, so that one file has one name.
fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    if cfg!(unix) {
        return path.canonicalize();
    }
    std::fs::metadata(path)?;
    std::path::absolute(path)
}

/// The folder source that holds a path, the innermost where several do.
fn nearest<'s>(all: &'s [Source], path: &Path) -> Option<&'s Source> {
    all.iter()
        .filter(|source| source.kind == SourceKind::Folder && path.starts_with(&source.root))
        .max_by_key(|source| source.root.as_os_str().len())
}

fn join(targets: &mut BTreeMap<SourceId, Scope>, source: SourceId, scope: Scope) {
    match (targets.get_mut(&source), scope) {
        (None, scope) => {
            targets.insert(source, scope);
        }
        (Some(Scope::All), _) => {}
        (Some(all), Scope::All) => *all = Scope::All,
        (Some(Scope::Places(places) | Scope::Files(places)), Scope::Places(more) | Scope::Files(more)) => {
            places.extend(more);
        }
    }
}

/// Lets everything in again below a folder that the user adds by name.
fn include_below(tx: &mut WriteTx<'_>, source: SourceId, folder: &[u8]) -> Result<()> {
    for path in sources::exclusions(tx, source)? {
        if !folder.is_empty() && paths::within(folder, &path) {
            sources::include(tx, source, &path)?;
        }
    }
    Ok(())
}

fn keep_as_file(tx: &mut WriteTx<'_>, known: &Known, root: &Path) -> Result<()> {
    let files = sources::ensure(tx, SourceKind::Files, Path::new(""))?;
    sources::set_watched(tx, files, true)?;
    let path = paths::bytes_of(&root.join(paths::path_of(&known.path)));
    let place = Place { source: files, kind: SourceKind::Files, root: Path::new(""), path: &path };
    documents::relocate(tx, known.row, place, None)
}

fn rows_of(round: &Round) -> Vec<DocumentRow> {
    [&round.new, &round.check, &round.unchanged, &round.failing, &round.skipped, &round.moved]
        .into_iter()
        .flatten()
        .copied()
        .collect()
}
