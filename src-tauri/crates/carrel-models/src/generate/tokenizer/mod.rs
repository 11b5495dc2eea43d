//! The tokenizer of a GGUF model, built from the file's own tokens, merges or scores.
//!
//! Byte-level byte pairs (`tokenizer.ggml.model` = `gpt2`, which Llama 3, Qwen and `SmolLM` use) and `SentencePiece` (`llama`, which
//! Llama 2, Mistral and Gemma use). An unknown pre-tokenizer is refused: a wrong split would silently make every answer worse.
//! Invariant: text of messages never becomes a control token; only the chat template can write those.

mod byte_level;
mod pieces;
mod specials;

use super::gguf::Metadata;
use super::shape::Vocabulary;
use carrel_engine::seams::ModelError;
use pieces::{SPACE, SentencePiece};
use specials::{Part, Specials};
use std::collections::{HashMap, HashSet};

const UNKNOWN: u64 = 2;
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;
const BYTE: u64 = 6;
/// Tokens that end a turn, whatever the file declares as its end.
const ENDS: [&str; 9] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|eom_id|>",
    "<|end|>",
    "</s>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
];

/// Text to tokens and back.
pub(super) struct GgufTokenizer {
    model: Model,
    /// Tokens that are found in a text before it is cut.
    specials: Specials,
    /// Those of them that mean something to the chat template.
    control: Specials,
    /// What each token writes.
    bytes: Vec<Box<[u8]>>,
    ends: HashSet<u32>,
    bos: Option<(u32, String)>,
    eos: Option<String>,
    add_bos: bool,
}

enum Model {
    ByteLevel(Box<tokenizers::Tokenizer>),
    SentencePiece(SentencePiece),
}

impl GgufTokenizer {
    pub(super) fn read(file: &Metadata<'_>) -> Result<Self, ModelError> {
        let kind = file.text("tokenizer.ggml.model").unwrap_or("missing");
        let tokens = file
            .texts("tokenizer.ggml.tokens")
            .ok_or_else(|| file.damaged("the file holds no tokens for its tokenizer"))?;
        let types = file.numbers("tokenizer.ggml.token_type").unwrap_or_default();
        let type_of = |i: usize| types.get(i).copied().unwrap_or_default();
        let in_pieces = match kind {
            "gpt2" => false,
            "llama" => true,
            other => return Err(file.damaged(format!("its tokenizer ({other}) is not supported"))),
        };
        let model = if in_pieces {
            Model::SentencePiece(sentence_piece(file, &tokens, &types)?)
        } else {
            Model::ByteLevel(Box::new(byte_level::read(file, &tokens)?))
        };
        // In a text, the sign for a space is one.
        let plain = |t: &str| if in_pieces { t.replace(SPACE, " ") } else { t.to_owned() };
        let those = |wanted: &dyn Fn(usize, &str) -> bool| {
            let found = tokens.iter().enumerate().filter(|(i, t)| wanted(*i, t));
            Specials::new(found.map(|(i, t)| (plain(t), i as u32)).collect::<Vec<_>>())
        };
        let specials = those(&|i, _| matches!(type_of(i), CONTROL | USER_DEFINED));
        // What users define are marks of turns and tools, but also runs of spaces and HTML's tags in Gemma's.
        let is_mark = |t: &str| t.starts_with('<') && t.ends_with('>') && (!in_pieces || t.contains('_'));
        let control = those(&|i, t| type_of(i) == CONTROL || (type_of(i) == USER_DEFINED && is_mark(t)));

        let id_of = |key: &str| file.number(key).and_then(|id| u32::try_from(id).ok());
        let token = |id: u32| tokens.get(id as usize).map(|t| (*t).to_owned());
        let ends_here = |(_, t): &(usize, &&str)| ENDS.contains(*t);
        let mut ends: HashSet<u32> =
            tokens.iter().enumerate().filter(ends_here).map(|(i, _)| i as u32).collect();
        ends.extend(id_of("tokenizer.ggml.eos_token_id"));
        ends.extend(id_of("tokenizer.ggml.eot_token_id"));
        let bos = id_of("tokenizer.ggml.bos_token_id").and_then(|id| Some((id, token(id)?)));
        let eos = id_of("tokenizer.ggml.eos_token_id").and_then(token);
        let alphabet = byte_level::alphabet();
        let bytes = tokens
            .iter()
            .enumerate()
            .map(|(i, t)| match type_of(i) {
                CONTROL | UNKNOWN => Box::default(),
                BYTE => byte(t).into_iter().collect(),
                USER_DEFINED => plain(t).into_bytes().into(),
                _ if in_pieces => plain(t).into_bytes().into(),
                _ => t.chars().filter_map(|c| alphabet.get(&c).copied()).collect(),
            })
            .collect();
        let add_bos = file.flag("tokenizer.ggml.add_bos_token").unwrap_or(in_pieces);
        Ok(Self { model, specials, control, bytes, ends, bos, eos, add_bos })
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

    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let mut ids = Vec::new();
        let mut first = true;
        for part in self.specials.split(text) {
            match (part, &self.model) {
                (Part::Token(id), _) => ids.push(id),
                (Part::Text(text), Model::SentencePiece(model)) => ids.extend(model.encode(text, first)?),
                (Part::Text(text), Model::ByteLevel(model)) => {
                    let encoding = model
                        .encode_fast(text, false)
                        .map_err(|e| ModelError::Failed(format!("the tokenizer failed: {e}")))?;
                    ids.extend_from_slice(encoding.get_ids());
                }
            }
            first = matches!(part, Part::Token(_));
        }
        Ok(ids)
    }

