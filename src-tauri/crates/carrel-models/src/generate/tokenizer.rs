//! The tokenizer of a GGUF model, built from the file's own tokens and merges.
//!
//! Byte-level BPE only (`tokenizer.ggml.model` = `gpt2`, which Llama 3, Qwen and `SmolLM` use). An unknown pre-tokenizer
//! is refused: a wrong split would silently make every answer worse.
//! Invariant: text of messages never becomes a control token; only the chat template can write those.

use super::gguf::Metadata;
use carrel_engine::seams::ModelError;
use std::collections::{HashMap, HashSet};
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{AddedToken, PreTokenizerWrapper};

const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;
/// Tokens that end a turn, whatever the file declares as its end.
const ENDS: [&str; 7] =
    ["<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "<|eom_id|>", "<|end|>", "</s>"];
const LLAMA3: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Text to tokens and back.
pub(super) struct GgufTokenizer {
    inner: tokenizers::Tokenizer,
    /// What each token writes.
    bytes: Vec<Box<[u8]>>,
    control: HashSet<String>,
    ends: HashSet<u32>,
    bos: Option<(u32, String)>,
    eos: Option<String>,
    add_bos: bool,
}

impl GgufTokenizer {
    pub(super) fn read(file: &Metadata<'_>) -> Result<Self, ModelError> {
        let kind = file.text("tokenizer.ggml.model").unwrap_or("missing");
        if kind != "gpt2" {
            return Err(file.damaged(format!("its tokenizer ({kind}) is not supported")));
        }
        let tokens = file
            .texts("tokenizer.ggml.tokens")
            .ok_or_else(|| file.damaged("the file holds no tokens for its tokenizer"))?;
        let types = file.numbers("tokenizer.ggml.token_type").unwrap_or_default();
        let merges = file.texts("tokenizer.ggml.merges").unwrap_or_default();
        let merges = merges
            .iter()
            .map(|m| m.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| file.damaged("a merge of its tokenizer cannot be read"))?;
        let vocabulary: HashMap<String, u32> =
            tokens.iter().enumerate().map(|(i, t)| ((*t).to_owned(), i as u32)).collect();
        let pre = file.text("tokenizer.ggml.pre").unwrap_or("default");
        let unreadable = |e: tokenizers::Error| file.damaged(format!("its tokenizer cannot be built: {e}"));
        let bpe = BPE::builder()
            .vocab_and_merges(
                vocabulary.clone().into_iter().collect::<tokenizers::models::bpe::Vocab>(),
                merges,
            )
            .ignore_merges(matches!(pre, "llama-bpe" | "llama3" | "llama-v3"))
            .build()
            .map_err(unreadable)?;
        let mut inner = tokenizers::Tokenizer::new(bpe);
        if pre == "qwen2" {
            inner.with_normalizer(Some(NFC)).map_err(unreadable)?;
        }
        inner.with_pre_tokenizer(Some(pre_tokenizer(pre, file)?));
        let special = |i: usize| matches!(types.get(i), Some(&(CONTROL | USER_DEFINED)));
        let added = tokens.iter().enumerate().filter(|(i, _)| special(*i));
        inner
            .add_special_tokens(added.map(|(_, t)| AddedToken::from((*t).to_owned(), true)))
            .map_err(unreadable)?;

        let id_of = |key: &str| file.number(key).and_then(|id| u32::try_from(id).ok());
        let token = |id: u32| tokens.get(id as usize).map(|t| (*t).to_owned());
        let mut ends: HashSet<u32> = ENDS.iter().filter_map(|t| vocabulary.get(*t).copied()).collect();
        ends.extend(id_of("tokenizer.ggml.eos_token_id"));
        ends.extend(id_of("tokenizer.ggml.eot_token_id"));
        let bos = id_of("tokenizer.ggml.bos_token_id").and_then(|id| Some((id, token(id)?)));
        let eos = id_of("tokenizer.ggml.eos_token_id").and_then(token);
        let alphabet = alphabet();
        let bytes = tokens
            .iter()
            .enumerate()
            .map(|(i, t)| match types.get(i) {
                Some(&CONTROL) => Box::default(),
                Some(&USER_DEFINED) => t.as_bytes().into(),
                _ => t.chars().filter_map(|c| alphabet.get(&c).copied()).collect(),
            })
            .collect();
        let control =
            tokens.iter().enumerate().filter(|(i, _)| special(*i)).map(|(_, t)| (*t).to_owned()).collect();
        Ok(Self { inner, bytes, control, ends, bos, eos, add_bos: file.flag("tokenizer.ggml.add_bos_token") })
    }

    /// Tokens of a rendered conversation; control tokens are read as such.
    pub(super) fn conversation(&self, rendered: &str) -> Result<Vec<u32>, ModelError> {
        let mut ids = self.encode(rendered)?;
        if let Some((bos, _)) = &self.bos
            && self.add_bos
            && ids.first() != Some(bos)
        {
            ids.insert(0, *bos);
        }
        Ok(ids)
    }

    /// How many tokens a piece of text costs.
    pub(super) fn count(&self, text: &str) -> Result<usize, ModelError> {
        Ok(self.encode(&self.harmless(text))?.len())
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self
            .inner
            .encode_fast(text, false)
            .map_err(|e| ModelError::Failed(format!("the tokenizer failed: {e}")))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// `text` with every control token in it broken up, so that a document cannot pose as the system or end a turn.
    pub(super) fn harmless(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for token in &self.control {
            let mut at = 0;
            while let Some(found) = text.get(at..).and_then(|rest| rest.find(token.as_str())) {
                let first = token.chars().next().map_or(1, char::len_utf8);
                at += found + first;
                text.insert(at, ' ');
            }
        }
        text
    }

    /// Whether the model ends its turn with this token.
    pub(super) fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// What a token writes; nothing for control tokens.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], |b| b)
    }

    /// The text of the first token of a sequence, for the template.
    pub(super) fn bos(&self) -> &str {
        self.bos.as_ref().map_or("", |(_, text)| text)
    }

    /// The text of the last token of a sequence, for the template.
    pub(super) fn eos(&self) -> &str {
        self.eos.as_deref().unwrap_or("")
    }
}

fn pre_tokenizer(name: &str, file: &Metadata<'_>) -> Result<PreTokenizerWrapper, ModelError> {
    let split = |pattern: &str| -> Result<PreTokenizerWrapper, ModelError> {
        let split =
            Split::new(SplitPattern::Regex(pattern.to_owned()), SplitDelimiterBehavior::Isolated, false)
                .map_err(|e| file.damaged(format!("its tokenizer cannot be built: {e}")))?;
        Ok(Sequence::new(vec![split.into(), ByteLevel::new(false, false, false).into()]).into())
    };
    match name {
        "default" | "gpt-2" => Ok(ByteLevel::new(false, false, true).into()),
        "smollm" => {
            Ok(Sequence::new(vec![Digits::new(true).into(), ByteLevel::new(false, false, true).into()])
                .into())
        }
        "llama-bpe" | "llama3" | "llama-v3" | "smaug-bpe" => split(LLAMA3),
        "qwen2" => split(QWEN2),
        other => Err(file.damaged(format!("the splitting rule of its tokenizer ({other}) is not supported"))),
    }
}

/// The characters that stand for bytes in byte-level vocabularies (GPT-2's table).
fn alphabet() -> HashMap<char, u8> {
    let mut map = HashMap::new();
    let mut next = 256u32;
    for byte in 0..=255u8 {
        let printable = matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
        let c = if printable {
            char::from(byte)
        } else {
            let c = char::from_u32(next).unwrap_or(' ');
            next += 1;
            c
        };
        map.insert(c, byte);
    }
    map
}
