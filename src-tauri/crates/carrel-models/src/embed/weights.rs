//! Reads tensors out of a safetensors file, one at a time, so that the file never lies in memory as a whole.

use carrel_engine::seams::ModelError;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// No header of a real model comes near it.
const LARGEST_HEADER: u64 = 64 << 20;

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
            // Some exports put the architecture's name in front.
            entries.insert(name.strip_prefix("bert.").map_or(name.clone(), str::to_owned), entry);
        }
        Ok(Self { file, data: 8 + length, entries, id: id.to_owned() })
    }

    /// The tensor `name` as f32; its shape must be `shape`.
    pub(crate) fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
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
        let count: usize = shape.iter().product();
        let (start, end) = entry.data_offsets;
        if end.checked_sub(start) != Some((count * width) as u64) {
            return Err(damaged(format!("the tensor {name} has the wrong size")));
        }
        let mut bytes = vec![0u8; count * width];
        self.file
            .seek(SeekFrom::Start(self.data + start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|e| damaged(format!("the tensor {name}: {e}")))?;
        Ok(match entry.dtype.as_str() {
            "F32" => bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            "F16" => bytes.as_chunks::<2>().0.iter().map(|b| half::f16::from_le_bytes(*b).to_f32()).collect(),
            _ => bytes.as_chunks::<2>().0.iter().map(|b| half::bf16::from_le_bytes(*b).to_f32()).collect(),
        })
    }
}
