//! One library: a self-contained folder with its ledger, indexes and settings.
//!
//! [`Library`] is the façade under which writer, ingest, watcher and retrieval live. All methods may be called from any
//! thread; those that change something enqueue it to the writer thread and return when it is committed.
//!
//! Layout of the folder: `ledger.db` (with SQLite's `-wal`), `lexical/<generation>/`, `dense-<generation>-<seq>.usearch`,
//! `dense.in-use`; `ledger.db.damaged-<time>` where one was set aside.

mod doctor;
mod documents;
mod enrichment;
mod ingest;
mod languages;
mod open;
mod pause;
mod places;
mod questions;
mod reads;
mod report;
mod settings;
pub(crate) mod shared;
mod sources;
mod types;

pub use crate::ledger::salvage::Salvage;
pub(crate) use doctor::LEDGER;
pub use enrichment::{Enrichment, EnrichmentEstimate};
pub(crate) use open::{NAME, delete_files, salvage};
pub(crate) use pause::Pause;
pub use places::Narrowing;
pub use types::{
    AddItem, AddOptions, Check, DirectDocument, DocumentOrder, DocumentQuery, FileReport, Folder,
    IndexEntries, IndexState, LibraryStatus, Parts, Progress, SyncReport, VersionText,
};

pub use crate::watch::paths::{file_uri, path_of_uri};

use crate::ingest::Ingest;
use shared::Shared;
use std::sync::Arc;

/// An open library. Dropping it stops its threads after what they are committing.
pub struct Library {
    /// Before `shared`: its threads end first.
    pub(crate) ingest: Ingest,
    pub(crate) shared: Arc<Shared>,
}
