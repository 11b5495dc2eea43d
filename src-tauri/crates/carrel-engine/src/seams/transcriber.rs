//! Turning speech into text.

use super::ModelError;
use crate::cancel::Cancel;
use std::sync::Arc;

/// Samples a second of what a [`Transcription`] hears: one channel.
pub const SPEECH_RATE: u32 = 16_000;

/// What was said in a stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenSegment {
    /// From and to, counted from the beginning of the recording.
    pub seconds: (f64, f64),
    /// What was said.
    pub text: String,
}

/// What a recording says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// ISO 639-1, where speech was found.
    pub language: Option<String>,
    /// Ascending; empty where nobody speaks.
    pub segments: Vec<SpokenSegment>,
    /// Stretches, in seconds, whose text is doubtful: the model was unsure or fell into a loop.
    pub doubtful: Vec<(f64, f64)>,
}

/// Writes down what is said in recordings.
pub trait Transcriber: Send + Sync {
    /// Catalogue id.
    fn id(&self) -> &str;

    /// Begins a recording. Several may be under way at once.
    fn begin(self: Arc<Self>) -> Box<dyn Transcription>;
}

/// A recording that is being written down, piece by piece.
pub trait Transcription {
    /// Takes the next samples, at [`SPEECH_RATE`]. Blocks while a window of them is transcribed; looks at `cancel` per layer and
    /// per token, which are less than half a second apart. Keeps no more than a window and the piece given.
    fn hear(&mut self, samples: &[i16], cancel: &Cancel) -> Result<(), ModelError>;

    /// Transcribes what is left, and returns everything.
    fn finish(self: Box<Self>, cancel: &Cancel) -> Result<Transcript, ModelError>;
}
