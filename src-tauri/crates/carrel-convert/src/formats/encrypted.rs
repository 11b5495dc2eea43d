//! Encrypted packages of Office Open XML, in the two forms that Office writes: agile and standard.
//!
//! A file that is only protected against writing is encrypted with a password that every Office knows, and opens without one.
//! How often a password is hashed is bounded: the file says it.

use super::Source;
use super::ole::{Ole, u16_at, u32_at};
use super::xml::{Id, ROOT, Tree};
use aes::cipher::{Array, BlockCipherDecrypt, KeyInit};
use base64::Engine as _;
use carrel_engine::seams::ConvertError;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// Most rounds of hashing; Office writes 100,000.
const MAX_SPIN: u32 = 1_000_000;
/// Bytes that the agile form encrypts together.
const SEGMENT: usize = 4096;
const BLOCK: usize = 16;
/// What Office encrypts with where the user gave no password.
pub(super) const KNOWN_TO_ALL: &str = "VelvetSweatshop";

/// What was in an envelope.
pub(super) struct Opened {
    pub(super) package: Vec<u8>,
    /// The checksum over what is encrypted is another than the one that the file states.
    pub(super) altered: bool,
}

/// The package inside.
pub(super) fn open(source: &Source<'_>) -> Result<Opened, ConvertError> {
    let mut file = Ole::open(source)?;
    let info = file.needed("EncryptionInfo")?;
    let package = file.needed("EncryptedPackage")?;
    let scheme = Scheme::read(&info)?;
    let opened = match source.password {
        Some(password) => scheme.decrypt(password, &package)?,
        None => scheme.decrypt(KNOWN_TO_ALL, &package)?,
    };
    opened.ok_or(match source.password {
        Some(_) => ConvertError::WrongPassword,
        None => ConvertError::NeedsPassword,
    })
}

fn damaged(what: &str) -> ConvertError {
    ConvertError::Damaged { detail: format!("its encryption cannot be read: {what}") }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    fn named(name: &str) -> Option<Self> {
        Some(match name.replace('-', "").to_ascii_uppercase().as_str() {
            "SHA1" => Self::Sha1,
            "SHA256" => Self::Sha256,
            "SHA384" => Self::Sha384,
            "SHA512" => Self::Sha512,
            _ => return None,
        })
    }

    /// HMAC of a text.
    fn keyed(self, key: &[u8], text: &[u8]) -> Vec<u8> {
        let block = if matches!(self, Self::Sha384 | Self::Sha512) { 128 } else { 64 };
        let mut padded = if key.len() > block { self.of(&[key]) } else { key.to_vec() };
        padded.resize(block, 0);
        let pad = |with: u8| padded.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
        self.of(&[&pad(0x5c), &self.of(&[&pad(0x36), text])])
    }

    /// Bytes of a hash.
    fn size(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// The hash of parts that follow each other.
    pub(super) fn of(self, parts: &[&[u8]]) -> Vec<u8> {
        fn digest<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
            let mut digest = D::new();
            for part in parts {
                digest.update(part);
            }
            digest.finalize().to_vec()
        }
        match self {
            Self::Sha1 => digest::<Sha1>(parts),
            Self::Sha256 => digest::<Sha256>(parts),
            Self::Sha384 => digest::<Sha384>(parts),
            Self::Sha512 => digest::<Sha512>(parts),
        }
    }

    /// The password hashed again and again.
    fn spun(self, salt: &[u8], password: &str, rounds: u32) -> Vec<u8> {
        let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut hash = self.of(&[salt, &password]);
        for round in 0..rounds {
            hash = self.of(&[&round.to_le_bytes(), &hash]);
        }
        hash
    }
}

/// How the key or the data of the agile form is encrypted.
struct Agile {
    hash: Hash,
    salt: Vec<u8>,
    key_bytes: usize,
}

/// The checksum of the agile form: its key and itself, both encrypted.
struct Checksum {
    key: Vec<u8>,
    value: Vec<u8>,
}

