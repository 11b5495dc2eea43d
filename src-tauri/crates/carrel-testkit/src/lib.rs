//! Deterministic fakes for the engine's seams, and a store as text.
//!
//! For tests only: nothing here is part of a shipped program. Refuses clocks, randomness, models and networks of its own:
//! the same calls give the same results on every machine.

mod clock;
mod converter;
mod embedder;
mod entailment;
mod events;
mod model;
mod models;
mod parts;
mod reranker;
mod store;

pub use clock::ManualClock;
pub use converter::PlainConverter;
pub use embedder::{HashEmbedder, WordTokenizer};
pub use entailment::ScriptedEntailment;
pub use events::RecordingEvents;
pub use model::ScriptedModel;
pub use models::FakeModels;
pub use parts::{Fakes, plain};
pub use reranker::WordReranker;
pub use store::render_store;
