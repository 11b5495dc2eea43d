//! A stream of a compound file changed inside it.

use super::{Bytewise, Random, change};
use cfb::CompoundFile;
use std::io::{Cursor, Read, Write};
use std::path::PathBuf;

/// What is read of a stream.
const MAX_STREAM: u64 = 1 << 20;

/// `None` where it does not open, or would be too large.
pub(super) fn mutate(
    input: &[u8],
    most: usize,
    random: &mut Random,
    bytewise: &mut Bytewise<'_>,
) -> Option<Vec<u8>> {
    let mut file = CompoundFile::open(Cursor::new(input.to_vec())).ok()?;
    let streams: Vec<PathBuf> =
        file.walk().filter(cfb::Entry::is_stream).map(|entry| entry.path().to_path_buf()).collect();
    let path = streams.get(random.below(streams.len()))?;
    let mut bytes = Vec::new();
    let mut stream = file.open_stream(path).ok()?;
    Read::take(&mut stream, MAX_STREAM).read_to_end(&mut bytes).ok()?;
    drop(stream);
    let room = most.saturating_sub(input.len()) + bytes.len();
    for _ in 0..=random.below(3) {
        change(&mut bytes, room, random, bytewise);
    }
    let mut stream = file.create_stream(path).ok()?;
    stream.write_all(&bytes).ok()?;
    drop(stream);
    file.flush().ok()?;
    Some(file.into_inner().into_inner()).filter(|packed| packed.len() <= most)
}
