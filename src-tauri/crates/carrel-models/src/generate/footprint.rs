//! What a model will take of memory, told by the header of its file.

use super::config::Config;
use super::decoder::LARGEST_PIECE;
use super::gguf::Metadata;
use super::matrix::Matrix;
use super::{WORKING_TOKENS, header};
use carrel_engine::seams::ModelError;
use half::f16;
use std::path::Path;

const FLOAT: u64 = 4;
/// A token of the vocabulary: its text in the tables of the tokenizer; measured.
const PIECE: u64 = 300;
/// The same with its merges.
const MERGED: u64 = 1_200;
/// Threads that compare a piece of a prompt with what stands before it at the same time.
const ATTENDING: u64 = 2;

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Weights and tokenizer, as long as the model is loaded.
    weights: u64,
    /// Keys and values of one token.
    token: u64,
    /// What reading a prompt needs besides.
    reading: u64,
    context: u64,
}

impl Footprint {
    /// Looks at the header of a GGUF file; reads no weights.
    pub(crate) fn read(id: &str, path: &Path) -> Result<Self, ModelError> {
        let (content, _) = header(id, path)?;
        let meta = Metadata::new(&content, id);
        let config = Config::read(&meta)?;
        let (mut weights, mut largest) = (0, 0);
        for (name, info) in &content.tensor_infos {
            match *info.shape.dims() {
                [outputs, inputs] => {
                    // The last step meets its matrix with one row alone.
                    let alone = !name.starts_with("blk.");
                    weights += Matrix::bytes(info.ggml_dtype, outputs, inputs, alone);
                    if !alone {
                        largest = largest.max(Matrix::unpacked_bytes(info.ggml_dtype, outputs, inputs));
                    }
                }
                _ => weights += info.shape.elem_count() as u64 * FLOAT,
            }
        }
        let tokens = meta.texts("tokenizer.ggml.tokens").map_or(0, |tokens| tokens.len()) as u64;
        let merges = meta.text("tokenizer.ggml.model") == Some("gpt2");
        weights += tokens * if merges { MERGED } else { PIECE };
        let (rows, working) = (LARGEST_PIECE as u64, WORKING_TOKENS.min(config.context) as u64);
        let numbers = 3 * config.width + 3 * config.query_width() + 2 * config.kv_width() + 2 * config.inner;
        let attended = 2 * working * config.kv_width() as u64;
        let reading = largest + FLOAT * (rows * (numbers as u64 + ATTENDING * working) + attended);
        let token = (2 * config.layers * config.kv_width() * size_of::<f16>()) as u64;
        Ok(Self { weights, token, reading, context: config.context as u64 })
    }

    /// While it answers a question of the usual length.
    pub(crate) fn working(&self) -> u64 {
        self.weights + self.reading + self.token * (WORKING_TOKENS as u64).min(self.context)
    }

    /// What a request of so many tokens takes beyond that.
    pub(super) fn beyond(&self, tokens: usize) -> u64 {
        self.token * tokens.saturating_sub(WORKING_TOKENS) as u64
    }
}
