//! The tokens of a Whisper model: text, marks of time, and those that steer it.

use crate::catalogue::CatalogueModel;
use carrel_engine::seams::ModelError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Marks of time are this many seconds apart.
pub(super) const TICK: f64 = 0.02;

/// What `config.json` says of tokens that are never to be said, and never at the beginning.
#[derive(Deserialize)]
struct Suppressed {
    #[serde(default)]
    suppress_ids: Vec<u32>,
    #[serde(default)]
    suppress_ids_begin: Vec<u32>,
}

pub(super) struct Vocabulary {
    tokenizer: tokenizers::Tokenizer,
    /// Ends what is said.
    pub(super) end: u32,
    /// Begins a window.
    pub(super) start: u32,
    /// Asks for the words in their own language.
    pub(super) transcribe: u32,
    /// How likely it is at the beginning says whether nobody speaks.
    pub(super) nobody: Option<u32>,
    /// The mark of 0 seconds; the others follow.
    pub(super) zero: u32,
    /// Tokens of languages, with their codes; one alone where the model knows no other.
    pub(super) languages: BTreeMap<u32, String>,
    /// Never said.
    pub(super) never: Vec<u32>,
    /// Never said first.
    pub(super) never_first: Vec<u32>,
}

impl Vocabulary {
    /// Reads `tokenizer.json` and `config.json`. `size`: tokens that the weights know.
    pub(super) fn open(folder: &Path, model: &CatalogueModel, size: usize) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged { id: model.id.clone(), detail };
        let file = |name: &str| {
            std::fs::read(folder.join(name)).map_err(|error| damaged(format!("{name}: {error}")))
        };
        let tokenizer = tokenizers::Tokenizer::from_bytes(file("tokenizer.json")?)
            .map_err(|error| damaged(format!("tokenizer.json: {error}")))?;
        let suppressed: Suppressed = serde_json::from_slice(&file("config.json")?)
            .map_err(|error| damaged(format!("config.json: {error}")))?;
        let find = |name: &str| tokenizer.token_to_id(name).filter(|id| (*id as usize) < size);
        let need = |name: &str| {
            find(name).ok_or_else(|| damaged(format!("tokenizer.json: the token {name} is missing")))
        };
        let end = need("<|endoftext|>")?;
        let start = need("<|startoftranscript|>")?;
        let (translate, transcribe) = (need("<|translate|>")?, need("<|transcribe|>")?);
        let without_times = need("<|notimestamps|>")?;
        let languages: BTreeMap<u32, String> = match model.languages.as_slice() {
            // Weights of a model for one language were never shown its mark.
            [only] => BTreeMap::from([(start, only.clone())]),
            _ => (start + 1..translate)
                .filter_map(|id| {
                    let name = tokenizer.id_to_token(id)?;
                    Some((id, name.strip_prefix("<|")?.strip_suffix("|>")?.to_owned()))
                })
                .collect(),
        };
        let mut never = suppressed.suppress_ids;
        never.extend((end + 1)..=without_times);
        never.retain(|id| *id != end && (*id as usize) < size);
        let never_first =
            suppressed.suppress_ids_begin.into_iter().filter(|id| (*id as usize) < size).collect();
        let nobody = find("<|nospeech|>").or_else(|| find("<|nocaptions|>"));
        let zero = without_times + 1;
        Ok(Self { tokenizer, end, start, transcribe, nobody, zero, languages, never, never_first })
    }

    /// Whether the model knows several languages and must be told which.
    pub(super) fn is_multilingual(&self) -> bool {
        self.languages.len() > 1
    }

    /// The second that a mark of time stands for.
    pub(super) fn seconds(&self, token: u32) -> Option<f64> {
        token.checked_sub(self.zero).map(|ticks| f64::from(ticks) * TICK)
    }

    /// Whether a word begins with this token: a space stands in front of it.
    pub(super) fn begins_word(&self, token: u32) -> bool {
        self.tokenizer.id_to_token(token).is_some_and(|text| text.starts_with(['Ġ', ' ']))
    }

    /// The text of tokens, without marks.
    pub(super) fn text(&self, tokens: &[u32]) -> Result<String, ModelError> {
        let words: Vec<u32> = tokens.iter().copied().filter(|t| *t < self.end).collect();
        let text = self.tokenizer.decode(&words, true);
        let text = text.map_err(|error| ModelError::Failed(format!("the tokenizer failed: {error}")))?;
        Ok(text.trim().to_owned())
    }
}
