//! A recording that is being transcribed: samples come from the worker, the model runs in this process.

use crate::audio::Recording;
use crate::catalogue::Converter;
use crate::formats::transcript;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::Converted;
use carrel_engine::seams::{ConvertError, Limits, ModelError, ModelProvider, Transcription};

/// One recording.
pub(super) struct Hearing(Box<dyn Transcription>);

impl Hearing {
    /// Loads the model, where it is not loaded yet.
    pub(super) fn begin(models: Option<&dyn ModelProvider>) -> Result<Self, ConvertError> {
        let transcriber = models.ok_or_else(no_models)?.transcriber().map_err(error)?;
        Ok(Self(transcriber.begin()))
    }

    /// Blocks while the model listens.
    pub(super) fn hear(&mut self, samples: &[i16], cancel: &Cancel) -> Result<(), ConvertError> {
        self.0.hear(samples, cancel).map_err(error)
    }

    /// The final text.
    pub(super) fn finish(
        self,
        recording: Recording,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Converted, ConvertError> {
        let transcript = self.0.finish(cancel).map_err(error)?;
        let media_type = recording.media_type.clone();
        transcript::write(&transcript, recording, limits)?.finish(Converter::Audio.id(), &media_type)
    }
}

/// What a recording is called where no model can be asked for.
pub(super) fn no_models() -> ConvertError {
    ConvertError::UnsupportedFormat { format: "audio".into() }
}

fn error(error: ModelError) -> ConvertError {
    match error {
        ModelError::Cancelled => ConvertError::Cancelled,
        ModelError::NotInstalled { id } => {
            ConvertError::NeedsModel { id, detail: "it is a recording".to_owned() }
        }
        ModelError::Damaged { ref id, .. } | ModelError::LeftOut { ref id } => {
            ConvertError::NeedsModel { id: id.clone(), detail: format!("it is a recording, and {error}") }
        }
        other => ConvertError::Crashed(other.to_string()),
    }
}
