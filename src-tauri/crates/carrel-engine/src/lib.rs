//! The engine of Carrel: domain, trait seams, pipeline, storage, retrieval and answers.
//!
//! It knows no window, no tensor library and no network. Everything it cannot do by itself (convert a
//! file, embed a text, generate an answer, tell the time) is handed in through [`seams`].
//!
//! Invariants: the ledger is the only truth; only a library's writer thread changes it and the indexes;
//! every index can be rebuilt from it without running a model; a hit is re-read from it before it is shown.

pub mod answer;
pub mod cancel;
pub mod chunk;
pub mod data_folder;
pub mod domain;
mod enrich;
pub mod error;
pub mod evaluate;
pub mod fault;
mod index;
mod ingest;
mod ledger;
pub mod library;
mod platform;
mod prompt;
pub mod quality;
pub mod random;
pub mod retrieve;
pub mod seams;
pub mod text;
mod watch;
mod writer;
