//! Speech into text with Whisper, from weights as `CTranslate2` keeps them.
//!
//! The forward is our own: it keeps the keys and values of what was said, where a window of 30 seconds would otherwise be decoded anew
//! for each word. Windows are decoded independently, so that no mistake is carried into the next one.

mod ct2;
mod decoder;
mod encoder;
mod greedy;
mod layers;
mod mel;
mod session;
mod vocabulary;

#[cfg(test)]
mod tests;

use crate::catalogue::CatalogueModel;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ModelError, SPEECH_RATE, Transcriber, Transcription};
use ct2::Ct2;
use decoder::{Decoder, Heard};
use encoder::Encoder;
use layers::HEAD;
use mel::Mel;
use session::Session;
use std::path::Path;
use std::sync::Arc;
use vocabulary::Vocabulary;

/// Samples that the model hears at once.
const WINDOW: usize = 30 * SPEECH_RATE as usize;

/// A Whisper model on this machine's processor.
pub(crate) struct Whisper {
    id: String,
    mel: Mel,
    encoder: Encoder,
    decoder: Decoder,
    vocabulary: Vocabulary,
    threads: rayon::ThreadPool,
}

impl Whisper {
    /// Loads `model.bin`, `tokenizer.json` and `config.json` from the snapshot folder.
    pub(crate) fn open(model: &CatalogueModel, folder: &Path, threads: usize) -> Result<Self, ModelError> {
        let weights = model.files.first().ok_or_else(|| ModelError::Unknown { id: model.id.clone() })?;
        let mut file = Ct2::open(&folder.join(&weights.path), &model.id)?;
        let [width, bands, _] = *file.shape("encoder/conv1/weight")? else {
            return Err(file.damaged("its first convolution has an unknown shape".into()));
        };
        if width == 0 || width % HEAD != 0 || bands == 0 {
            return Err(file.damaged(format!("its width is {width}")));
        }
        let encoder = Encoder::read(&mut file, width, bands)?;
        let decoder = Decoder::read(&mut file, width)?;
        let vocabulary = Vocabulary::open(folder, model, decoder.vocabulary)?;
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|n| format!("carrel-listen-{n}"))
            .build()
            .map_err(|e| ModelError::Failed(e.to_string()))?;
        Ok(Self { id: model.id.clone(), mel: Mel::new(bands), encoder, decoder, vocabulary, threads })
    }

    /// What the decoder is told of at most a window of samples.
    fn listen(&self, samples: &[i16], cancel: &Cancel) -> Result<Heard, ModelError> {
        let encoded = self.encoder.forward(&self.mel.spectrogram(samples), cancel)?;
        Ok(self.decoder.listen(&encoded))
    }
}

impl Transcriber for Whisper {
    fn id(&self) -> &str {
        &self.id
    }

    fn begin(self: Arc<Self>) -> Box<dyn Transcription> {
        Box::new(Session::new(self))
    }
}
