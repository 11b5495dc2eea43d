//! Reads tensors out of a safetensors file, one at a time, so that the file never lies in memory as a whole.

use crate::kernels::Norm;
use carrel_engine::seams::ModelError;
use half::{bf16, f16};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// No header of a real model comes near it.
const LARGEST_HEADER: u64 = 64 << 20;
/// Names of encoders inside of models.
const PREFIXES: [&str; 3] = ["bert.", "roberta.", "model."];

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// An open safetensors file.
pub(crate) struct Weights {
    file: File,
    data: u64,
    entries: HashMap<String, Entry>,
    id: String,
}

impl Weights {
    /// Reads the header. `id` names the model in errors.
    pub(crate) fn open(path: &Path, id: &str) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged {
            id: id.to_owned(),
            detail: format!("{}: {detail}", path.display()),
        };
        let mut file = File::open(path).map_err(|e| damaged(e.to_string()))?;
        let mut length = [0u8; 8];
        file.read_exact(&mut length).map_err(|e| damaged(e.to_string()))?;
        let length = u64::from_le_bytes(length);
        if length > LARGEST_HEADER {
            return Err(damaged("it is not a safetensors file".into()));
        }
        let mut header = vec![0u8; length as usize];
        file.read_exact(&mut header).map_err(|e| damaged(e.to_string()))?;
        let mut header: HashMap<String, serde_json::Value> =
            serde_json::from_slice(&header).map_err(|e| damaged(e.to_string()))?;
        header.remove("__metadata__");
        let mut entries = HashMap::new();
        for (name, value) in header {
            let entry = serde_json::from_value(value).map_err(|e| damaged(format!("tensor {name}: {e}")))?;
            // What was made for a task puts the name of its encoder in front.
            let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
            entries.insert(bare.unwrap_or(&name).to_owned(), entry);
        }
        Ok(Self { file, data: 8 + length, entries, id: id.to_owned() })
    }

    /// Whether there is a tensor `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The tensor `name` as f32; its shape must be `shape`.
    pub(crate) fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let count = shape.iter().product();
        Ok(self.numbers(name, shape, 0..count)?.single())
    }

    /// One row of a table.
    pub(crate) fn row(
        &mut self,
        name: &str,
        rows: usize,
        width: usize,
        row: u32,
    ) -> Result<Vec<f32>, ModelError> {
        let first = row as usize * width;
        Ok(self.numbers(name, &[rows, width], first..first + width)?.single())
    }

    /// A table of `rows` words.
    pub(crate) fn table(&mut self, name: &str, rows: usize, width: usize) -> Result<Table, ModelError> {
        Ok(Table { numbers: self.numbers(name, &[rows, width], 0..rows * width)?, width })
    }

    /// A layer normalisation; one without a shift shifts by nothing.
    pub(crate) fn norm(&mut self, name: &str, width: usize, epsilon: f32) -> Result<Norm, ModelError> {
        let bias = format!("{name}.bias");
        Ok(Norm {
            weight: self.read(&format!("{name}.weight"), &[width])?,
            bias: if self.has(&bias) { self.read(&bias, &[width])? } else { vec![0.0; width] },
            epsilon,
        })
    }

    /// The numbers of a tensor in `range`, counted as they lie.
    fn numbers(&mut self, name: &str, shape: &[usize], range: Range<usize>) -> Result<Numbers, ModelError> {
        let damaged = |detail: String| ModelError::Damaged { id: self.id.clone(), detail };
        let entry = self.entries.get(name).ok_or_else(|| damaged(format!("the tensor {name} is missing")))?;
        if entry.shape != shape {
            return Err(damaged(format!(
                "the tensor {name} has shape {:?} instead of {shape:?}",
                entry.shape
            )));
        }
        let width = match entry.dtype.as_str() {
            "F32" => 4,
            "F16" | "BF16" => 2,
            other => return Err(damaged(format!("the tensor {name} has the unreadable type {other}"))),
        };
        let length = shape.iter().product::<usize>() * width;
        let (start, end) = entry.data_offsets;
        if end.checked_sub(start) != Some(length as u64) || range.end * width > length {
            return Err(damaged(format!("the tensor {name} has the wrong size")));
        }
        let mut bytes = vec![0u8; range.len() * width];
        self.file
            .seek(SeekFrom::Start(self.data + start + (range.start * width) as u64))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|e| damaged(format!("the tensor {name}: {e}")))?;
        Ok(match entry.dtype.as_str() {
            "F32" => {
                Numbers::Single(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
            }
            "F16" => Numbers::Half(bytes.as_chunks::<2>().0.iter().map(|b| f16::from_le_bytes(*b)).collect()),
            _ => Numbers::Brain(bytes.as_chunks::<2>().0.iter().map(|b| bf16::from_le_bytes(*b)).collect()),
        })
    }
}

/// Numbers as they lie in the file.
enum Numbers {
    Single(Vec<f32>),
    Half(Vec<f16>),
    Brain(Vec<bf16>),
}

impl Numbers {
    fn single(self) -> Vec<f32> {
        match self {
            Self::Single(numbers) => numbers,
            Self::Half(numbers) => numbers.iter().map(|v| v.to_f32()).collect(),
            Self::Brain(numbers) => numbers.iter().map(|v| v.to_f32()).collect(),
        }
    }
}

/// Rows of words, as wide as the file has them: of a model of many languages they are most of its size.
pub(crate) struct Table {
    numbers: Numbers,
    width: usize,
}

impl Table {
    /// Puts the row of `token` into `out`.
    pub(crate) fn row(&self, token: u32, out: &mut [f32]) -> Result<(), ModelError> {
        let at = token as usize * self.width..(token as usize + 1) * self.width;
        let found = match &self.numbers {
            Numbers::Single(n) => n.get(at).map(|row| out.copy_from_slice(row)),
            Numbers::Half(n) => {
                n.get(at).map(|row| out.iter_mut().zip(row).for_each(|(o, v)| *o = v.to_f32()))
            }
            Numbers::Brain(n) => {
                n.get(at).map(|row| out.iter_mut().zip(row).for_each(|(o, v)| *o = v.to_f32()))
            }
        };
        found.ok_or_else(|| ModelError::Failed(format!("the tokenizer made the unknown token {token}")))
    }
}
