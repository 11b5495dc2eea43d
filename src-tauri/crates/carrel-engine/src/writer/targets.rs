//! The two indexes as targets of the change log: how passages get in and out, and how what is in becomes durable.

use super::indexes::Slot;
use crate::domain::{ChangeSeq, EmbeddingSpace, Generation, GenerationId, PassageId};
use crate::error::{EngineError, Result};
use crate::index::dense::{DenseFile, Marker, UsearchIndex, remove_generation};
use crate::index::lexical::{LexicalIndex, PassageForIndex};
use crate::ledger::changes::ChangeKind;
use crate::ledger::content::Contents;
use crate::ledger::{passages, vectors};
use crate::seams::{DenseIndex, IndexError};
use rusqlite::Connection;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What is applied and not durable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    /// Passages put or removed.
    pub(super) touched: usize,
    /// Entries of the log passed, those that did not concern the index included.
    pub(super) passed: usize,
}

/// Entries passed after which the cursor alone is worth a save, so that the log can be trimmed.
const PASSED: usize = 10_000;

/// An index that follows the change log.
pub(super) trait Target {
    /// `lexical` or `dense`.
    const NAME: &'static str;
    /// Passages applied at a time: the writer looks at its queue in between.
    const BATCH: usize;

    /// Whether entries of this kind concern it.
    fn concerns(kind: ChangeKind) -> bool;

    /// Brings these passages to what the ledger says of them now. Returns how many it touched.
    fn apply(
        &mut self,
        conn: &Connection,
        contents: &Contents,
        generation: GenerationId,
        ids: &[PassageId],
    ) -> Result<usize>;

    /// Makes what is in durable (and visible, where that is one act), as standing at `seq`.
    fn persist(&mut self, seq: ChangeSeq) -> Result<(), IndexError>;

    /// Whether what is not durable yet, the oldest of it `age` old, is to be made so. `idle`: how long nothing was written.
    fn due(&self, pending: Pending, age: Duration, idle: Duration) -> bool;

    /// Whether to make it durable when the library is closed.
    fn due_at_close(&self, pending: Pending) -> bool;

    /// Whether a search sees a change only after [`Target::persist`].
    const VISIBLE_WHEN_PERSISTED: bool;

    /// Opens the index as it is on disk and returns the sequence it holds. An error when it is damaged or foreign.
    fn reopen(&mut self) -> Result<ChangeSeq, IndexError>;

    /// Deletes its files and begins an empty one.
    fn wipe(&mut self) -> Result<(), IndexError>;
}

/// The folder of a generation's lexical index.
pub(super) fn lexical_folder(folder: &Path, generation: GenerationId) -> PathBuf {
    folder.join("lexical").join(generation.to_string())
}

/// Deletes the index files of a generation that does not answer any more.
pub(super) fn remove_files(folder: &Path, generation: GenerationId) -> Result<()> {
    let lexical = lexical_folder(folder, generation);
    if lexical.is_dir() {
        std::fs::remove_dir_all(&lexical).map_err(|e| EngineError::io(&lexical, e))?;
    }
    Ok(remove_generation(folder, generation)?)
}

pub(super) struct Lexical {
    pub(super) slot: Slot<LexicalIndex>,
    folder: PathBuf,
    analyzer: String,
}

impl Lexical {
    /// Opens the index. Returns the sequence it holds, or `None` where it had to begin empty, with the reason.
    pub(super) fn open(
        folder: &Path,
        generation: &Generation,
    ) -> Result<(Self, std::result::Result<ChangeSeq, String>)> {
        let folder = lexical_folder(folder, generation.id);
        let analyzer = generation.analyzer.clone();
        match LexicalIndex::open(&folder, &analyzer) {
            Ok(index) => {
                let applied = index.applied();
                Ok((Self { slot: Slot::new(index), folder, analyzer }, Ok(applied)))
            }
            Err(full) if full.is_full_disk() => Err(full.into()),
            Err(damage) => {
                let index = fresh_lexical(&folder, &analyzer)?;
                Ok((Self { slot: Slot::new(index), folder, analyzer }, Err(damage.detail)))
            }
        }
    }
}

fn fresh_lexical(folder: &Path, analyzer: &str) -> Result<LexicalIndex, IndexError> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|e| IndexError { index: "lexical", detail: format!("{}: {e}", folder.display()) })?;
    }
    LexicalIndex::open(folder, analyzer)
}

impl Target for Lexical {
    const NAME: &'static str = "lexical";
    const BATCH: usize = 512;
    const VISIBLE_WHEN_PERSISTED: bool = true;

    fn concerns(kind: ChangeKind) -> bool {
        kind != ChangeKind::VectorIn
    }

