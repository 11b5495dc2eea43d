//! A recording that is being written down: windows, silence, segments with their seconds.
//!
//! Invariant: no more than a window and the piece given is kept of the samples.

use super::greedy::{UNLIKELY, decode, language};
use super::{WINDOW, Whisper};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ModelError, SPEECH_RATE, SpokenSegment, Transcript, Transcription};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write as _;
use std::sync::Arc;

/// Samples whose loudness is looked at together: 10 ms.
const LOOK: usize = 160;
/// Root of the mean square below which nobody is heard (55 dB below the loudest).
const SILENT: f64 = 58.0;
/// What is kept before and after what is heard.
const MARGIN: usize = SPEECH_RATE as usize / 4;
/// Less than this above silence, in [`LOOK`]s, is a click.
const CLICK: usize = 5;
/// Silence of more than this at the beginning of a window is left out.
const PAUSE: usize = SPEECH_RATE as usize;
/// The least by which a window goes on, so that the end is reached.
const LEAST_STEP: usize = SPEECH_RATE as usize;
/// Windows of a recording that may be decoded again: so many, and one more for each of the second number.
const RETRIES: u32 = 4;
const RETRY_EVERY: u64 = 8;
/// A word below this likelihood is improbable; as many improbable ones of so many first words make a segment suspect.
const IMPROBABLE: f32 = 0.15;
const ANOMALIES: usize = 3;
const FIRST_WORDS: usize = 8;
/// A text that packs better than this says the same again and again.
const REPETITIVE: f64 = 2.4;

pub(super) struct Session {
    whisper: Arc<Whisper>,
    samples: Vec<i16>,
    /// Samples before those.
    passed: u64,
    /// Windows that the model heard.
    pub(super) windows: u64,
    retries: u32,
    /// Token of the language, once somebody spoke.
    language: Option<u32>,
    transcript: Transcript,
}

impl Session {
    pub(super) fn new(whisper: Arc<Whisper>) -> Self {
        Self {
            whisper,
            samples: Vec::new(),
            passed: 0,
            windows: 0,
            retries: RETRIES,
            language: None,
            transcript: Transcript::default(),
        }
    }

    fn pass(&mut self, samples: usize) {
        let samples = samples.min(self.samples.len());
        self.samples.drain(..samples);
        self.passed += samples as u64;
    }

