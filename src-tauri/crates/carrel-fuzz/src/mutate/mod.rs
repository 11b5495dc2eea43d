//! Changes to an input that keep enough of its structure to get past the first check.
//!
//! A container is opened, one part is changed, and it is packed again. In text an element, a group, some lines or some bytes
//! are left out, moved, repeated or nested: repeating and nesting is what finds slow and deep paths.

mod compound;
mod piece;
mod zip;

use crate::table::Shape;
pub use carrel_engine::random::Random;

/// Changes some bytes, which may become no more than so many: what libFuzzer does by itself.
pub type Bytewise<'a> = dyn FnMut(&mut Vec<u8>, usize) + 'a;

/// A changed input of at most `most` bytes.
pub fn mutate(
    shape: Shape,
    input: &[u8],
    most: usize,
    random: &mut Random,
    bytewise: &mut Bytewise<'_>,
) -> Vec<u8> {
    let inside = match shape {
        _ if random.below(8) == 0 => None,
        Shape::Plain => None,
        Shape::Zip => zip::mutate(input, most, random, bytewise),
        Shape::Compound => compound::mutate(input, most, random, bytewise),
    };
    inside.unwrap_or_else(|| {
        let mut bytes = input.to_vec();
        change(&mut bytes, most, random, bytewise);
        bytes
    })
}

/// Changes the bytes of a part: by pieces, or one by one.
fn change(bytes: &mut Vec<u8>, most: usize, random: &mut Random, bytewise: &mut Bytewise<'_>) {
    if bytes.len() < 4 || random.below(2) == 0 || !piece::change(bytes, most, random) {
        bytewise(bytes, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read, Write};

    #[expect(clippy::ptr_arg, reason = "as libFuzzer's own change, which may make it longer")]
    fn flip(bytes: &mut Vec<u8>, _: usize) {
        if let Some(byte) = bytes.first_mut() {
            *byte ^= 1;
        }
    }

    #[test]
    fn a_part_inside_an_archive_changes_and_the_archive_opens() {
        let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["a.xml", "b.xml"] {
            writer.start_file(name, ::zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(b"<a><b>words</b><b/></a>").unwrap();
        }
        let input = writer.finish().unwrap().into_inner();
        let mut changed = 0;
        for seed in 0..200 {
            let out = mutate(Shape::Zip, &input, 4_000, &mut Random::new(seed), &mut flip);
            assert!(out.len() <= 4_000);
            let Ok(mut archive) = ::zip::ZipArchive::new(Cursor::new(out)) else { continue };
            for i in 0..archive.len() {
                let mut text = Vec::new();
                let sound = archive.by_index(i).is_ok_and(|mut part| part.read_to_end(&mut text).is_ok());
                changed += usize::from(sound && text != b"<a><b>words</b><b/></a>");
            }
        }
        assert!(changed > 50, "{changed} changed parts");
    }

    #[test]
    fn a_stream_inside_a_compound_file_changes_and_the_file_opens() {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        file.create_stream("/words").unwrap().write_all(&[7; 5_000]).unwrap();
        file.flush().unwrap();
        let input = file.into_inner().into_inner();
        let mut changed = 0;
        for seed in 0..50 {
            let out = mutate(Shape::Compound, &input, 60_000, &mut Random::new(seed), &mut flip);
            let Ok(mut file) = cfb::CompoundFile::open(Cursor::new(out)) else { continue };
            let mut bytes = Vec::new();
            if file.open_stream("/words").is_ok_and(|mut stream| stream.read_to_end(&mut bytes).is_ok()) {
                changed += usize::from(bytes != [7; 5_000]);
            }
        }
        assert!(changed > 20, "{changed} changed streams");
    }
}
