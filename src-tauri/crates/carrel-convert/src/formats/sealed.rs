//! Encrypted packages of OpenDocument: the manifest says of each part how it is encrypted.
//!
//! AES-256 in chains (LibreOffice, OpenOffice since 3.4) and Blowfish (before) with keys from PBKDF2; AES-256 in Galois/Counter Mode with
//! keys from Argon2id over the package as a whole (LibreOffice since 24.8). Others, such as keys of PGP, are refused by name. How often a
//! password is hashed, and in how much memory, is bounded: the file says it.
//! Invariant: a part whose checksum is another than the manifest's is not handed out.

use super::Source;
use super::encrypted::{Hash, cbc};
use super::encrypted97::unsupported;
use super::package::Package;
use super::xml::{Id, ROOT, Tree};
use aes::Aes256;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use blowfish::Blowfish;
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;

/// Most rounds of hashing; LibreOffice writes 100,000.
const MAX_ROUNDS: u32 = 1_000_000;
/// Most that Argon2id may cost; LibreOffice writes 3 passes over 64 MiB in 4 lanes.
const MAX_PASSES: u32 = 64;
const MAX_KIB: u32 = 512 << 10;
const MAX_LANES: u32 = 64;
/// Where a package that is encrypted as a whole lies.
pub(crate) const WHOLE: &str = "encrypted-package";
/// Bytes of the start and of the tag of Galois/Counter Mode.
const START: usize = 12;
const TAG: usize = 16;
/// Bytes over which a checksum goes.
const CHECKED: usize = 1024;

/// The parts of a package that are encrypted.
pub(super) struct Sealed {
    parts: HashMap<String, Part>,
    password: String,
}

/// How a part is encrypted.
struct Part {
    cipher: Cipher,
    start: Vec<u8>,
    /// How the password is hashed before it becomes a key.
    password: Hash,
    salt: Vec<u8>,
    derivation: Derivation,
    key_bytes: usize,
    /// Over the first bytes before they are unpacked.
    checksum: Option<(Hash, Vec<u8>)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Cipher {
    Aes,
    AesCounter,
    Blowfish,
}

/// How a key is made of a password.
enum Derivation {
    Pbkdf2 { rounds: u32 },
    Argon2(Params),
}

/// What is in a package that is encrypted as a whole.
pub(super) fn whole(source: &Source<'_>) -> Result<Vec<u8>, ConvertError> {
    let mut package = Package::open(source)?;
    package.unseal(source.password, WHOLE)?;
    let missing = || ConvertError::Damaged { detail: format!("its part {WHOLE} is missing") };
    package.part(WHOLE)?.ok_or_else(missing)
}

impl Sealed {
    /// What the manifest says; `None` where nothing is encrypted.
    pub(super) fn read(manifest: &Tree, password: Option<&str>) -> Result<Option<Self>, ConvertError> {
        let mut parts = HashMap::new();
        for entry in manifest.descendants(ROOT, "file-entry") {
            let Some(data) = manifest.child(entry, "encryption-data") else { continue };
            let name = manifest.attribute(entry, "full-path").unwrap_or_default();
            parts.insert(name.to_owned(), Part::read(manifest, data)?);
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let password = password.ok_or(ConvertError::NeedsPassword)?.to_owned();
        Ok(Some(Self { parts, password }))
    }

    /// A part in plain, still deflated; `None` where it is not encrypted.
    pub(super) fn open(&self, name: &str, bytes: &[u8]) -> Option<Result<Vec<u8>, ConvertError>> {
        Some(self.parts.get(name)?.open(bytes, &self.password))
    }
}

impl Part {
    fn read(manifest: &Tree, data: Id) -> Result<Self, ConvertError> {
        let unknown = || unsupported("OpenDocument", "in a way that is not known, such as with a key of PGP");
        let broken =
            || ConvertError::Damaged { detail: "the description of its encryption is not valid".into() };
        let of = |name: &str| manifest.child(data, name).ok_or_else(unknown);
        let text = |id: Id, name: &str| manifest.attribute(id, name).unwrap_or_default();
        let bytes = |id: Id, name: &str| {
            base64::engine::general_purpose::STANDARD.decode(text(id, name).trim()).map_err(|_| broken())
        };
        let (algorithm, derivation) = (of("algorithm")?, of("key-derivation")?);
        let cipher = text(algorithm, "algorithm-name").to_ascii_lowercase();
        let cipher = if cipher.ends_with("aes256-cbc") {
            Cipher::Aes
        } else if cipher.ends_with("aes256-gcm") {
            Cipher::AesCounter
        } else if cipher.contains("blowfish") {
            Cipher::Blowfish
        } else {
            return Err(unknown());
        };
        let key_bytes = text(derivation, "key-size").parse().unwrap_or(16);
        let number = |name: &str| text(derivation, name).parse::<u32>().map_err(|_| broken());
        let name = text(derivation, "key-derivation-name").to_ascii_lowercase();
        let how = if name.ends_with("pbkdf2") {
            let rounds = number("iteration-count")?;
            if rounds > MAX_ROUNDS {
                return Err(ConvertError::LimitExceeded { limit: "time" });
            }
            Derivation::Pbkdf2 { rounds }
        } else if name.ends_with("argon2id") {
            let (passes, memory) = (number("argon2-iterations")?, number("argon2-memory")?);
            let lanes = number("argon2-lanes")?;
            if passes > MAX_PASSES || memory > MAX_KIB || lanes > MAX_LANES {
                return Err(ConvertError::LimitExceeded { limit: "memory" });
            }
            Derivation::Argon2(Params::new(memory, passes, lanes, None).map_err(|_| broken())?)
        } else {
            return Err(unknown());
        };
        let hash = |name: &str| {
            if name.to_ascii_lowercase().contains("sha256") { Hash::Sha256 } else { Hash::Sha1 }
        };
        let generation = manifest.child(data, "start-key-generation");
        let password = generation.map_or("", |id| text(id, "start-key-generation-name"));
        let checksum = bytes(data, "checksum")?;
        let kind = hash(text(data, "checksum-type"));
        let part = Self {
            cipher,
            start: bytes(algorithm, "initialisation-vector")?,
            password: hash(password),
            salt: bytes(derivation, "salt")?,
            derivation: how,
            key_bytes,
            checksum: (!checksum.is_empty()).then_some((kind, checksum)),
        };
        let (start, key) = match cipher {
            Cipher::Aes => (16, 32..=32),
            Cipher::AesCounter => (START, 32..=32),
            Cipher::Blowfish => (8, 4..=56),
        };
        if part.start.len() != start || !key.contains(&part.key_bytes) { Err(broken()) } else { Ok(part) }
    }