    /// Transcribes one window, or leaves silence out.
    fn window(&mut self, last: bool, cancel: &Cancel) -> Result<(), ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let window = &self.samples[..self.samples.len().min(WINDOW)];
        let loud: Vec<usize> = window
            .chunks(LOOK)
            .enumerate()
            .filter(|(_, look)| is_loud(look))
            .map(|(n, _)| n * LOOK)
            .collect();
        let (Some(first), Some(end)) = (loud.first(), loud.last()) else {
            // A word may begin at the end.
            let keep = if last { 0 } else { MARGIN };
            self.pass(window.len().saturating_sub(keep));
            return Ok(());
        };
        if *first > PAUSE {
            self.pass(first.saturating_sub(MARGIN));
            return Ok(());
        }
        if loud.len() < CLICK {
            // What begins at the end may be a word.
            let cut = !last && end + MARGIN > window.len();
            let step = if cut { end.saturating_sub(MARGIN) } else { end + 2 * LOOK };
            self.pass(step.max(LEAST_STEP));
            return Ok(());
        }
        let content = (end + LOOK + MARGIN).min(window.len());
        let whole = window.len();
        let step = self.transcribe(content, cancel)?.unwrap_or(whole);
        // Behind what was heard there is silence.
        let step = if step >= content { whole } else { step };
        self.pass(step.max(LEAST_STEP));
        Ok(())
    }

    /// Writes down the first `content` samples. Returns where the next window begins; `None` where all was understood.
    fn transcribe(&mut self, content: usize, cancel: &Cancel) -> Result<Option<usize>, ModelError> {
        let whisper = Arc::clone(&self.whisper);
        let samples = self.samples.get(..content).unwrap_or(&self.samples);
        let heard = whisper.threads.install(|| whisper.listen(samples, cancel))?;
        self.windows += 1;
        self.retries += u32::from(self.windows.is_multiple_of(RETRY_EVERY));
        if whisper.vocabulary.is_multilingual() && self.language.is_none() {
            self.language = whisper.threads.install(|| language(&whisper, &heard))?;
        }
        let retries = &mut self.retries;
        let language = self.language;
        let decoded = whisper.threads.install(|| decode(&whisper, &heard, language, retries, cancel))?;
        let Some(decoded) = decoded else {
            // It may have been guessed from noise.
            if self.transcript.segments.is_empty() {
                self.language = None;
            }
            return Ok(None);
        };
        let length = content as f64 / f64::from(SPEECH_RATE);
        let (segments, step) =
            segments(&decoded.tokens, length, decoded.looped, |token| whisper.vocabulary.seconds(token));
        let from = self.passed as f64 / f64::from(SPEECH_RATE);
        let mut found = false;
        let mut doubtful: Vec<(f64, f64)> = Vec::new();
        let mut said = String::new();
        let of_text = |token: u32| whisper.vocabulary.seconds(token).is_none();
        let mut likelihoods =
            decoded.tokens.iter().zip(&decoded.likelihoods).filter(|(token, _)| of_text(**token));
        for (start, end, tokens) in segments {
            let text = whisper.vocabulary.text(&tokens)?;
            let likely: Vec<f32> =
                likelihoods.by_ref().take(tokens.len()).map(|(_, likelihood)| *likelihood).collect();
            let words = words(&tokens, &likely, |token| whisper.vocabulary.begins_word(token));
            if text.chars().any(char::is_alphanumeric) {
                let seconds = (hundredths(from + start.min(length)), hundredths(from + end.min(length)));
                // A window may be likely as a whole, and a segment of it not.
                let mean = likely.iter().sum::<f32>() / (likely.len().max(1) as f32);
                if mean < UNLIKELY || is_anomalous(&words) {
                    doubtful.push(seconds);
                }
                said.push_str(&text);
                self.transcript.segments.push(SpokenSegment { seconds, text });
                found = true;
            }
        }
        if found && (decoded.is_doubtful() || compression(&said) > REPETITIVE) {
            doubtful = vec![(from, from + step.unwrap_or(length))];
        }
        self.transcript.doubtful.append(&mut doubtful);
        Ok(step.map(|seconds| (seconds * f64::from(SPEECH_RATE)) as usize))
    }
}

