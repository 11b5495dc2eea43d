//! The models of Carrel: local embedders, rerankers, language models and Whisper on the processor, endpoints that do the same elsewhere,
//! the catalogue of what there is, and downloads.
//!
//! Nothing here is downloaded, and no address is contacted, without a call that says so. Texts are never truncated
//! or padded, and no vector is invented. The engine sees only its own traits (`carrel_engine::seams`).

pub mod bench;
mod catalogue;
mod download;
mod embed;
mod encode;
mod generate;
mod http;
mod kernels;
mod memory;
mod models;
mod remote;
mod rerank;
mod stops;
mod transcribe;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_server;

pub use catalogue::{Catalogue, CatalogueModel, Embedding, ModelFile, ModelRole, Packed, Pooling, Reranking};
pub use download::{Hub, Progress};
pub use encode::device::{Compute, Place};
pub use http::without_secrets;
pub use models::{ModelInfo, ModelState, Models, ModelsConfig, leaving};
pub use remote::Endpoint;
pub use rerank::LATE_INTERACTION;