enum Scheme {
    Agile {
        data: Agile,
        password: Agile,
        spin: u32,
        verifier: Vec<u8>,
        verified: Vec<u8>,
        key: Vec<u8>,
        checksum: Option<Checksum>,
    },
    Standard {
        key_bytes: usize,
        salt: Vec<u8>,
        verifier: Vec<u8>,
        verified: Vec<u8>,
    },
}

impl Scheme {
    fn read(info: &[u8]) -> Result<Self, ConvertError> {
        let version = (u16_at(info, 0), u16_at(info, 2));
        match version {
            (Some(4), Some(4)) => Self::agile(info.get(8..).unwrap_or_default()),
            (Some(2..=4), Some(2)) => Self::standard(info).ok_or_else(|| damaged("its header is not valid")),
            _ => Err(super::encrypted97::unsupported("Office", "in an unusual way")),
        }
    }

    fn agile(xml: &[u8]) -> Result<Self, ConvertError> {
        let tree = Tree::parse(&String::from_utf8_lossy(xml), "EncryptionInfo")?;
        let missing = || damaged("a value is missing");
        let attribute = |id: Id, name: &str| tree.attribute(id, name).ok_or_else(missing);
        let bytes = |id: Id, name: &str| {
            let encoded = attribute(id, name)?;
            base64::engine::general_purpose::STANDARD
                .decode(encoded)
                .map_err(|_| damaged("a value is not valid"))
        };
        let part = |id: Id| {
            let unknown = || super::encrypted97::unsupported("Office", "in an unusual way");
            if attribute(id, "cipherAlgorithm")? != "AES"
                || attribute(id, "cipherChaining")? != "ChainingModeCBC"
            {
                return Err(unknown());
            }
            let bits: usize = attribute(id, "keyBits")?.parse().map_err(|_| missing())?;
            Ok(Agile {
                hash: Hash::named(attribute(id, "hashAlgorithm")?).ok_or_else(unknown)?,
                salt: bytes(id, "saltValue")?,
                key_bytes: bits / 8,
            })
        };
        let data = tree.descendants(ROOT, "keyData").next().ok_or_else(missing)?;
        let key = tree.descendants(ROOT, "encryptedKey").next().ok_or_else(missing)?;
        let spin = attribute(key, "spinCount")?.parse().map_err(|_| missing())?;
        if spin > MAX_SPIN {
            return Err(ConvertError::LimitExceeded { limit: "time" });
        }
        let checksum = tree.descendants(ROOT, "dataIntegrity").next();
        let checksum = checksum.and_then(|id| {
            let (key, value) = (bytes(id, "encryptedHmacKey").ok()?, bytes(id, "encryptedHmacValue").ok()?);
            Some(Checksum { key, value })
        });
        Ok(Self::Agile {
            checksum,
            data: part(data)?,
            password: part(key)?,
            spin,
            verifier: bytes(key, "encryptedVerifierHashInput")?,
            verified: bytes(key, "encryptedVerifierHashValue")?,
            key: bytes(key, "encryptedKeyValue")?,
        })
    }

    fn standard(info: &[u8]) -> Option<Self> {
        let header = 12;
        let verifier = header + u32_at(info, 8)? as usize;
        let key_bytes = u32_at(info, header + 16)? as usize / 8;
        let at = |from: usize, length: usize| info.get(verifier + from..verifier + from + length);
        Some(Self::Standard {
            // Nothing told is 128 bits.
            key_bytes: if key_bytes == 0 { 16 } else { key_bytes },
            salt: at(4, 16)?.to_vec(),
            verifier: at(20, 16)?.to_vec(),
            verified: at(40, 32)?.to_vec(),
        })
    }