    fn apply(
        &mut self,
        conn: &Connection,
        contents: &Contents,
        generation: GenerationId,
        ids: &[PassageId],
    ) -> Result<usize> {
        let index = self.slot.get();
        let live = passages::for_index(conn, contents, generation, ids)?;
        let mut gone: HashSet<PassageId> = ids.iter().copied().collect();
        for passage in &live {
            gone.remove(&passage.id);
            index.put(PassageForIndex {
                passage: passage.id,
                document_row: passage.document,
                text: &passage.text,
                headings: &passage.headings,
                title: &passage.title,
                name: &passage.name,
                context: passage.context.as_deref(),
            })?;
        }
        for passage in gone {
            index.remove(passage)?;
        }
        Ok(ids.len())
    }

    fn persist(&mut self, seq: ChangeSeq) -> Result<(), IndexError> {
        self.slot.get().commit(seq)
    }

    fn due(&self, pending: Pending, age: Duration, idle: Duration) -> bool {
        let settled = age >= Duration::from_secs(1) || idle >= Duration::from_millis(50);
        pending.touched >= 1_000 || (pending.touched > 0 && settled) || pending.passed >= PASSED
    }

    fn due_at_close(&self, _pending: Pending) -> bool {
        true
    }

    fn reopen(&mut self) -> Result<ChangeSeq, IndexError> {
        // tantivy's lock is per folder: the broken one must be gone before another opens.
        self.slot.replace(LexicalIndex::in_memory(&self.analyzer)?);
        let index = LexicalIndex::open(&self.folder, &self.analyzer)?;
        let applied = index.applied();
        self.slot.replace(index);
        Ok(applied)
    }

    fn wipe(&mut self) -> Result<(), IndexError> {
        self.slot.replace(LexicalIndex::in_memory(&self.analyzer)?);
        self.slot.replace(fresh_lexical(&self.folder, &self.analyzer)?);
        Ok(())
    }
}

pub(super) struct Dense {
    pub(super) slot: Slot<UsearchIndex>,
    folder: PathBuf,
    generation: GenerationId,
    space: EmbeddingSpace,
    marker: Arc<Marker>,
}

impl Dense {
    /// Opens the index; see [`Lexical::open`]. `suspect`: the last process died inside usearch.
    pub(super) fn open(
        folder: &Path,
        generation: GenerationId,
        space: &EmbeddingSpace,
        marker: &Arc<Marker>,
        suspect: bool,
    ) -> Result<(Self, std::result::Result<ChangeSeq, String>)> {
        let empty = UsearchIndex::new(space, Arc::clone(marker))?;
        let mut dense = Self {
            slot: Slot::new(empty),
            folder: folder.to_owned(),
            generation,
            space: space.clone(),
            marker: Arc::clone(marker),
        };
        let opened = if suspect {
            Err("the program stopped unexpectedly inside it".to_owned())
        } else {
            dense.reopen().map_err(|e| e.detail)
        };
        if opened.is_err() {
            dense.wipe()?;
        }
        Ok((dense, opened))
    }
}

impl Target for Dense {
    const NAME: &'static str = "dense";
    const BATCH: usize = 128;
    const VISIBLE_WHEN_PERSISTED: bool = false;

    fn concerns(kind: ChangeKind) -> bool {
        kind != ChangeKind::WordsIn
    }

    fn apply(
        &mut self,
        conn: &Connection,
        _contents: &Contents,
        generation: GenerationId,
        ids: &[PassageId],
    ) -> Result<usize> {
        let index = self.slot.get();
        let live = vectors::for_index(conn, generation, ids)?;
        let mut gone: HashSet<PassageId> = ids.iter().copied().collect();
        for (passage, vector) in live {
            gone.remove(&passage);
            index.put_f16(passage, &vector)?;
        }
        for passage in gone {
            index.remove(passage)?;
        }
        Ok(ids.len())
    }

    fn persist(&mut self, seq: ChangeSeq) -> Result<(), IndexError> {
        self.slot.get().save(&self.folder, self.generation, seq)?;
        Ok(())
    }

    fn due(&self, pending: Pending, _age: Duration, idle: Duration) -> bool {
        // A save writes the whole index: its cost is kept in proportion to what changed.
        let size = self.slot.get().len();
        let settled = idle >= Duration::from_secs(5) && pending.touched > size / 100;
        pending.passed >= (size / 4).max(PASSED) || settled
    }

    fn due_at_close(&self, pending: Pending) -> bool {
        pending.touched.max(pending.passed / 4) >= self.slot.get().len() / 200
    }

    fn reopen(&mut self) -> Result<ChangeSeq, IndexError> {
        match DenseFile::newest(&self.folder, self.generation)? {
            None => {
                self.slot.replace(UsearchIndex::new(&self.space, Arc::clone(&self.marker))?);
                Ok(ChangeSeq(0))
            }
            Some(file) => {
                self.slot.replace(UsearchIndex::load(&file, &self.space, Arc::clone(&self.marker))?);
                Ok(file.seq)
            }
        }
    }

    fn wipe(&mut self) -> Result<(), IndexError> {
        self.slot.replace(UsearchIndex::new(&self.space, Arc::clone(&self.marker))?);
        remove_generation(&self.folder, self.generation)
    }
}
