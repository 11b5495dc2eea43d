//! All fakes together.

use crate::converter::read;
use crate::{FakeModels, HashEmbedder, ManualClock, PlainConverter, RecordingEvents};
use carrel_engine::domain::{Converted, ConverterId};
use carrel_engine::library::Parts;
use std::sync::Arc;

/// A set of fakes, and the engine's parts made of them.
pub struct Fakes {
    /// Time.
    pub clock: Arc<ManualClock>,
    /// Conversion.
    pub converter: Arc<PlainConverter>,
    /// The default embedder (`hash-96`, 96 dimensions).
    pub embedder: Arc<HashEmbedder>,
    /// Models.
    pub models: Arc<FakeModels>,
    /// The listener.
    pub events: Arc<RecordingEvents>,
}

impl Default for Fakes {
    fn default() -> Self {
        let embedder = Arc::new(HashEmbedder::new("hash-96", 96));
        Self {
            clock: Arc::default(),
            converter: Arc::default(),
            models: Arc::new(FakeModels::with_default(Arc::clone(&embedder))),
            embedder,
            events: Arc::default(),
        }
    }
}

impl Fakes {
    /// Fakes without any embedder: words alone.
    pub fn words_only() -> Self {
        let fakes = Self::default();
        fakes.models.set_default(None);
        fakes
    }

    /// The same fakes as the engine takes them.
    pub fn parts(&self) -> Parts {
        Parts {
            clock: self.clock.clone(),
            converter: self.converter.clone(),
            models: self.models.clone(),
            events: self.events.clone(),
        }
    }
}

/// Markdown as [`PlainConverter`] would convert it.
pub fn plain(markdown: &str) -> Converted {
    read(markdown.to_owned(), ConverterId { id: "plain".to_owned(), version: 1 }, "text/markdown")
}
