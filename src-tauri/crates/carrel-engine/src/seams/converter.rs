//! Conversion of one file into final text.

use crate::cancel::Cancel;
use crate::domain::{Converted, ConverterId, Reason, Warning};
use std::path::PathBuf;
use std::time::Duration;

/// Code of the [`Warning`] that a part of a file needs a password, or another than the one given.
pub const LOCKED_PART: &str = "locked_part";

/// What a warning of this code says is locked: the part's label, before why.
pub fn locked_parts(warnings: &[Warning]) -> std::collections::BTreeSet<&str> {
    let locked = warnings.iter().filter(|warning| warning.code == LOCKED_PART);
    locked
        .map(|warning| warning.message.rsplit_once(" was not read").map_or("", |(label, _)| label))
        .collect()
}

/// What a conversion may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Largest input in bytes.
    pub input_bytes: u64,
    /// Largest Markdown in bytes.
    pub output_bytes: u64,
    /// Memory of the worker in bytes.
    pub memory_bytes: u64,
    /// Time in which the worker computes; several times that may pass on a busy machine.
    pub time: Duration,
    /// Pages, slides or sheets.
    pub pages: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 512 << 20,
            output_bytes: 128 << 20,
            memory_bytes: 1536 << 20,
            time: Duration::from_secs(60),
            pages: 20_000,
        }
    }
}

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq)]
pub enum ConvertInput {
    /// A file.
    Path(PathBuf),
    /// Bytes already in hand (a pasted text, a fetched page).
    Bytes(Vec<u8>),
}

/// One conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertRequest {
    /// The content.
    pub input: ConvertInput,
    /// File name or URL: a hint for the format and the title, never opened.
    pub name: String,
    /// Password of an encrypted file, or several, one a line: each part is opened with the one that fits. Not kept.
    pub password: Option<String>,
    /// What it may use.
    pub limits: Limits,
}

/// The part of a file that is being converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// `page`, `scanned page`, `slide`, `sheet`, `chapter`, `message`, `file`, `part`; `second` of a recording.
    pub unit: String,
    /// Counts from 1.
    pub number: u32,
    /// How many there are; 0 where that is not known.
    pub of: u32,
}

/// A file that did not become text. Data for its row, not a failure of the job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// No converter reads this format yet (state `skipped`).
    #[error("{}", unsupported(format))]
    UnsupportedFormat {
        /// What it was taken for; [`UNKNOWN_FORMAT`] where it is nothing that has a name.
        format: String,
    },
    /// Encrypted (state `needs_password`).
    #[error("the file is encrypted: unlock it with its password")]
    NeedsPassword,
    /// The password given does not open it.
    #[error("the password does not open the file")]
    WrongPassword,
    /// Damaged (state `failed`).
    #[error("the file is damaged: {detail}")]
    Damaged {
        /// What was found.
        detail: String,
    },
    /// Nothing to read in it (state `no_text`).
    #[error("there is no text in it: {detail}")]
    NoText {
        /// What is there instead, and where.
        detail: String,
    },
    /// A model would read it that is not on this machine (state `skipped`); it is taken up when the model is there.
    #[error("{detail}: get the model that reads it with `carrel models get {id}`")]
    NeedsModel {
        /// Catalogue id of the model.
        id: String,
        /// What was found.
        detail: String,
    },
    /// A limit was reached.
    #[error("the file needs more than the allowed {limit}")]
    LimitExceeded {
        /// Which limit: `time`, `memory`, `size`, `pages`, `output`.
        limit: &'static str,
    },
    /// It could not be read from disk.
    #[error("the file could not be read: {0}")]
    Unreadable(String),
    /// The worker died.
    #[error("the converter stopped unexpectedly on this file ({0})")]
    Crashed(String),
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// The format of a file that is not text and of no known kind.
pub const UNKNOWN_FORMAT: &str = "binary";

/// Code of what waits for a model: a document, or a part of one as a warning of its version.
pub const NEEDS_MODEL: &str = "needs_model";

fn unsupported(format: &str) -> String {
    if format == UNKNOWN_FORMAT {
        "it is not text, and of no format that is known".to_owned()
    } else {
        format!("{format} files cannot be read yet")
    }
}

impl ConvertError {
    /// Why a file could not be read from disk, in words.
    pub fn unreadable(error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        Self::Unreadable(match error.kind() {
            ErrorKind::PermissionDenied => "you have no permission to read it".to_owned(),
            ErrorKind::NotFound => "it is no longer in its place".to_owned(),
            ErrorKind::Other => error.to_string(),
            kind => kind.to_string(),
        })
    }

    /// Why a file of a library is not text, with what becomes of it there: one of a format that has a name is taken up when that can
    /// be read.
    pub fn reason(&self) -> Reason {
        let mut message = self.to_string();
        if matches!(self, Self::UnsupportedFormat { format } if format != UNKNOWN_FORMAT) {
            message.push_str("; the file is taken up if a later version reads them");
        }
        Reason { code: self.code().to_owned(), message, retryable: self.retryable() }
    }

    /// The stable code that the ledger keeps and the window translates.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnsupportedFormat { .. } => "unsupported_format",
            Self::NeedsPassword => "needs_password",
            Self::WrongPassword => "wrong_password",
            Self::Damaged { .. } => "damaged",
            Self::NoText { .. } => "no_text",
            Self::NeedsModel { .. } => NEEDS_MODEL,
            Self::LimitExceeded { .. } => "limit_exceeded",
            Self::Unreadable(_) => "unreadable",
            Self::Crashed(_) => "converter_crashed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether trying again can help without the file changing.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_) | Self::Crashed(_) | Self::LimitExceeded { .. } | Self::Cancelled)
    }
}

/// Turns bytes into final text. Implementations are safe against hostile input or run where that does no harm.
pub trait DocumentConverter: Send + Sync {
    /// Which converter would take a file of this name, by name alone; `None` for an unreadable format.
    /// The content decides in [`DocumentConverter::convert`].
    fn converter_for(&self, name: &str) -> Option<ConverterId>;

    /// All converters with their versions: a change queues what they made, or skipped, before.
    fn converters(&self) -> Vec<ConverterId>;

    /// Converts one file. Blocks the calling thread; returns within several times the time limit, or 100 ms after `cancel` (half a
    /// second where a recording is heard).
    fn convert(&self, request: &ConvertRequest, cancel: &Cancel) -> Result<Converted, ConvertError> {
        self.convert_by_parts(request, cancel, &mut |_| {})
    }

    /// The same; `begun` is told each part that is begun. It may block, which counts as nobody's time, and set `cancel`.
    fn convert_by_parts(
        &self,
        request: &ConvertRequest,
        cancel: &Cancel,
        begun: &mut dyn FnMut(&FilePart),
    ) -> Result<Converted, ConvertError>;
}
