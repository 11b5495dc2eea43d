//! How text becomes the terms of the lexical index, and the words that people read of its Markdown.
//!
//! One analyzer serves passages, questions and the marking of matches, so that what is found is exactly what is marked.
//! It needs no dictionary and no model. Invariant: every token carries the byte span of the source text that it was
//! made from, on character boundaries; the same text always gives the same tokens, which [`ANALYZER`] names.

mod analyzer;
mod compound;
mod fold;
mod language;
mod names;
mod operators;
mod plain;
mod query;
mod raw_html;
mod script;
mod sentences;
mod stop_words;

pub use analyzer::{Token, TokenKind, tokens};
pub(crate) use analyzer::{is_unspaced, tokens_in};
pub use fold::fold_key;
pub use language::WordLanguage;
pub(crate) use names::{name_key, names};
pub(crate) use operators::neighbours;
pub use operators::{KeyValue, Operators, operators};
pub use plain::plain_text;
pub(crate) use query::share_in;
pub use query::{AnalyzedQuery, Completion, ContentTerm, Exact, QueryTerm, analyze_query};
pub use raw_html::Stripper;
pub use script::{Script, covered_share};
pub use sentences::sentences;
pub(crate) use stop_words::chinese_content;

/// The analyzer with its version, as a generation keeps it. Raised whenever the same text, or passage, would give other terms.
pub const ANALYZER: &str = "words/3";
