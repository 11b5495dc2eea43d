//! The traits through which the engine reaches what it must not know: converters, models, the clock, its listeners,
//! and the indexes, which have a second implementation in tests.

mod clock;
mod converter;
mod embedder;
mod events;
mod index;
mod language_model;
mod models;
mod reranker;
mod schema;
mod transcriber;

pub use clock::Clock;
pub use converter::{
    ConvertError, ConvertInput, ConvertRequest, DocumentConverter, FilePart, LOCKED_PART, Limits,
    NEEDS_MODEL, UNKNOWN_FORMAT, locked_parts,
};
pub use embedder::{EmbedKind, Embedder, Tokenizer};
pub use events::{Event, EventSink, Tag};
pub use index::{DenseIndex, DenseMatch, IndexError};
pub use language_model::{
    Finish, GenerateRequest, Generated, LanguageModel, LanguageModelSpec, Message, Role, Sampling,
};
pub use models::{ModelError, ModelProvider};
pub use reranker::Reranker;
pub use schema::Schema;
pub use transcriber::{SPEECH_RATE, SpokenSegment, Transcriber, Transcript, Transcription};
