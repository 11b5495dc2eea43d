//! The one thread that changes a library's ledger and indexes.
//!
//! Everyone else hands it closures. Each runs in a savepoint of a grouped transaction; the caller returns when that is
//! committed. Refuses to wait: a lone write is committed at once. Invariant: what `run` returned `Ok` for is on disk.

mod queue;

pub(crate) use queue::{WriteTx, Writer};
