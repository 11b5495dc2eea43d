//! Recordings: decoded in the worker whatever their coding, handed to a transcriber in pieces, and refused where there is none. The
//! transcriber of these tests writes down where it hears something loud.
#![allow(clippy::unwrap_used, reason = "tests stop where something is missing")]

mod common;

use carrel_convert::WorkerPool;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::Converted;
use carrel_engine::seams::{
    ConvertError, ConvertInput, ConvertRequest, DocumentConverter, Embedder, FilePart, LanguageModel, Limits,
    ModelError, ModelProvider, SpokenSegment, Transcriber, Transcript, Transcription,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Default)]
struct Models {
    installed: AtomicBool,
    /// Samples in the largest piece.
    largest: AtomicUsize,
    /// Listens until it is told to stop.
    endless: AtomicBool,
}

struct Ear(Arc<Models>);

struct Ears {
    ear: Arc<Ear>,
    samples: usize,
    loud: usize,
}

/// The models as a provider; one allocation, so that the ear can tell what it heard.
struct Provider(Arc<Models>);

impl ModelProvider for Provider {
    fn default_embedder(&self) -> Option<String> {
        None
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        Err(ModelError::NotInstalled { id: id.to_owned() })
    }

    fn language_model(&self, _: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Err(ModelError::NotInstalled { id: "none".to_owned() })
    }

    fn default_transcriber(&self) -> Option<String> {
        self.0.installed.load(Ordering::SeqCst).then(|| "ear".to_owned())
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        match self.default_transcriber() {
            Some(_) => Ok(Arc::new(Ear(self.0.clone()))),
            None => Err(ModelError::NotInstalled { id: "ear".to_owned() }),
        }
    }
}

impl Transcriber for Ear {
    fn id(&self) -> &'static str {
        "ear"
    }

    fn begin(self: Arc<Self>) -> Box<dyn Transcription> {
        Box::new(Ears { ear: self, samples: 0, loud: 0 })
    }
}

impl Transcription for Ears {
    fn hear(&mut self, samples: &[i16], cancel: &Cancel) -> Result<(), ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        while self.ear.0.endless.load(Ordering::SeqCst) {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.ear.0.largest.fetch_max(samples.len(), Ordering::SeqCst);
        self.samples += samples.len();
        self.loud += samples.iter().filter(|s| s.unsigned_abs() > 1_000).count();
        Ok(())
    }

