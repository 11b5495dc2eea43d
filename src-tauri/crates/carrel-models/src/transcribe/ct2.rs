//! Reads Whisper's tensors out of a `CTranslate2` file: a list of variables, each with name, shape, type and bytes.
//!
//! Lengths in the file are claims: nothing is allocated for more than the file holds.

use carrel_engine::seams::ModelError;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The layout of the file.
const VERSION: u32 = 6;
/// The kind of model that it must hold.
const SPEC: &str = "WhisperSpec";
/// No real file comes near these.
const MOST_VARIABLES: u32 = 1 << 16;
const MOST_DIMENSIONS: u8 = 4;

struct Entry {
    shape: Vec<usize>,
    kind: u8,
    bytes: u32,
    at: u64,
}

/// An open file.
pub(super) struct Ct2 {
    file: BufReader<File>,
    entries: HashMap<String, Entry>,
    id: String,
}

impl Ct2 {
    /// Reads the list of variables. `id` names the model in errors.
    pub(super) fn open(path: &Path, id: &str) -> Result<Self, ModelError> {
        let read = || -> io::Result<Self> {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            let mut file = BufReader::new(file);
            if u32::from_le_bytes(take(&mut file)?) != VERSION || name(&mut file)? != SPEC {
                return Err(io::Error::other(
                    "it is no Whisper model of CTranslate2 in the layout that is known",
                ));
            }
            let _revision: [u8; 4] = take(&mut file)?;
            let count = u32::from_le_bytes(take(&mut file)?);
            if count > MOST_VARIABLES {
                return Err(io::Error::other("its list of variables is damaged"));
            }
            let mut entries = HashMap::new();
            for _ in 0..count {
                let (name, entry) = entry(&mut file, size)?;
                entries.insert(name, entry);
            }
            Ok(Self { file, entries, id: id.to_owned() })
        };
        read().map_err(|error| ModelError::Damaged {
            id: id.to_owned(),
            detail: format!("{}: {error}", path.display()),
        })
    }

    /// The shape of a variable.
    pub(super) fn shape(&self, name: &str) -> Result<&[usize], ModelError> {
        self.entries.get(name).map(|entry| entry.shape.as_slice()).ok_or_else(|| self.missing(name))
    }

    /// Whether there is such a variable.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The variable `name` as f32; its shape must be `shape`.
    pub(super) fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let entry = self.entries.get(name).ok_or_else(|| self.missing(name))?;
        if entry.shape != shape {
            let detail = format!("the tensor {name} has shape {:?} instead of {shape:?}", entry.shape);
            return Err(self.damaged(detail));
        }
        let width = match entry.kind {
            FLOAT32 => 4,
            FLOAT16 => 2,
            other => return Err(self.damaged(format!("the tensor {name} has the unreadable type {other}"))),
        };
        let count: usize = shape.iter().product();
        if entry.bytes as usize != count * width {
            return Err(self.damaged(format!("the tensor {name} has the wrong size")));
        }
        let (at, wide) = (entry.at, width == 4);
        let mut bytes = vec![0; count * width];
        let done = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut bytes));
        done.map_err(|error| self.damaged(format!("the tensor {name}: {error}")))?;
        Ok(if wide {
            bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
        } else {
            bytes.as_chunks::<2>().0.iter().map(|b| half::f16::from_le_bytes(*b).to_f32()).collect()
        })
    }

    pub(super) fn damaged(&self, detail: String) -> ModelError {
        ModelError::Damaged { id: self.id.clone(), detail }
    }

    fn missing(&self, name: &str) -> ModelError {
        self.damaged(format!("the tensor {name} is missing"))
    }
}

/// Types of variables that are read.
const FLOAT32: u8 = 0;
const FLOAT16: u8 = 4;

fn take<const N: usize>(file: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A name with its length before it and a NUL behind.
fn name(file: &mut impl Read) -> io::Result<String> {
    let length = u16::from_le_bytes(take(file)?);
    let mut bytes = vec![0; usize::from(length)];
    file.read_exact(&mut bytes)?;
    bytes.pop();
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn entry(file: &mut BufReader<File>, size: u64) -> io::Result<(String, Entry)> {
    let name = name(file)?;
    let [rank] = take(file)?;
    if rank > MOST_DIMENSIONS {
        return Err(io::Error::other(format!("the tensor {name} has {rank} dimensions")));
    }
    let mut shape = Vec::new();
    for _ in 0..rank {
        shape.push(u32::from_le_bytes(take(file)?) as usize);
    }
    let [kind] = take(file)?;
    let bytes = u32::from_le_bytes(take(file)?);
    let at = file.stream_position()?;
    if at + u64::from(bytes) > size {
        return Err(io::Error::other(format!("the tensor {name} ends behind the file")));
    }
    file.seek_relative(i64::from(bytes))?;
    Ok((name, Entry { shape, kind, bytes, at }))
}