    fn open(&self, bytes: &[u8], password: &str) -> Result<Vec<u8>, ConvertError> {
        let start = self.password.of(&[password.as_bytes()]);
        let mut key = vec![0; self.key_bytes];
        match &self.derivation {
            Derivation::Pbkdf2 { rounds } => {
                pbkdf2::pbkdf2_hmac::<sha1::Sha1>(&start, &self.salt, *rounds, &mut key);
            }
            Derivation::Argon2(params) => {
                Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
                    .hash_password_into(&start, &self.salt, &mut key)
                    .map_err(|_| broken())?;
            }
        }
        let plain = match self.cipher {
            Cipher::Aes => {
                let mut plain = cbc(&key, &self.start, bytes)?;
                // The last byte counts those that fill up the last block.
                let filled = plain.last().map_or(0, |last| usize::from(*last));
                plain.truncate(plain.len().saturating_sub(filled.min(16)));
                plain
            }
            Cipher::AesCounter => counted(&key, &self.start, bytes)?,
            Cipher::Blowfish => feedback(&key, &self.start, bytes)?,
        };
        match &self.checksum {
            Some((hash, sum)) if hash.of(&[plain.get(..CHECKED).unwrap_or(&plain)]) != *sum => {
                Err(ConvertError::WrongPassword)
            }
            _ => Ok(plain),
        }
    }
}

fn broken() -> ConvertError {
    ConvertError::Damaged { detail: "the description of its encryption is not valid".into() }
}

/// Decrypts what is encrypted in Galois/Counter Mode: its start stands before it, its tag behind it.
fn counted(key: &[u8], start: &[u8], bytes: &[u8]) -> Result<Vec<u8>, ConvertError> {
    let cipher = Aes256::new_from_slice(key).map_err(|_| broken())?;
    let encrypted = |block: u128| {
        let mut block = Array::from(block.to_be_bytes());
        cipher.encrypt_block(&mut block);
        u128::from_be_bytes(block.into())
    };
    let bytes = bytes.strip_prefix(start).unwrap_or(bytes);
    let (bytes, tag) = bytes.split_at_checked(bytes.len().saturating_sub(TAG)).ok_or_else(broken)?;
    let padded = |part: &[u8]| {
        let mut block = [0; 16];
        for (byte, given) in block.iter_mut().zip(part) {
            *byte = *given;
        }
        u128::from_be_bytes(block)
    };
    // The start, and a counter that is 1 for the tag.
    let first = padded(start) | 1;
    let hash = encrypted(0);
    let mut sum = 0;
    let mut out = Vec::with_capacity(bytes.len());
    for (part, number) in bytes.chunks(16).zip(1_u32..) {
        sum = product(sum ^ padded(part), hash);
        let mask = encrypted(first.wrapping_add(u128::from(number))).to_be_bytes();
        out.extend(part.iter().zip(mask).map(|(byte, mask)| byte ^ mask));
    }
    sum = product(sum ^ (bytes.len() as u128 * 8), hash);
    if padded(tag) == sum ^ encrypted(first) { Ok(out) } else { Err(ConvertError::WrongPassword) }
}

/// The product in the field of Galois/Counter Mode.
fn product(a: u128, b: u128) -> u128 {
    let (mut sum, mut b) = (0, b);
    for bit in (0..128).rev() {
        if a >> bit & 1 == 1 {
            sum ^= b;
        }
        b = b >> 1 ^ if b & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    sum
}

/// Decrypts with the feedback of the cipher: each block is what the one before it becomes, added.
fn feedback(key: &[u8], start: &[u8], bytes: &[u8]) -> Result<Vec<u8>, ConvertError> {
    let cipher: Blowfish = KeyInit::new_from_slice(key).map_err(|_| broken())?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut last = start.to_vec();
    for block in bytes.chunks(8) {
        let mut mask = Array::try_from(last.as_slice()).map_err(|_| broken())?;
        cipher.encrypt_block(&mut mask);
        out.extend(block.iter().zip(mask.iter()).map(|(byte, mask)| byte ^ mask));
        last = block.to_vec();
        last.resize(8, 0);
    }
    Ok(out)
}
