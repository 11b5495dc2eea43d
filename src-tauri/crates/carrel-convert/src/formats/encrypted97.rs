//! Encryption of Office 97–2003: RC4 with a key from MD5 (Office 97 and 2000) or from SHA-1 (2002 and 2003, `CryptoAPI`).
//!
//! What is read here is a stream in plain text; what it holds is the business of its format. The obfuscation of Excel 95 and of Word 95
//! (XOR) and other schemes are refused by name. Invariant: a password is known to be right before a byte is decrypted with it.

use super::encrypted::{Hash, KNOWN_TO_ALL};
use super::ole::{u16_at, u32_at};
use carrel_engine::seams::ConvertError;
use md5::{Digest, Md5};

/// A key that fits the file.
pub(super) struct Key {
    hash: Vec<u8>,
    scheme: Scheme,
}

#[derive(Clone, Copy)]
enum Scheme {
    Md5,
    /// Bytes of a key.
    Sha1(usize),
}

/// Why there is no key.
pub(super) fn unsupported(program: &str, how: &str) -> ConvertError {
    ConvertError::UnsupportedFormat {
        format: format!("{program} (encrypted {how}; a copy saved without a password can be read)"),
    }
}

impl Key {
    /// From a header of encryption, which begins with its version. A file without a password of its own opens with the one that every
    /// Office knows.
    pub(super) fn open(header: &[u8], password: Option<&str>, program: &str) -> Result<Self, ConvertError> {
        let broken =
            || ConvertError::Damaged { detail: "the description of its encryption is not valid".into() };
        let scheme = match (u16_at(header, 0), u16_at(header, 2)) {
            (Some(1), Some(1)) => None,
            (Some(2..=4), Some(2)) => Some(u32_at(header, 8).ok_or_else(broken)? as usize),
            (Some(_), Some(_)) => return Err(unsupported(program, "in a way of its own")),
            _ => return Err(broken()),
        };
        let with = password.unwrap_or(KNOWN_TO_ALL);
        let (key, verifier, expected) = match scheme {
            None => Self::md5(header, with).ok_or_else(broken)?,
            Some(size) => {
                // RC4 with SHA-1, and nothing else.
                let algorithm = u32_at(header, 12 + 8).unwrap_or_default();
                if !matches!(algorithm, 0 | 0x6801) {
                    return Err(unsupported(program, "in a way of its own"));
                }
                Self::sha1(header, size, with).ok_or_else(broken)?
            }
        };
        let mut both = [verifier, expected].concat();
        key.cipher(0).apply(&mut both);
        let (verifier, expected) = both.split_at(16);
        let own = match key.scheme {
            Scheme::Md5 => Md5::digest(verifier).to_vec(),
            Scheme::Sha1(_) => Hash::Sha1.of(&[verifier]),
        };
        if expected.starts_with(&own) {
            Ok(key)
        } else if password.is_some() {
            Err(ConvertError::WrongPassword)
        } else {
            Err(ConvertError::NeedsPassword)
        }
    }

    fn md5<'a>(header: &'a [u8], password: &str) -> Option<(Self, &'a [u8], &'a [u8])> {
        let salt = header.get(4..20)?;
        let first = Md5::digest(wide(password));
        let mut again = Md5::new();
        for _ in 0..16 {
            again.update(&first[..5]);
            again.update(salt);
        }
        let hash = again.finalize()[..5].to_vec();
        Some((Self { hash, scheme: Scheme::Md5 }, header.get(20..36)?, header.get(36..52)?))
    }

    fn sha1<'a>(header: &'a [u8], size: usize, password: &str) -> Option<(Self, &'a [u8], &'a [u8])> {
        let bits = u32_at(header, 12 + 16)?;
        // Nothing told is 40 bits.
        let bytes = if bits == 0 { 5 } else { bits as usize / 8 };
        let verifier = header.get(size.checked_add(12)?..)?;
        if !(5..=16).contains(&bytes) || u32_at(verifier, 0)? != 16 {
            return None;
        }
        let hash = Hash::Sha1.of(&[verifier.get(4..20)?, &wide(password)]);
        let key = Self { hash, scheme: Scheme::Sha1(bytes) };
        Some((key, verifier.get(20..36)?, verifier.get(40..60)?))
    }

    /// The cipher of a block.
    pub(super) fn cipher(&self, block: u32) -> Rc4 {
        match self.scheme {
            Scheme::Md5 => {
                let mut hash = Md5::new();
                hash.update(&self.hash);
                hash.update(block.to_le_bytes());
                Rc4::new(&hash.finalize())
            }
            Scheme::Sha1(bytes) => {
                let mut key = Hash::Sha1.of(&[&self.hash, &block.to_le_bytes()]);
                key.truncate(bytes);
                // Keys of 40 bits are filled up.
                if bytes == 5 {
                    key.resize(16, 0);
                }
                Rc4::new(&key)
            }
        }
    }

    /// Decrypts a stream in place, which is encrypted in blocks of `size`.
    pub(super) fn apply(&self, stream: &mut [u8], size: usize) {
        for (block, number) in stream.chunks_mut(size).zip(0..) {
            self.cipher(number).apply(block);
        }
    }
}

fn wide(password: &str) -> Vec<u8> {
    password.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The stream cipher.
pub(super) struct Rc4 {
    state: [u8; 256],
    i: u8,
    j: u8,
}

impl Rc4 {
    /// With a key of one byte or more.
    fn new(key: &[u8]) -> Self {
        let mut state = [0; 256];
        for (byte, number) in state.iter_mut().zip(0_u8..=255) {
            *byte = number;
        }
        let mut j = 0_u8;
        for (i, key) in (0..256).zip(key.iter().cycle()) {
            j = j.wrapping_add(state[i]).wrapping_add(*key);
            state.swap(i, usize::from(j));
        }
        Self { state, i: 0, j: 0 }
    }

    pub(super) fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.i = self.i.wrapping_add(1);
            let (i, a) = (usize::from(self.i), self.state[usize::from(self.i)]);
            self.j = self.j.wrapping_add(a);
            let j = usize::from(self.j);
            self.state.swap(i, j);
            let sum = self.state[i].wrapping_add(self.state[j]);
            *byte ^= self.state[usize::from(sum)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rc4_is_what_its_test_vectors_say() {
        let mut text = *b"Plaintext";
        Rc4::new(b"Key").apply(&mut text);
        assert_eq!(text, [0xbb, 0xf3, 0x16, 0xe8, 0xd9, 0x40, 0xaf, 0x0a, 0xd3]);
    }
}
