//! Files of the dense index: `dense-<generation>-<seq>.usearch`.
//!
//! A file is usearch's own, followed by the passage ids in it and a footer with a checksum over everything; usearch stops
//! reading before them. Written aside, synced, renamed; then the older ones go. Refuses to hand usearch a file that is not
//! byte for byte what was written. Invariant: the number in the name is the change sequence that the file holds.

use super::error;
use crate::domain::{ChangeSeq, GenerationId};
use crate::fault;
use crate::seams::IndexError;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"CarrelD1";
const SUFFIX: &str = ".usearch";
const FOOTER: u64 = 8 + 8 + 8 + 32 + 32;

/// A saved dense index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DenseFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) seq: ChangeSeq,
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> IndexError + '_ {
    move |e| error(format!("{}: {e}", path.display()))
}

/// Generation and sequence in a file's name.
fn parse(name: &str) -> Option<(GenerationId, ChangeSeq)> {
    let (generation, seq) = name.strip_prefix("dense-")?.strip_suffix(SUFFIX)?.split_once('-')?;
    Some((GenerationId(generation.parse().ok()?), ChangeSeq(seq.parse().ok()?)))
}

fn names(folder: &Path) -> Result<Vec<String>, IndexError> {
    let entries = std::fs::read_dir(folder).map_err(io(folder))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

impl DenseFile {
    /// The newest file of a generation.
    pub(crate) fn newest(folder: &Path, generation: GenerationId) -> Result<Option<Self>, IndexError> {
        let files = names(folder)?.into_iter().filter_map(|name| {
            let (of, seq) = parse(&name)?;
            (of == generation).then(|| Self { path: folder.join(name), seq })
        });
        Ok(files.max_by_key(|file| file.seq))
    }

    /// Writes a file: `write` lets usearch write to the path given, `keys` are the passages in it. Older files of the
    /// generation are removed when the new one is safe.
    pub(crate) fn save(
        folder: &Path,
        generation: GenerationId,
        seq: ChangeSeq,
        space: &str,
        keys: impl ExactSizeIterator<Item = u64>,
        write: impl FnOnce(&Path) -> Result<(), IndexError>,
    ) -> Result<Self, IndexError> {
        fault::point("dense.before_save");
        let path = folder.join(format!("dense-{generation}-{seq}{SUFFIX}"));
        let aside = folder.join(format!("dense-{generation}-{seq}{SUFFIX}.new"));
        write(&aside)?;
        finish(&aside, space, keys).map_err(io(&aside))?;
        fault::point("dense.after_temporary_written");
        std::fs::rename(&aside, &path).map_err(io(&path))?;
        sync_folder(folder).map_err(io(folder))?;
        fault::point("dense.after_rename");
        let saved = Self { path, seq };
        for name in names(folder)? {
            let own = name.strip_suffix(".new").unwrap_or(&name);
            let stale =
                parse(own).is_some_and(|(of, of_seq)| of == generation && (of_seq != seq || own != name));
            if stale {
                // An older file that stays is only room lost: the newest is read.
                if let Err(e) = std::fs::remove_file(folder.join(&name)) {
                    tracing::warn!("{name}: {e}");
                }
            }
        }
        Ok(saved)
    }

    /// Proves that the file is what was written, for this space, and returns the passages in it.
    pub(crate) fn verify(&self, space: &str) -> Result<Vec<u64>, IndexError> {
        self.read(space).map_err(io(&self.path))
    }

    fn read(&self, space: &str) -> std::io::Result<Vec<u64>> {
        let damaged = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        if length < FOOTER {
            return Err(damaged("the file is cut off"));
        }
        file.seek(SeekFrom::Start(length - FOOTER))?;
        let mut footer = [0; FOOTER as usize];
        file.read_exact(&mut footer)?;
        let number = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&footer[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        if &footer[..8] != MAGIC {
            return Err(damaged("the file is cut off or not of this program"));
        }
        let (body, count) = (number(8), number(16));
        if count.checked_mul(8).and_then(|keys| body.checked_add(keys)?.checked_add(FOOTER)) != Some(length) {
            return Err(damaged("the file has another length than it says"));
        }
        if footer[24..56] != padded(space) {
            return Err(damaged("the file is of another embedding space"));
        }
        let checked = length - 32;
        file.seek(SeekFrom::Start(0))?;
        let hash = checksum(&mut BufReader::with_capacity(1 << 20, &file).take(checked))?;
        if footer[56..] != *hash.as_bytes() {
            return Err(damaged("the checksum of the file does not match"));
        }
        file.seek(SeekFrom::Start(body))?;
        let mut bytes = vec![0; count as usize * 8];
        file.read_exact(&mut bytes)?;
        let keys = bytes.chunks_exact(8).map(|chunk| {
            let mut key = [0; 8];
            key.copy_from_slice(chunk);
            u64::from_le_bytes(key)
        });
        Ok(keys.collect())
    }
}

/// The space's key in 32 bytes.
fn padded(space: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    let n = space.len().min(32);
    bytes[..n].copy_from_slice(&space.as_bytes()[..n]);
    bytes
}

fn checksum(reader: &mut impl Read) -> std::io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(hasher.finalize()),
            n => hasher.update(&buffer[..n]),
        };
    }
}

/// Appends keys and footer to what usearch wrote, and syncs.
fn finish(path: &Path, space: &str, keys: impl ExactSizeIterator<Item = u64>) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let body = file.seek(SeekFrom::End(0))?;
    let count = keys.len() as u64;
    {
        let mut writer = BufWriter::with_capacity(1 << 20, &mut file);
        for key in keys {
            writer.write_all(&key.to_le_bytes())?;
        }
        writer.write_all(MAGIC)?;
        writer.write_all(&body.to_le_bytes())?;
        writer.write_all(&count.to_le_bytes())?;
        writer.write_all(&padded(space))?;
        writer.flush()?;
    }
    file.seek(SeekFrom::Start(0))?;
    let hash = checksum(&mut BufReader::with_capacity(1 << 20, &file))?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(hash.as_bytes())?;
    file.sync_all()
}

/// Makes a rename in a folder durable.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Deletes the files of a generation, finished or not.
pub(crate) fn remove_generation(folder: &Path, generation: GenerationId) -> Result<(), IndexError> {
    for name in names(folder)? {
        let own = name.strip_suffix(".new").unwrap_or(&name);
        if parse(own).is_some_and(|(of, _)| of == generation) {
            let path = folder.join(&name);
            std::fs::remove_file(&path).map_err(io(&path))?;
        }
    }
    Ok(())
}