    /// `text` with every control token in it broken up, so that a document cannot pose as the system or end a turn.
    pub(super) fn harmless(&self, text: &str) -> String {
        self.control.broken_up(text)
    }

    /// Whether the model ends its turn with this token.
    pub(super) fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// What a token writes; nothing for control tokens.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], |b| b)
    }

    /// Whether a text begins with a space that belongs to no word.
    pub(super) fn space_in_front(&self) -> bool {
        matches!(&self.model, Model::SentencePiece(model) if model.space_in_front)
    }

    /// What its tokens write, for keeping texts to a shape.
    pub(super) fn vocabulary(&self) -> Vocabulary {
        Vocabulary::new(&self.bytes, self.ends.iter().copied().collect())
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

fn sentence_piece(file: &Metadata<'_>, tokens: &[&str], types: &[u64]) -> Result<SentencePiece, ModelError> {
    let scores = file
        .floats("tokenizer.ggml.scores")
        .filter(|scores| scores.len() == tokens.len())
        .ok_or_else(|| file.damaged("the file holds no scores for its tokenizer"))?;
    let is = |i: usize, kind: u64| types.get(i) == Some(&kind);
    let all = || tokens.iter().enumerate().zip(&scores);
    let is_piece = |i: usize| ![UNKNOWN, CONTROL, BYTE].iter().any(|kind| is(i, *kind));
    let pieces = all().filter(|((i, _), _)| is_piece(*i)).map(|((i, t), s)| ((*t).to_owned(), i as u32, *s));
    let bytes: HashMap<u8, u32> = all()
        .filter(|((i, _), _)| is(*i, BYTE))
        .filter_map(|((i, t), _)| Some((byte(t)?, i as u32)))
        .collect();
    let unknown = file.number("tokenizer.ggml.unknown_token_id").and_then(|id| u32::try_from(id).ok());
    let space = file.flag("tokenizer.ggml.add_space_prefix").unwrap_or(true);
    Ok(SentencePiece::new(pieces, bytes, unknown, space))
}

/// The byte that `<0xNN>` stands for.
fn byte(token: &str) -> Option<u8> {
    u8::from_str_radix(token.strip_prefix("<0x")?.strip_suffix('>')?, 16).ok()
}
