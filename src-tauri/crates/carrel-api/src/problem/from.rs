//! Errors of the parts, turned into problems: one exhaustive match for each, so that a new error cannot be forgotten.

use super::{PROBLEM_CODES, Problem};
use carrel_engine::domain::Document;
use carrel_engine::error::EngineError;
use carrel_engine::seams::{ConvertError, IndexError, ModelError};

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::NotFound { kind, name } => Self::not_found(kind, &name),
            EngineError::Ambiguous { name, candidates } => {
                Self::new("ambiguous", message).detail("name", name).detail("candidates", candidates)
            }
            EngineError::Exists { kind, name } => Self::new("exists", message)
                .hint("choose another name")
                .detail("kind", kind)
                .detail("name", name),
            EngineError::Invalid(detail) => Self::new("invalid", message).detail("detail", detail),
            EngineError::Locked { path } => Self::new("data_folder_locked", message)
                .hint("close the other Carrel, or choose another data folder with --data")
                .detail("path", path.display().to_string())
                .retryable(),
            EngineError::NetworkDisk { path } => Self::new("network_disk", message)
                .hint("choose a folder on this machine with --data or CARREL_DATA")
                .detail("path", path.display().to_string()),
            EngineError::TooNew { path } => {
                Self::new("too_new", message).detail("path", path.display().to_string())
            }
            EngineError::Io { path, source } => Self::new("file_access", message)
                .hint("check that the file is there and that you may read and write it")
                .detail("path", path.display().to_string())
                .detail("cause", source.to_string())
                .retryable(),
            EngineError::ReadOnly { path } => Self::new("file_access", message)
                .hint("let it be written, or choose another folder with --data DIR or CARREL_DATA")
                .detail("path", path.display().to_string())
                .detail("cause", "it may not be written")
                .retryable(),
            EngineError::DiskFull { path, free } => Self::new("disk_full", message)
                .hint("free some space on that disk, or choose a folder on another with --data DIR or CARREL_DATA")
                .detail("path", path.display().to_string())
                .detail("free", free)
                .retryable(),
            EngineError::Damaged { path, detail } => Self::new("ledger_failed", message)
                .hint("run `carrel doctor --repair`: it saves what can be read, and keeps the damaged file")
                .detail("path", path.display().to_string())
                .detail("cause", detail),
            EngineError::LibraryGone { path } => Self::new("ledger_failed", message)
                .hint("put it back where it was, or begin the library anew with `carrel doctor --repair`")
                .detail("path", path.display().to_string())
                .detail("cause", "its folder is gone"),
            EngineError::ListDamaged { path, detail } => Self::new("ledger_failed", message)
                .hint("run `carrel doctor --repair`: the libraries are untouched, it lists them again and keeps the damaged file")
                .detail("path", path.display().to_string())
                .detail("cause", detail),
            EngineError::Ledger(source) => Self::new("ledger_failed", message)
                .hint("run `carrel doctor`")
                .detail("cause", source.to_string())
                .retryable(),
            EngineError::Index(error) => error.into(),
            EngineError::Model(error) => error.into(),
            EngineError::Cancelled => Self::cancelled(),
            EngineError::Internal(detail) => Self::internal(detail),
        }
    }
}

impl From<IndexError> for Problem {
    fn from(error: IndexError) -> Self {
        Self::new("index_failed", error.to_string())
            .hint("it is rebuilt from the ledger; nothing is lost. If it stays so, run `carrel doctor --repair`")
            .detail("index", error.index)
            .detail("detail", error.detail)
            .retryable()
    }
}

