//! The words of the product as types. Plain data; no storage, no threads.

mod block;
mod document;
mod ids;
mod location;
mod passage;
mod source;
mod space;
mod span;

pub use block::{Block, BlockKind, CodePart, Converted, ConverterId, Warning};
pub use document::{Document, DocumentState, Reason, Version};
pub use ids::{
    ChangeSeq, ChatId, DocumentId, GenerationId, JobId, LibraryId, PassageId, QuestionId, RunId, SourceId,
    VersionId,
};
pub use location::{LocatedSpan, Location, clock_time, joined_cells};
pub(crate) use passage::embedded_text;
pub use passage::{NewPassage, Passage};
pub use source::{Source, SourceKind};
pub use space::{EmbeddingSpace, Generation, GenerationState, Metric};
pub use span::Span;
