//! Which models there are.

use super::{Embedder, LanguageModel, Reranker, Transcriber};
use std::path::PathBuf;
use std::sync::Arc;

/// A model could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Not on this machine.
    #[error("the model {id} is not installed: get it with `carrel models get {id}`")]
    NotInstalled {
        /// Which.
        id: String,
    },
    /// No such id in the catalogue.
    #[error("there is no model named {id}: `carrel models list` shows those there are")]
    Unknown {
        /// Which.
        id: String,
    },
    /// Its files are damaged or not of the pinned content.
    #[error("the files of the model {id} are damaged ({detail}): remove it and get it again")]
    Damaged {
        /// Which.
        id: String,
        /// What was found.
        detail: String,
    },
    /// Loading it ended the program, and again when it was tried again: whoever wants it tests it.
    #[error(
        "{id} is left out, because Carrel ended twice while it was loading it; run `carrel models test {id}` to try it again"
    )]
    LeftOut {
        /// Which.
        id: String,
    },
    /// It takes more memory than there is.
    #[error(
        "{id} needs about {} of memory and {} are free: close other programs, ask less at once, or use a smaller model",
        size(*needed),
        size(*available)
    )]
    NoMemory {
        /// Which.
        id: String,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// What the user brought is no model that can be used.
    #[error("{} cannot be imported as a model: {detail}", path.display())]
    NotImported {
        /// What was brought.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// A text is longer than the window. Never truncated.
    #[error("a text of {tokens} tokens does not fit the model's window of {window}")]
    TooLong {
        /// Tokens of the text, special ones included.
        tokens: usize,
        /// The window.
        window: usize,
    },
    /// An endpoint did not answer.
    #[error("{endpoint} did not answer: {detail}")]
    Unreachable {
        /// Its URL without secrets.
        endpoint: String,
        /// What happened.
        detail: String,
    },
    /// An endpoint refused.
    #[error("{endpoint} refused: {detail}")]
    Refused {
        /// Its URL without secrets.
        endpoint: String,
        /// What it said.
        detail: String,
    },
    /// It failed while running.
    #[error("the model failed: {0}")]
    Failed(String),
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Bytes, for people.
fn size(bytes: u64) -> String {
    let mega = bytes as f64 / 1e6;
    if mega < 1_000.0 { format!("{mega:.0} MB") } else { format!("{:.1} GB", mega / 1_000.0) }
}

/// Hands out models, loading each once and keeping it.
pub trait ModelProvider: Send + Sync {
    /// Id of the embedder for new libraries; `None` where none is installed: words answer alone.
    fn default_embedder(&self) -> Option<String>;

    /// The embedder with this catalogue id.
    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError>;

    /// Id of the reranker that the user chose; `None` where there is none: the fused order stands.
    fn default_reranker(&self) -> Option<String> {
        None
    }

    /// The reranker with this id.
    fn reranker(&self, id: &str) -> Result<Arc<dyn Reranker>, ModelError> {
        Err(ModelError::Unknown { id: id.to_owned() })
    }

    /// The language model with this id, or the chosen one.
    fn language_model(&self, id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError>;

    /// Id of the model that transcribes; `None` where none is installed: recordings wait for one.
    fn default_transcriber(&self) -> Option<String>;

    /// The model that transcribes.
    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError>;
}