    /// The package, or `None` where the password is another.
    fn decrypt(&self, with: &str, package: &[u8]) -> Result<Option<Opened>, ConvertError> {
        let size = u32_at(package, 0).ok_or_else(|| damaged("the package is empty"))? as usize;
        let content = package.get(8..).unwrap_or_default();
        let mut altered = false;
        let mut out = match self {
            Self::Agile { data, password, spin, verifier, verified, key, checksum } => {
                let spun = password.hash.spun(&password.salt, with, *spin);
                let part = |block: [u8; 8], value: &[u8]| {
                    let key = fitted(&password.hash.of(&[&spun, &block]), password.key_bytes);
                    cbc(&key, &fitted(&password.salt, BLOCK), value)
                };
                let input = part([0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79], verifier)?;
                let expected = part([0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e], verified)?;
                if !expected.starts_with(&password.hash.of(&[&input])) {
                    return Ok(None);
                }
                let mut secret = part([0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6], key)?;
                secret.truncate(data.key_bytes);
                if let Some(checksum) = checksum {
                    altered = !checksum.fits(data, &secret, package)?;
                }
                let mut out = Vec::with_capacity(content.len());
                for (segment, number) in content.chunks(SEGMENT).zip(0_u32..) {
                    let start = fitted(&data.hash.of(&[&data.salt, &number.to_le_bytes()]), BLOCK);
                    out.extend(cbc(&secret, &start, segment)?);
                }
                out
            }
            Self::Standard { key_bytes, salt, verifier, verified } => {
                let spun = Hash::Sha1.spun(salt, with, 50_000);
                let last = Hash::Sha1.of(&[&spun, &0_u32.to_le_bytes()]);
                let pad = |byte: u8| {
                    let mut block = [byte; 64];
                    for (b, h) in block.iter_mut().zip(&last) {
                        *b ^= h;
                    }
                    Hash::Sha1.of(&[&block])
                };
                let mut key = pad(0x36);
                key.extend(pad(0x5c));
                key.truncate(*key_bytes);
                let input = ecb(&key, verifier)?;
                let expected = ecb(&key, verified)?;
                if !expected.starts_with(&Hash::Sha1.of(&[&input])) {
                    return Ok(None);
                }
                ecb(&key, content)?
            }
        };
        out.truncate(size);
        Ok(Some(Opened { package: out, altered }))
    }
}

impl Checksum {
    /// Whether it is that of the package.
    fn fits(&self, data: &Agile, secret: &[u8], package: &[u8]) -> Result<bool, ConvertError> {
        let part = |block: [u8; 8], value: &[u8]| {
            let start = fitted(&data.hash.of(&[&data.salt, &block]), BLOCK);
            let mut plain = cbc(secret, &start, value)?;
            plain.truncate(data.hash.size());
            Ok::<_, ConvertError>(plain)
        };
        let key = part([0x5f, 0xb2, 0xad, 0x01, 0x0c, 0xb9, 0xe1, 0xf6], &self.key)?;
        let value = part([0xa0, 0x67, 0x7f, 0x02, 0xb2, 0x2c, 0x84, 0x33], &self.value)?;
        Ok(data.hash.keyed(&key, package) == value)
    }
}

/// Cut or filled to a length.
fn fitted(bytes: &[u8], length: usize) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize(length.min(64), 0x36);
    out
}

/// Decrypts block by block; what does not fill a block is left out.
fn ecb(key: &[u8], data: &[u8]) -> Result<Vec<u8>, ConvertError> {
    fn blocks<C: BlockCipherDecrypt + KeyInit>(key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
        let cipher = C::new_from_slice(key).ok()?;
        let mut out = Vec::with_capacity(data.len());
        for block in data.chunks_exact(BLOCK) {
            let mut block = Array::try_from(block).ok()?;
            cipher.decrypt_block(&mut block);
            out.extend_from_slice(&block);
        }
        Some(out)
    }
    match key.len() {
        16 => blocks::<aes::Aes128>(key, data),
        24 => blocks::<aes::Aes192>(key, data),
        32 => blocks::<aes::Aes256>(key, data),
        _ => None,
    }
    .ok_or_else(|| damaged("its key has an unusual length"))
}

/// Decrypts a chain of blocks.
pub(super) fn cbc(key: &[u8], start: &[u8], data: &[u8]) -> Result<Vec<u8>, ConvertError> {
    let mut out = ecb(key, data)?;
    let before = start.iter().chain(data);
    for (byte, before) in out.iter_mut().zip(before) {
        *byte ^= before;
    }
    Ok(out)
}