impl From<ModelError> for Problem {
    fn from(error: ModelError) -> Self {
        let message = error.to_string();
        match error {
            ModelError::NotInstalled { id } => Self::new("model_not_installed", message).detail("id", id),
            ModelError::Unknown { id } => Self::new("model_unknown", message).detail("id", id),
            ModelError::Damaged { id, detail } => Self::new("model_damaged", message)
                .hint(format!("remove it with `carrel models remove {id}` and get it again"))
                .detail("id", id)
                .detail("detail", detail),
            ModelError::LeftOut { id } => {
                let detail = format!("{id} is left out, because Carrel ended twice while it was loading it");
                Self::new("model_failed", message).detail("id", id).detail("detail", detail)
            }
            ModelError::NoMemory { id, .. } => Self::new("model_failed", message.clone())
                .detail("id", id)
                .detail("detail", message)
                .retryable(),
            ModelError::NotImported { .. } => {
                Self::new("model_failed", message.clone()).detail("detail", message)
            }
            ModelError::TooLong { tokens, window } => {
                Self::new("text_too_long", message).detail("tokens", tokens).detail("window", window)
            }
            ModelError::Unreachable { endpoint, detail } => Self::new("endpoint_unreachable", message)
                .hint("check that it runs and has the model loaded, or choose another model")
                .detail("endpoint", endpoint)
                .detail("detail", detail)
                .retryable(),
            ModelError::Refused { endpoint, detail } => Self::new("endpoint_refused", message)
                .hint("check its key and the name of the model")
                .detail("endpoint", endpoint)
                .detail("detail", detail),
            ModelError::Failed(detail) => {
                Self::new("model_failed", message).detail("detail", detail).retryable()
            }
            ModelError::Cancelled => Self::cancelled(),
        }
    }
}

impl From<ConvertError> for Problem {
    fn from(error: ConvertError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        let problem = match &error {
            ConvertError::UnsupportedFormat { format } => problem.detail("format", format.as_str()),
            ConvertError::NeedsPassword => {
                problem.hint("give its password with --password-stdin or CARREL_PASSWORD")
            }
            ConvertError::WrongPassword => problem.hint("check the password and try again"),
            ConvertError::Damaged { detail } | ConvertError::NoText { detail } => {
                problem.detail("detail", detail.as_str())
            }
            ConvertError::NeedsModel { id, .. } => {
                problem.hint("get it in the view Models, or in the terminal").detail("model", id.as_str())
            }
            ConvertError::LimitExceeded { limit } => problem.detail("limit", *limit),
            ConvertError::Unreadable(detail) | ConvertError::Crashed(detail) => {
                problem.detail("detail", detail.as_str())
            }
            ConvertError::Cancelled => return Self::cancelled(),
        };
        if error.retryable() { problem.retryable() } else { problem }
    }
}

impl Problem {
    /// Why a file did not become text, with its name.
    pub(crate) fn of_file(name: &str, error: ConvertError) -> Self {
        let is_cancelled = matches!(error, ConvertError::Cancelled);
        let mut problem = Self::from(error);
        if !is_cancelled {
            problem.message = format!("{name}: {}", problem.message);
            problem = problem.detail("name", name);
        }
        problem
    }

