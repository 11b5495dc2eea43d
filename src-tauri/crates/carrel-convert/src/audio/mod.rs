//! Recordings: decoded here, in the worker, to what a model hears; the model itself runs where models are.
//!
//! Samples leave in pieces, so that neither side ever holds a recording as a whole. What does not decode is left out and said.

mod resample;

use carrel_engine::domain::{Warning, clock_time};
use carrel_engine::seams::{ConvertError, SPEECH_RATE};
use resample::Resampler;
use serde::{Deserialize, Serialize};
use std::io::Cursor;
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::meta::{MetadataOptions, StandardTag};

/// What lies behind it is left out.
pub(crate) const MOST_SECONDS: usize = 6 * 3600;
/// Samples of a piece: ten seconds.
const PIECE: usize = 10 * SPEECH_RATE as usize;
/// A packet larger than this is no sound that anybody recorded.
const MOST_CHANNELS: usize = 64;

/// The unit of progress of recordings.
pub(crate) const UNIT: &str = "second";

/// A piece of the sound.
pub(crate) struct Piece<'a> {
    pub(crate) samples: &'a [i16],
    /// Where it ends.
    pub(crate) second: u32,
    /// How many seconds there are; 0 where the file does not say.
    pub(crate) of: u32,
}

/// What is known of a recording besides its sound.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recording {
    pub(crate) media_type: String,
    pub(crate) title: Option<String>,
    /// What could not be decoded.
    pub(crate) missing: Vec<Warning>,
}

