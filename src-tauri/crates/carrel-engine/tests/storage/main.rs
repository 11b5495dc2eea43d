//! Storage as a user meets it: what is written is there, what is deleted is gone, and damage is mended without a model.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

mod data_folder;
mod enrichment;
mod generations;
mod migration;
mod recovery;
mod scale;
mod support;
mod versions;