    fn finish(self: Box<Self>, _: &Cancel) -> Result<Transcript, ModelError> {
        let seconds = self.samples as f64 / 16_000.0;
        let share = self.loud as f64 / self.samples.max(1) as f64;
        let said = SpokenSegment { seconds: (0.0, seconds), text: format!("loud {share:.2}") };
        let segments = if share > 0.0 { vec![said] } else { Vec::new() };
        Ok(Transcript { language: None, segments, doubtful: Vec::new() })
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/audio").join(name)
}

fn pool() -> (WorkerPool, Arc<Models>) {
    let models = Arc::new(Models::default());
    models.installed.store(true, Ordering::SeqCst);
    (common::pool(1).with_models(Arc::new(Provider(models.clone()))), models)
}

fn convert(pool: &WorkerPool, name: &str, bytes: Vec<u8>) -> Result<Converted, ConvertError> {
    let input = ConvertInput::Bytes(bytes);
    let request = ConvertRequest { input, name: name.to_owned(), password: None, limits: Limits::default() };
    pool.convert(&request, &Cancel::new())
}

/// 16-bit PCM in a WAV file.
fn wav(rate: u32, samples: impl ExactSizeIterator<Item = i16>) -> Vec<u8> {
    let length = samples.len() as u32 * 2;
    let mut bytes = Vec::with_capacity(44 + length as usize);
    for part in
        [&b"RIFF"[..], &(36 + length).to_le_bytes(), b"WAVEfmt ", &16_u32.to_le_bytes(), &[1, 0, 1, 0]]
    {
        bytes.extend_from_slice(part);
    }
    for part in
        [&rate.to_le_bytes()[..], &(rate * 2).to_le_bytes(), &[2, 0, 16, 0], b"data", &length.to_le_bytes()]
    {
        bytes.extend_from_slice(part);
    }
    samples.for_each(|sample| bytes.extend_from_slice(&sample.to_le_bytes()));
    bytes
}

fn seconds(converted: &Converted) -> f64 {
    converted.locations[0].location.seconds.unwrap().1
}

#[test]
fn every_coding_gives_the_sound_of_its_length() {
    let (pool, models) = pool();
    for (name, media_type, length) in [
        ("lighthouse.mp3", "audio/mpeg", 10.95),
        ("lighthouse.wav", "audio/wav", 5.0),
        ("lighthouse.m4a", "audio/mp4", 5.0),
        ("lighthouse.flac", "audio/flac", 5.0),
        ("lighthouse.ogg", "audio/ogg", 5.0),
    ] {
        let converted = convert(&pool, name, std::fs::read(fixture(name)).unwrap()).unwrap();
        assert_eq!(converted.media_type, media_type);
        assert_eq!(converted.converter.id, "audio");
        assert!(converted.complete, "{name}: {:?}", converted.warnings);
        assert!((seconds(&converted) - length).abs() < 0.15, "{name}: {}", seconds(&converted));
        assert!(converted.markdown.starts_with("loud 0."), "{name}: {}", converted.markdown);
        common::invariants::check(&converted);
    }
    assert_eq!(models.largest.load(Ordering::SeqCst), 160_000, "no piece is longer than ten seconds");
}

#[test]
fn the_title_in_the_file_is_the_title() {
    let (pool, _) = pool();
    let converted = convert(&pool, "x.m4a", std::fs::read(fixture("lighthouse.m4a")).unwrap()).unwrap();
    assert_eq!(converted.title.as_deref(), Some("The lighthouse"));
}

#[test]
fn the_content_decides_and_not_the_name() {
    let (pool, _) = pool();
    let flac = std::fs::read(fixture("lighthouse.flac")).unwrap();
    assert_eq!(convert(&pool, "named-wrongly.mp3", flac.clone()).unwrap().media_type, "audio/flac");
    assert_eq!(convert(&pool, "without-extension", flac).unwrap().media_type, "audio/flac");
    let opus = convert(&pool, "x.ogg", std::fs::read(fixture("lighthouse.opus")).unwrap()).unwrap_err();
    assert_eq!(opus, ConvertError::UnsupportedFormat { format: "Opus audio".to_owned() });
}

#[test]
fn without_a_model_a_recording_waits_for_it() {
    let (pool, models) = pool();
    models.installed.store(false, Ordering::SeqCst);
    assert!(!pool.converters().iter().any(|id| id.id == "audio"));
    assert_eq!(pool.converter_for("a.mp3").unwrap().id, "audio");
    let mp3 = std::fs::read(fixture("lighthouse.mp3")).unwrap();
    for name in ["a.mp3", "a.dat"] {
        let error = convert(&pool, name, mp3.clone()).unwrap_err();
        assert_eq!(error, ConvertError::NeedsModel { id: "ear".into(), detail: "it is a recording".into() });
        assert_eq!(error.code(), "needs_model");
        assert!(error.to_string().contains("carrel models get ear"));
    }
    models.installed.store(true, Ordering::SeqCst);
    assert!(pool.converters().iter().any(|id| id.id == "audio"));
    assert!(convert(&pool, "a.mp3", mp3).is_ok());
}

#[test]
fn damaged_recordings_are_damaged_and_cut_ones_partial() {
    let (pool, _) = pool();
    let noise: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["noise.mp3", "noise.wav", "noise.m4a", "noise.flac", "noise.ogg"] {
        let error = convert(&pool, name, noise.clone()).unwrap_err();
        assert!(matches!(error, ConvertError::Damaged { .. }), "{name}: {error}");
    }
    for (name, kept) in [("lighthouse.flac", 40_000), ("lighthouse.ogg", 15_000), ("lighthouse.m4a", 200)] {
        let mut cut = std::fs::read(fixture(name)).unwrap();
        cut.truncate(kept);
        match convert(&pool, name, cut) {
            Ok(converted) => assert!(seconds(&converted) < 4.5, "{name}"),
            Err(error) => assert!(matches!(error, ConvertError::Damaged { .. }), "{name}: {error}"),
        }
    }
    let mut scarred = std::fs::read(fixture("lighthouse.flac")).unwrap();
    scarred[30_000..34_000].fill(0x55);
    let converted = convert(&pool, "scarred.flac", scarred).unwrap();
    assert!(seconds(&converted) > 3.0);
}

#[test]
fn silence_is_no_text() {
    let (pool, _) = pool();
    let error = convert(&pool, "silence.wav", wav(8_000, vec![0; 16_000].into_iter())).unwrap_err();
    assert_eq!(error, ConvertError::NoText { detail: "there is no speech in it".into() });
}

#[test]
fn a_long_recording_goes_through_in_pieces() {
    let (pool, models) = pool();
    let tone = (0..600 * 16_000_usize).map(|n| if n / 20 % 2 == 0 { 4_000 } else { -4_000 });
    let converted = convert(&pool, "meeting.wav", wav(16_000, tone)).unwrap();
    assert!(converted.complete);
    assert!((seconds(&converted) - 600.0).abs() < 0.1, "{}", seconds(&converted));
    assert!(models.largest.load(Ordering::SeqCst) <= 160_000);
}

fn recording(name: &str) -> ConvertRequest {
    ConvertRequest {
        input: ConvertInput::Path(fixture(name)),
        name: name.to_owned(),
        password: None,
        limits: Limits::default(),
    }
}

#[test]
fn a_recording_says_how_far_it_is() {
    let (pool, _) = pool();
    let mut parts = Vec::new();
    let mut begun = |part: &FilePart| parts.push((part.unit.clone(), part.number, part.of));
    pool.convert_by_parts(&recording("lighthouse.mp3"), &Cancel::new(), &mut begun).unwrap();
    assert_eq!(parts, [("second".to_owned(), 10, 11), ("second".to_owned(), 11, 11)]);
}

#[test]
fn a_recording_that_is_being_heard_can_be_cancelled_and_halted() {
    let (pool, models) = pool();
    models.endless.store(true, Ordering::SeqCst);
    let cancel = Cancel::new();
    let canceller = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        canceller.cancel();
    });
    // The model would never end by itself.
    let error = pool.convert(&recording("lighthouse.mp3"), &cancel).unwrap_err();
    assert_eq!(error, ConvertError::Cancelled);
    thread.join().unwrap();
    models.endless.store(false, Ordering::SeqCst);
    // Halted for longer than it may take.
    let limits = Limits { time: Duration::from_millis(1_500), ..Limits::default() };
    let request = ConvertRequest { limits, ..recording("lighthouse.mp3") };
    let mut halt = |_: &FilePart| std::thread::sleep(Duration::from_millis(1_600));
    assert!(pool.convert_by_parts(&request, &Cancel::new(), &mut halt).is_ok());
}
