//! Byte-level byte pairs (GPT-2's), with the ways in which the families cut texts first.

use super::super::gguf::Metadata;
use carrel_engine::seams::ModelError;
use std::collections::HashMap;
use tokenizers::PreTokenizerWrapper;
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;

const LLAMA3: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Builds the tokenizer of `tokens`.
pub(super) fn read(file: &Metadata<'_>, tokens: &[&str]) -> Result<tokenizers::Tokenizer, ModelError> {
    let merges = file.texts("tokenizer.ggml.merges").unwrap_or_default();
    let merges = merges
        .iter()
        .map(|m| m.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| file.damaged("a merge of its tokenizer cannot be read"))?;
    let vocabulary: tokenizers::models::bpe::Vocab =
        tokens.iter().enumerate().map(|(i, t)| ((*t).to_owned(), i as u32)).collect();
    let pre = file.text("tokenizer.ggml.pre").unwrap_or("default");
    let unreadable = |e: tokenizers::Error| file.damaged(format!("its tokenizer cannot be built: {e}"));
    let bpe = BPE::builder()
        .vocab_and_merges(vocabulary, merges)
        .ignore_merges(matches!(pre, "llama-bpe" | "llama3" | "llama-v3"))
        .build()
        .map_err(unreadable)?;
    let mut tokenizer = tokenizers::Tokenizer::new(bpe);
    if pre == "qwen2" {
        tokenizer.with_normalizer(Some(NFC)).map_err(unreadable)?;
    }
    tokenizer.with_pre_tokenizer(Some(pre_tokenizer(pre, file)?));
    Ok(tokenizer)
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
        "qwen2" | "deepseek-r1-qwen" => split(QWEN2),
        other => Err(file.damaged(format!("the splitting rule of its tokenizer ({other}) is not supported"))),
    }
}

/// The characters that stand for bytes in byte-level vocabularies (GPT-2's table).
pub(super) fn alphabet() -> HashMap<char, u8> {
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