impl Transcription for Session {
    fn hear(&mut self, samples: &[i16], cancel: &Cancel) -> Result<(), ModelError> {
        for piece in samples.chunks(WINDOW) {
            self.samples.extend_from_slice(piece);
            while self.samples.len() >= WINDOW {
                self.window(false, cancel)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, cancel: &Cancel) -> Result<Transcript, ModelError> {
        while !self.samples.is_empty() {
            self.window(true, cancel)?;
        }
        if !self.transcript.segments.is_empty() {
            let languages = &self.whisper.vocabulary.languages;
            let known = self.language.and_then(|l| languages.get(&l)).or_else(|| languages.values().next());
            self.transcript.language = known.cloned();
        }
        Ok(self.transcript)
    }
}

/// How likely each word is: the mean over its tokens.
fn words(tokens: &[u32], likelihoods: &[f32], begins: impl Fn(u32) -> bool) -> Vec<f32> {
    let mut words: Vec<(f32, usize)> = Vec::new();
    for (token, likelihood) in tokens.iter().zip(likelihoods) {
        match words.last_mut() {
            Some((sum, count)) if !begins(*token) => {
                *sum += likelihood.exp();
                *count += 1;
            }
            _ => words.push((likelihood.exp(), 1)),
        }
    }
    words.into_iter().map(|(sum, count)| sum / count as f32).collect()
}

/// Whether a segment is one that Whisper itself takes for made up: three of its first words are improbable, or all of them.
fn is_anomalous(words: &[f32]) -> bool {
    let first = words.get(..FIRST_WORDS).unwrap_or(words);
    let improbable = first.iter().filter(|word| **word < IMPROBABLE).count();
    improbable > 0 && (improbable >= ANOMALIES || improbable == first.len())
}

/// How many times shorter a text becomes when it is packed.
fn compression(text: &str) -> f64 {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    match packer.write_all(text.as_bytes()).and_then(|()| packer.finish()) {
        Ok(packed) => text.len() as f64 / packed.len().max(1) as f64,
        Err(_) => 0.0,
    }
}

/// Marks are no finer.
fn hundredths(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

fn is_loud(look: &[i16]) -> bool {
    let sum: f64 = look.iter().map(|s| f64::from(*s) * f64::from(*s)).sum();
    sum / look.len().max(1) as f64 > SILENT * SILENT
}

type Segments = Vec<(f64, f64, Vec<u32>)>;

/// Cuts tokens at the marks of time, in seconds of the window. Returns where the next window begins, where the end of this one was
/// not understood: what stands behind the last pair of marks is heard again.
/// A loop is not heard again: it would be the same.
fn segments(
    tokens: &[u32],
    length: f64,
    looped: bool,
    seconds: impl Fn(u32) -> Option<f64>,
) -> (Segments, Option<f64>) {
    let mut segments = Segments::new();
    let mut start = 0.0;
    let mut words: Vec<u32> = Vec::new();
    let mut ended: Option<f64> = None;
    for token in tokens {
        match seconds(*token) {
            None => words.push(*token),
            Some(second) if words.is_empty() => start = second,
            Some(second) => {
                segments.push((start, second, std::mem::take(&mut words)));
                ended = Some(second);
                start = second;
            }
        }
    }
    match ended {
        // It was in the middle of something.
        Some(second) if !words.is_empty() && second < length && !looped => (segments, Some(second)),
        _ => {
            if !words.is_empty() {
                segments.push((start, length, words));
            }
            // A mark that opens what did not come: there is more behind it.
            let marks = tokens.iter().rev().take_while(|t| seconds(**t).is_some()).count();
            (segments, ended.filter(|second| marks >= 2 && *second < length && !looped))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks are 1000 and above, a tenth of a second apart.
    fn cut(tokens: &[u32], length: f64, looped: bool) -> (Segments, Option<f64>) {
        segments(tokens, length, looped, |token| token.checked_sub(1_000).map(|n| f64::from(n) / 10.0))
    }

    #[test]
    fn improbable_words_make_a_segment_suspect() {
        let likelihoods = [-0.1_f32, -3.0, -3.0, -0.2];
        let words = words(&[10, 11, 20, 30], &likelihoods, |token| token % 10 == 0);
        assert_eq!(words.len(), 3, "a word of two tokens");
        assert!(!is_anomalous(&words) && !is_anomalous(&[]));
        assert!(is_anomalous(&[0.1, 0.9, 0.1, 0.1]) && is_anomalous(&[0.05]));
        assert!(!is_anomalous(&[0.1, 0.9, 0.1]));
    }

    #[test]
    fn what_repeats_itself_packs_well() {
        let prose =
            "The keeper climbed the stairs, lit the lamp, and wrote into his book what ships had passed.";
        assert!(compression(prose) < REPETITIVE);
        assert!(compression(&"and then he said ".repeat(12)) > REPETITIVE);
    }

    #[test]
    fn marks_part_segments_and_say_where_to_go_on() {
        let whole = cut(&[1_000, 1, 2, 1_020, 1_025, 3, 1_040], 30.0, false);
        assert_eq!(whole, (vec![(0.0, 2.0, vec![1, 2]), (2.5, 4.0, vec![3])], None), "nothing more is said");
        let more = cut(&[1_000, 1, 1_280, 1_280], 30.0, false);
        assert_eq!(more, (vec![(0.0, 28.0, vec![1])], Some(28.0)), "something began");
        let broken_off = cut(&[1_000, 1, 1_200, 1_200, 2, 3], 30.0, false);
        assert_eq!(broken_off, (vec![(0.0, 20.0, vec![1])], Some(20.0)), "its end is heard again");
        let unmarked = cut(&[1_003, 1, 2], 7.0, false);
        assert_eq!(unmarked, (vec![(0.3, 7.0, vec![1, 2])], None));
        let looped = cut(&[1_000, 1, 1_200, 1_200, 2], 30.0, true);
        assert_eq!(looped, (vec![(0.0, 20.0, vec![1]), (20.0, 30.0, vec![2])], None), "a loop is kept once");
        assert_eq!(cut(&[], 30.0, false), (Vec::new(), None));
    }
}
