//! The index itself: what the writer thread puts in, and the snapshots that searches use.

use super::guard::{error, guarded};
use super::packed;
use super::schema::{Fields, document, schema};
use super::snapshot::LexicalSnapshot;
use crate::domain::{ChangeSeq, PassageId};
use crate::fault;
use crate::seams::IndexError;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tantivy::directory::{Directory, MmapDirectory, RamDirectory};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Term};

const WRITER_MEMORY: usize = 50 << 20;

/// A passage as the index takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassageForIndex<'a> {
    /// Its key.
    pub(crate) passage: PassageId,
    /// Row of its document, for filters.
    pub(crate) document_row: i64,
    /// Its text.
    pub(crate) text: &'a str,
    /// Headings above.
    pub(crate) headings: &'a [String],
    /// Title of the document.
    pub(crate) title: &'a str,
    /// File name of the document.
    pub(crate) name: &'a str,
    /// The line of context in front of it.
    pub(crate) context: Option<&'a str>,
}

/// The lexical index of one generation. One thread changes it; any number search its snapshots.
pub(crate) struct LexicalIndex {
    index: Index,
    fields: Fields,
    analyzer: String,
    reader: IndexReader,
    state: Mutex<State>,
    snapshot: RwLock<Arc<LexicalSnapshot>>,
}

struct State {
    /// Made when first needed: it owns threads and a buffer.
    writer: Option<IndexWriter>,
    applied: ChangeSeq,
    /// Highest passage ever put; a new one needs no search for an older copy of itself.
    highest: i64,
    changed: bool,
}

impl LexicalIndex {
    /// Opens the index in `folder`, or makes an empty one there. An error when files are damaged or another analyzer made
    /// it: the caller then deletes the folder, opens again and puts everything (its `applied` is 0).
    pub(crate) fn open(folder: &Path, analyzer: &str) -> Result<Self, IndexError> {
        std::fs::create_dir_all(folder).map_err(|e| error(format!("{}: {e}", folder.display())))?;
        let directory = guarded(|| Ok(MmapDirectory::open(folder)?))?;
        Self::with_directory(Box::new(directory), analyzer)
    }

    /// An empty index in memory.
    pub(crate) fn in_memory(analyzer: &str) -> Result<Self, IndexError> {
        Self::with_directory(Box::new(RamDirectory::create()), analyzer)
    }

    fn with_directory(directory: Box<dyn Directory>, analyzer: &str) -> Result<Self, IndexError> {
        let (schema, fields) = schema();
        let (index, payload) = guarded(|| {
            let index = Index::open_or_create(directory, schema)?;
            index.tokenizers().register(packed::NAME, packed::tokenizer());
            let payload = index.load_metas()?.payload;
            Ok((index, payload))
        })?;
        let applied = match payload.as_deref().and_then(|p| p.split_once(' ')) {
            Some((seq, by)) if by == analyzer => {
                ChangeSeq(seq.parse().map_err(|_| error("its commit names no change sequence"))?)
            }
            Some((_, by)) => {
                return Err(error(format!("it was made by the analyzer {by}, not by {analyzer}")));
            }
            None => ChangeSeq(0),
        };
        let reader = guarded(|| index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into())?;
        let snapshot = guarded(|| LexicalSnapshot::new(reader.searcher(), fields, None))?;
        let highest = snapshot.highest_passage();
        Ok(Self {
            index,
            fields,
            analyzer: analyzer.to_owned(),
            reader,
            state: Mutex::new(State { writer: None, applied, highest, changed: false }),
            snapshot: RwLock::new(Arc::new(snapshot)),
        })
    }

    /// Puts a passage; one with the same key is replaced. Seen by searches after the next commit.
    pub(crate) fn put(&self, passage: PassageForIndex<'_>) -> Result<(), IndexError> {
        let document = document(&self.fields, &passage);
        let mut state = self.state();
        let known = passage.passage.0 <= state.highest;
        state.highest = state.highest.max(passage.passage.0);
        self.change(&mut state, |writer| {
            if known {
                writer.delete_term(Term::from_field_u64(self.fields.passage, passage.passage.0 as u64));
            }
            writer.add_document(document).map(|_| ())
        })
    }

    /// Removes a passage; absent ones are fine. Seen by searches after the next commit.
    pub(crate) fn remove(&self, passage: PassageId) -> Result<(), IndexError> {
        let mut state = self.state();
        if passage.0 > state.highest {
            return Ok(());
        }
        self.change(&mut state, |writer| {
            writer.delete_term(Term::from_field_u64(self.fields.passage, passage.0 as u64));
            Ok(())
        })
    }

    /// Makes everything up to `seq` durable and visible. After an error nothing since the last commit is in: the caller puts
    /// it again from [`Self::applied`].
    pub(crate) fn commit(&self, seq: ChangeSeq) -> Result<(), IndexError> {
        let mut state = self.state();
        if !state.changed && state.applied == seq {
            return Ok(());
        }
        fault::point("lexical.before_commit");
        let payload = format!("{} {}", seq.0, self.analyzer);
        self.change(&mut state, |writer| {
            let mut prepared = writer.prepare_commit()?;
            prepared.set_payload(&payload);
            prepared.commit().map(|_| ())
        })?;
        state.applied = seq;
        state.changed = false;
        fault::point("lexical.after_commit");
        let previous = self.snapshot();
        let next = guarded(|| {
            self.reader.reload()?;
            LexicalSnapshot::new(self.reader.searcher(), self.fields, Some(&previous))
        })?;
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    /// The change sequence up to which everything is in the index, durably.
    pub(crate) fn applied(&self) -> ChangeSeq {
        self.state().applied
    }

    /// What searches see now; it does not change under them.
    pub(crate) fn snapshot(&self) -> Arc<LexicalSnapshot> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads every file and compares checksums. Slow: for a doctor, or after an unclean end.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        let damaged = guarded(|| self.index.validate_checksum())?;
        match damaged.iter().min() {
            None => Ok(()),
            Some(first) => Err(error(format!(
                "{} of its files are damaged, {} among them",
                damaged.len(),
                first.display()
            ))),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(
        &self,
        state: &mut State,
        work: impl FnOnce(&mut IndexWriter) -> tantivy::Result<()>,
    ) -> Result<(), IndexError> {
        let result = guarded(|| {
            let mut writer = match state.writer.take() {
                Some(writer) => writer,
                None => self.new_writer()?,
            };
            work(&mut writer)?;
            state.writer = Some(writer);
            Ok(())
        });
        state.changed = true;
        if result.is_err() {
            // The writer went down with what it held; what was committed stands.
            state.writer = None;
        }
        result
    }

    fn new_writer(&self) -> tantivy::Result<IndexWriter> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(WRITER_MEMORY)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer = self.index.writer_with_options(options)?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(0.3);
        writer.set_merge_policy(Box::new(policy));
        Ok(writer)
    }
}

impl Drop for LexicalIndex {
    fn drop(&mut self) {
        let writer = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).writer.take();
        if let Some(writer) = writer
            && let Err(failed) = guarded(|| writer.wait_merging_threads())
        {
            tracing::warn!("{failed}");
        }
    }
}