    /// Why a document has no text that could be shown.
    pub(crate) fn without_text(document: &Document) -> Self {
        let name = document.title.as_str();
        let Some(reason) = &document.reason else {
            return Self::new("no_text", format!("{name} has not been read yet"))
                .detail("name", name)
                .retryable();
        };
        let code = PROBLEM_CODES.iter().find(|code| **code == reason.code).copied().unwrap_or("no_text");
        let message = format!("{name} has no text to show: {}", reason.message);
        let problem = Self::new(code, message).detail("name", name).detail("detail", reason.message.as_str());
        match code {
            "needs_password" | "wrong_password" => {
                problem.hint(format!("give its password with `carrel unlock {}`", document.id))
            }
            _ => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::REASON_CODES;
    use std::fmt::Write as _;
    use std::path::PathBuf;

    fn every_problem() -> Vec<Problem> {
        let path = || PathBuf::from("/home/ada/carrel");
        let refused = || std::io::Error::other("permission denied");
        vec![
            EngineError::NotFound { kind: "library", name: "tax".into() }.into(),
            EngineError::Ambiguous { name: "a.md".into(), candidates: vec!["file:///x/a.md".into()] }.into(),
            EngineError::Exists { kind: "library", name: "tax".into() }.into(),
            EngineError::Invalid("chunking must be one of recursive, fixed".into()).into(),
            EngineError::Locked { path: path() }.into(),
            EngineError::NetworkDisk { path: path() }.into(),
            EngineError::TooNew { path: path() }.into(),
            EngineError::Io { path: path(), source: refused() }.into(),
            EngineError::ReadOnly { path: path() }.into(),
            EngineError::LibraryGone { path: path() }.into(),
            EngineError::DiskFull { path: path(), free: Some(12 << 10) }.into(),
            EngineError::Damaged { path: path(), detail: "file is not a database".into() }.into(),
            EngineError::ListDamaged { path: path(), detail: "it is empty".into() }.into(),
            EngineError::Index(IndexError { index: "dense", detail: "a byte is missing".into() }).into(),
            EngineError::Cancelled.into(),
            EngineError::Internal("no row".into()).into(),
            ModelError::NotInstalled { id: "m".into() }.into(),
            ModelError::Unknown { id: "m".into() }.into(),
            ModelError::Damaged { id: "m".into(), detail: "SHA-256 differs".into() }.into(),
            ModelError::LeftOut { id: "m".into() }.into(),
            ModelError::NoMemory { id: "m".into(), needed: 3 << 30, available: 700 << 20 }.into(),
            ModelError::NotImported {
                path: "/home/ada/notes.txt".into(),
                detail: "it is no GGUF file".into(),
            }
            .into(),
            ModelError::TooLong { tokens: 300, window: 256 }.into(),
            ModelError::Unreachable { endpoint: "http://localhost:1".into(), detail: "refused".into() }
                .into(),
            ModelError::Refused { endpoint: "http://localhost:1".into(), detail: "401".into() }.into(),
            ModelError::Failed("NaN".into()).into(),
            ConvertError::UnsupportedFormat { format: "RAR".into() }.into(),
            ConvertError::NeedsPassword.into(),
            ConvertError::WrongPassword.into(),
            ConvertError::Damaged { detail: "no trailer".into() }.into(),
            ConvertError::NoText { detail: "pages 1 to 3".into() }.into(),
            ConvertError::NeedsModel { id: "m".into(), detail: "it is an image".into() }.into(),
            ConvertError::LimitExceeded { limit: "time" }.into(),
            ConvertError::Unreadable("permission denied".into()).into(),
            ConvertError::Crashed("signal 11".into()).into(),
            ConvertError::Cancelled.into(),
        ]
    }

    #[test]
    fn every_problem_says_what_happened_and_what_to_do() {
        let mut text = String::new();
        for p in every_problem() {
            let _ = writeln!(text, "{}: {}", p.code, p.message);
            if let Some(hint) = &p.hint {
                let _ = writeln!(text, "    {hint}");
            }
            let _ = writeln!(
                text,
                "    {}{}",
                serde_json::Value::Object(p.details),
                if p.retryable { " retryable" } else { "" }
            );
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn codes_are_known_and_sorted() {
        for problem in every_problem() {
            assert!(PROBLEM_CODES.contains(&problem.code.as_str()), "{} is not listed", problem.code);
        }
        let refusals = [ConvertError::NeedsPassword, ConvertError::WrongPassword, ConvertError::Cancelled];
        let told = |detail: &str| detail.to_owned();
        let others = [
            ConvertError::UnsupportedFormat { format: told("RAR") },
            ConvertError::Damaged { detail: told("x") },
            ConvertError::NoText { detail: told("x") },
            ConvertError::NeedsModel { id: told("m"), detail: told("x") },
            ConvertError::LimitExceeded { limit: "time" },
            ConvertError::Unreadable(told("x")),
            ConvertError::Crashed(told("x")),
        ];
        for error in refusals.iter().chain(&others) {
            assert!(REASON_CODES.contains(&error.code()), "{} is not listed as a reason", error.code());
        }
        assert!(PROBLEM_CODES.is_sorted());
        assert!(REASON_CODES.is_sorted());
    }
}