/// Decodes a file, giving its sound piece by piece. `give` fails where nobody listens any more.
pub(crate) fn decode(
    bytes: Vec<u8>,
    media_type: &str,
    most_seconds: usize,
    mut give: impl FnMut(Piece<'_>) -> std::io::Result<()>,
) -> Result<Recording, ConvertError> {
    let coding = coding(&bytes);
    let damaged = |detail: &str| ConvertError::Damaged { detail: detail.to_owned() };
    let unsupported = || ConvertError::UnsupportedFormat { format: coding.to_owned() };
    let stream = MediaSourceStream::new(Box::new(Cursor::new(bytes)), MediaSourceStreamOptions::default());
    let mut hint = Hint::new();
    hint.mime_type(media_type);
    let mut format = symphonia::default::get_probe()
        .probe(&hint, stream, FormatOptions::default(), MetadataOptions::default())
        .map_err(|_| damaged("no sound can be found in it"))?;
    let track = format.default_track(TrackType::Audio).ok_or_else(|| damaged("it has no track of sound"))?;
    let id = track.id;
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(parameters.ok_or_else(unsupported)?, &AudioDecoderOptions::default())
        .map_err(|error| match error {
            Error::Unsupported(_) => unsupported(),
            _ => damaged("its sound cannot be decoded"),
        })?;
    let length = track.num_frames.zip(parameters.and_then(|parameters| parameters.sample_rate));
    let length = length.map_or(0, |(frames, rate)| frames.div_ceil(u64::from(rate.max(1))));
    let mut sound = Sound {
        most: most_seconds * SPEECH_RATE as usize,
        length: length.min(most_seconds as u64) as u32,
        ..Sound::default()
    };
    let end = sound.read(&mut *format, &mut *decoder, id, &mut give)?;
    if sound.given == 0 {
        return Err(damaged("none of its sound can be decoded"));
    }
    let mut recording =
        Recording { media_type: media_type.to_owned(), title: title(&mut *format), missing: Vec::new() };
    let mut miss = |message: String| recording.missing.push(Warning { code: "damaged".into(), message });
    if sound.lost > 0 {
        miss(format!(
            "{} of {} pieces of its sound could not be decoded",
            sound.lost,
            sound.lost + sound.packets
        ));
    }
    match end {
        End::Clean => {}
        End::Cut => {
            miss(format!("it breaks off after {}", clock_time(sound.given as f64 / f64::from(SPEECH_RATE))));
        }
        End::TooLong => recording.missing.push(Warning {
            code: "limit_exceeded".into(),
            message: format!("only the first {} of it are read", clock_time(most_seconds as f64)),
        }),
    }
    Ok(recording)
}

/// How the sound ended.
enum End {
    Clean,
    Cut,
    TooLong,
}

#[derive(Default)]
struct Sound {
    resampler: Option<(u32, Resampler)>,
    out: Vec<i16>,
    /// Samples behind which nothing is read.
    most: usize,
    /// Seconds that the file claims, or 0.
    length: u32,
    /// Samples that left.
    given: usize,
    packets: usize,
    lost: usize,
}

impl Sound {
    fn read(
        &mut self,
        format: &mut dyn FormatReader,
        decoder: &mut dyn AudioDecoder,
        track: u32,
        give: &mut impl FnMut(Piece<'_>) -> std::io::Result<()>,
    ) -> Result<End, ConvertError> {
        let mut interleaved: Vec<f32> = Vec::new();
        let mut mono = Vec::new();
        let end = loop {
            let packet = match format.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => break End::Clean,
                Err(_) => break End::Cut,
            };
            if packet.track_id != track {
                continue;
            }
            let decoded = match decoder.decode(&packet) {
                Ok(decoded) => decoded,
                Err(Error::DecodeError(_) | Error::IoError(_)) => {
                    self.lost += 1;
                    continue;
                }
                Err(_) => break End::Cut,
            };
            self.packets += 1;
            let (rate, channels) = (decoded.spec().rate(), decoded.num_planes());
            if decoded.frames() == 0 || channels == 0 {
                continue;
            }
            if channels > MOST_CHANNELS {
                return Err(ConvertError::Damaged { detail: format!("it claims {channels} channels") });
            }
            decoded.copy_to_vec_interleaved(&mut interleaved);
            mono.clear();
            mono.extend(
                interleaved.chunks_exact(channels).map(|frame| frame.iter().sum::<f32>() / channels as f32),
            );
            self.resample(rate, &mono)?;
            if self.given + self.out.len() > self.most {
                self.out.truncate(self.most.saturating_sub(self.given));
                break End::TooLong;
            }
            self.give(self.out.len() / PIECE * PIECE, give)?;
        };
        if let Some((_, resampler)) = self.resampler.as_mut().filter(|_| !matches!(end, End::TooLong)) {
            resampler.finish(&mut self.out);
        }
        self.give(self.out.len(), give)?;
        Ok(end)
    }

    fn resample(&mut self, rate: u32, mono: &[f32]) -> Result<(), ConvertError> {
        let resampler = match &mut self.resampler {
            Some((of, resampler)) if *of == rate => resampler,
            other => {
                if let Some((_, last)) = other {
                    last.finish(&mut self.out);
                }
                let new = Resampler::new(rate).ok_or_else(|| ConvertError::Damaged {
                    detail: format!("it claims {rate} samples a second"),
                })?;
                &mut other.insert((rate, new)).1
            }
        };
        resampler.push(mono, &mut self.out);
        Ok(())
    }

    /// Gives the first `most` samples away.
    fn give(
        &mut self,
        most: usize,
        give: &mut impl FnMut(Piece<'_>) -> std::io::Result<()>,
    ) -> Result<(), ConvertError> {
        for samples in self.out.get(..most).unwrap_or_default().chunks(PIECE) {
            self.given += samples.len();
            let second = self.given.div_ceil(SPEECH_RATE as usize) as u32;
            let of = if self.length == 0 { 0 } else { self.length.max(second) };
            give(Piece { samples, second, of }).map_err(|_| ConvertError::Cancelled)?;
        }
        self.out.drain(..most);
        Ok(())
    }
}

/// What a coding is called that cannot be read.
fn coding(bytes: &[u8]) -> &'static str {
    let head = bytes.get(..128).unwrap_or(bytes);
    if memchr::memmem::find(head, b"OpusHead").is_some() { "Opus audio" } else { "this kind of audio" }
}

fn title(format: &mut dyn FormatReader) -> Option<String> {
    let mut metadata = format.metadata();
    let latest = metadata.skip_to_latest()?;
    let tracks = latest.per_track.iter().flat_map(|track| &track.metadata.tags);
    latest.media.tags.iter().chain(tracks).find_map(|tag| match &tag.std {
        Some(StandardTag::TrackTitle(title)) => Some(title.to_string()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/audio/");
        std::fs::read(format!("{folder}{name}")).unwrap()
    }

    #[test]
    fn what_is_too_long_is_cut_and_said() {
        let mut samples = 0;
        let mut seconds = Vec::new();
        let give = |piece: Piece<'_>| {
            samples += piece.samples.len();
            seconds.push((piece.second, piece.of));
            Ok(())
        };
        let recording = decode(fixture("lighthouse.mp3"), "audio/mpeg", 4, give).unwrap();
        assert_eq!(samples, 4 * SPEECH_RATE as usize);
        assert_eq!(seconds, [(4, 4)]);
        assert_eq!(recording.missing[0].message, "only the first 0:04 of it are read");
    }

    #[test]
    fn where_nobody_listens_decoding_ends() {
        let gone = |_: Piece<'_>| Err(std::io::ErrorKind::BrokenPipe.into());
        let error = decode(fixture("lighthouse.ogg"), "audio/ogg", MOST_SECONDS, gone).unwrap_err();
        assert_eq!(error, ConvertError::Cancelled);
    }
}
