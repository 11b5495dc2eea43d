//! Taking documents in, on real files and a real ledger, with fakes only for conversion and embedding.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod embedding;
mod fixture;
mod folders;
mod identity;
mod items;
mod scale;
mod watching;
