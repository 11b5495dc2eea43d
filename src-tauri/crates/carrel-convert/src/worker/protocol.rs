//! The protocol between pool and worker: frames of `u32` little-endian length and content.
//!
//! A request is two frames (JSON head, then the path or the bytes). A reply is any number of `At` after one
//! `Started`, and then `Done` or `Failed`; of a recording, any number of `Samples`, each followed by a frame of them, and then `Heard`. Both sides are of one build: there is no version.

use crate::audio::Recording;
use carrel_engine::domain::Converted;
use carrel_engine::seams::{ConvertError, Limits};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No frame is larger: four times what a conversion may return by default, for JSON's escapes and the block tree.
const MAX_FRAME: usize = 1 << 30;

/// The head of a request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) name: String,
    /// Whether the payload is a path (as raw bytes) or the content.
    pub(crate) is_path: bool,
    pub(crate) password: Option<String>,
    pub(crate) limits: WireLimits,
    pub(crate) pdfium: Option<PathBuf>,
    pub(crate) ocr: Option<PathBuf>,
}

/// [`Limits`] without time, which the pool enforces.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireLimits {
    pub(crate) input_bytes: u64,
    pub(crate) output_bytes: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) pages: u32,
}

impl WireLimits {
    pub(crate) fn of(limits: &Limits) -> Self {
        let Limits { input_bytes, output_bytes, memory_bytes, pages, .. } = *limits;
        Self { input_bytes, output_bytes, memory_bytes, pages }
    }

    pub(crate) fn to_limits(&self) -> Limits {
        let Self { input_bytes, output_bytes, memory_bytes, pages } = *self;
        Limits { input_bytes, output_bytes, memory_bytes, pages, time: Duration::MAX }
    }
}

/// What the worker sends.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The request was read.
    Started,
    /// A part is being converted.
    At {
        unit: String,
        part: u32,
        of: u32,
    },
    /// The next samples of a recording, which follow in a frame of their own.
    Samples(#[serde(skip)] Vec<i16>),
    Done(Box<Converted>),
    /// A recording was given in full; its text is to be made of the samples.
    Heard(Recording),
    Failed(Wire),
}

/// [`ConvertError`] as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Wire {
    UnsupportedFormat(String),
    NeedsPassword,
    WrongPassword,
    Damaged(String),
    NoText(String),
    NeedsModel { id: String, detail: String },
    LimitExceeded(String),
    Unreadable(String),
    Crashed(String),
    Cancelled,
}

impl From<ConvertError> for Wire {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::UnsupportedFormat { format } => Self::UnsupportedFormat(format),
            ConvertError::NeedsPassword => Self::NeedsPassword,
            ConvertError::WrongPassword => Self::WrongPassword,
            ConvertError::Damaged { detail } => Self::Damaged(detail),
            ConvertError::NoText { detail } => Self::NoText(detail),
            ConvertError::NeedsModel { id, detail } => Self::NeedsModel { id, detail },
            ConvertError::LimitExceeded { limit } => Self::LimitExceeded(limit.to_owned()),
            ConvertError::Unreadable(detail) => Self::Unreadable(detail),
            ConvertError::Crashed(detail) => Self::Crashed(detail),
            ConvertError::Cancelled => Self::Cancelled,
        }
    }
}

impl From<Wire> for ConvertError {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::UnsupportedFormat(format) => Self::UnsupportedFormat { format },
            Wire::NeedsPassword => Self::NeedsPassword,
            Wire::WrongPassword => Self::WrongPassword,
            Wire::Damaged(detail) => Self::Damaged { detail },
            Wire::NoText(detail) => Self::NoText { detail },
            Wire::NeedsModel { id, detail } => Self::NeedsModel { id, detail },
            Wire::LimitExceeded(limit) => Self::LimitExceeded {
                limit: ["time", "memory", "size", "pages", "output"]
                    .into_iter()
                    .find(|l| *l == limit)
                    .unwrap_or("size"),
            },
            Wire::Unreadable(detail) => Self::Unreadable(detail),
            Wire::Crashed(detail) => Self::Crashed(detail),
            Wire::Cancelled => Self::Cancelled,
        }
    }
}

/// Writes one frame.
pub(crate) fn write_frame(to: &mut impl Write, content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).ok().filter(|l| *l as usize <= MAX_FRAME);
    let length = length.ok_or_else(|| io::Error::other("the frame is too large"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(content)
}

/// Reads one frame; `None` at a clean end.
pub(crate) fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    let mut filled = 0;
    while filled < length.len() {
        match from.read(length.get_mut(filled..).unwrap_or_default()) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        return Err(io::Error::other("the frame is too large"));
    }
    // The length is a claim: memory is taken as bytes arrive.
    let mut content = Vec::with_capacity(length.min(1 << 20));
    let read = from.take(length as u64).read_to_end(&mut content)?;
    if read < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(Some(content)) }
}

/// Writes a reply.
pub(crate) fn write_reply(to: &mut impl Write, reply: &Reply) -> io::Result<()> {
    write_frame(to, &serde_json::to_vec(reply).map_err(io::Error::other)?)?;
    if let Reply::Samples(samples) = reply {
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        write_frame(to, &bytes)?;
    }
    to.flush()
}

/// Reads a reply; `None` at a clean end.
pub(crate) fn read_reply(from: &mut impl Read) -> io::Result<Option<Reply>> {
    let Some(frame) = read_frame(from)? else { return Ok(None) };
    let mut reply = serde_json::from_slice(&frame).map_err(io::Error::other)?;
    if let Reply::Samples(samples) = &mut reply {
        let bytes = read_frame(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        samples.extend(bytes.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)));
    }
    Ok(Some(reply))
}

/// A path as bytes.
pub(crate) fn path_bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    {
        std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
    }
    #[cfg(windows)]
    {
        std::os::windows::ffi::OsStrExt::encode_wide(path.as_os_str()).flat_map(u16::to_le_bytes).collect()
    }
}

/// The path of [`path_bytes`].
pub(crate) fn path_from(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    let path: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(windows)]
    let path: OsString = {
        let wide: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|u| u16::from_le_bytes(*u)).collect();
        std::os::windows::ffi::OsStringExt::from_wide(&wide)
    };
    (!path.is_empty()).then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_written_and_cut_ones_are_errors() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b"one").unwrap();
        write_frame(&mut bytes, b"").unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(read_frame(&mut from).unwrap().unwrap(), b"one");
        assert_eq!(read_frame(&mut from).unwrap().unwrap(), b"");
        assert!(read_frame(&mut from).unwrap().is_none());
        assert!(read_frame(&mut &bytes[..5]).is_err());
        assert!(read_frame(&mut [255; 8].as_slice()).is_err());
    }

    #[test]
    fn samples_travel_beside_the_replies() {
        let mut bytes = Vec::new();
        write_reply(&mut bytes, &Reply::Samples(vec![1, -2, i16::MAX])).unwrap();
        write_reply(&mut bytes, &Reply::Started).unwrap();
        let mut from = bytes.as_slice();
        let Ok(Some(Reply::Samples(samples))) = read_reply(&mut from) else { panic!("no samples") };
        assert_eq!(samples, [1, -2, i16::MAX]);
        assert!(matches!(read_reply(&mut from), Ok(Some(Reply::Started))));
        assert!(read_reply(&mut from).unwrap().is_none());
        assert!(read_reply(&mut &bytes[..bytes.len() / 2]).is_err());
    }

    #[test]
    fn errors_travel_unchanged() {
        for error in [
            ConvertError::LimitExceeded { limit: "memory" },
            ConvertError::NoText { detail: "pages 1–3".into() },
            ConvertError::NeedsModel { id: "reader".into(), detail: "it is an image".into() },
            ConvertError::WrongPassword,
        ] {
            let json = serde_json::to_vec(&Wire::from(error.clone())).unwrap();
            assert_eq!(ConvertError::from(serde_json::from_slice::<Wire>(&json).unwrap()), error);
        }
    }
}
