//! Decoding of one window: the likeliest token each time, kept to the rules of the marks of time; drawn at a temperature where that
//! was no good.
//!
//! Draws are the same for the same window: a recording always gives the same text.

use super::Whisper;
use super::decoder::{Heard, Said};
use super::vocabulary::Vocabulary;
use crate::kernels::softmax_row;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;

/// Temperatures tried after 0, in this order.
const TEMPERATURES: [f32; 2] = [0.4, 0.8];
/// Below this mean logarithm of what the tokens are likely, a result is no good.
pub(super) const UNLIKELY: f32 = -1.0;
/// From this likelihood on that nobody speaks, an unlikely result is taken for noise.
const NOBODY: f32 = 0.6;
/// Marks of time later than this cannot be the first, in ticks.
const LATEST_FIRST: u32 = 50;
/// Tokens of a window.
const MOST_TOKENS: usize = 224;
/// A loop is as many tokens that repeat, and as many repetitions.
const LOOP_TOKENS: usize = 24;
const LOOP_TIMES: usize = 4;

/// What was made of a window.
pub(super) struct Decoded {
    /// Text and marks of time.
    pub(super) tokens: Vec<u32>,
    /// Logarithm of the likelihood of each.
    pub(super) likelihoods: Vec<f32>,
    /// Mean logarithm of the likelihood.
    likelihood: f32,
    /// Whether it fell into a loop, which was cut off.
    pub(super) looped: bool,
}

impl Decoded {
    /// Whether to distrust it.
    pub(super) fn is_doubtful(&self) -> bool {
        self.looped || self.likelihood < UNLIKELY
    }
}

/// Decodes a window; `None` where nobody speaks. `retries`: how many windows may still be tried again.
pub(super) fn decode(
    whisper: &Whisper,
    heard: &Heard,
    language: Option<u32>,
    retries: &mut u32,
    cancel: &Cancel,
) -> Result<Option<Decoded>, ModelError> {
    let vocabulary = &whisper.vocabulary;
    let mut said = whisper.decoder.begin();
    let mut logits = whisper.decoder.step(vocabulary.start, &mut said, heard)?;
    let nobody = vocabulary.nobody.map_or(0.0, |token| {
        let mut shares = logits.clone();
        softmax_row(&mut shares);
        shares.get(token as usize).copied().unwrap_or_default()
    });
    if let Some(language) = language {
        whisper.decoder.step(language, &mut said, heard)?;
        logits = whisper.decoder.step(vocabulary.transcribe, &mut said, heard)?;
    }
    let mut best = attempt(whisper, heard, said.clone(), logits.clone(), 0.0, cancel)?;
    if nobody > NOBODY && best.likelihood < UNLIKELY {
        return Ok(None);
    }
    for temperature in TEMPERATURES {
        if !best.is_doubtful() || *retries == 0 {
            break;
        }
        *retries -= 1;
        let next = attempt(whisper, heard, said.clone(), logits.clone(), temperature, cancel)?;
        if (next.looped, -next.likelihood) < (best.looped, -best.likelihood) {
            best = next;
        }
    }
    Ok(Some(best))
}

/// The likeliest language of a window.
pub(super) fn language(whisper: &Whisper, heard: &Heard) -> Result<Option<u32>, ModelError> {
    let mut said = whisper.decoder.begin();
    let logits = whisper.decoder.step(whisper.vocabulary.start, &mut said, heard)?;
    let score = |id: u32| logits.get(id as usize).copied().unwrap_or(f32::MIN);
    let ids = whisper.vocabulary.languages.keys().copied();
    Ok(ids.max_by(|a, b| score(*a).total_cmp(&score(*b))))
}

fn attempt(
    whisper: &Whisper,
    heard: &Heard,
    mut said: Said,
    mut logits: Vec<f32>,
    temperature: f32,
    cancel: &Cancel,
) -> Result<Decoded, ModelError> {
    let vocabulary = &whisper.vocabulary;
    let mut draws = Draws::default();
    let mut tokens: Vec<u32> = Vec::new();
    let mut words: Vec<u32> = Vec::new();
    let (mut sum, mut count) = (0.0_f32, 0_usize);
    let mut looped = false;
    let mut likelihoods: Vec<f32> = Vec::new();
    while tokens.len() < MOST_TOKENS.min(whisper.decoder.context / 2) {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        forbid(&mut logits, &tokens, vocabulary);
        let (token, likelihood) = draws.next(&mut logits, temperature)?;
        sum += likelihood;
        count += 1;
        if token == vocabulary.end {
            break;
        }
        tokens.push(token);
        likelihoods.push(likelihood);
        if token < vocabulary.end {
            words.push(token);
            if let Some(period) = period(&words) {
                looped = true;
                cut(
                    &mut tokens,
                    words.len().saturating_sub(LOOP_TOKENS.max(LOOP_TIMES * period)) + period,
                    vocabulary,
                );
                break;
            }
        }
        logits = whisper.decoder.step(token, &mut said, heard)?;
    }
    Ok(Decoded { tokens, likelihoods, likelihood: sum / count.max(1) as f32, looped })
}

/// The length of what the last tokens repeat.
fn period(words: &[u32]) -> Option<usize> {
    (1..=words.len() / LOOP_TIMES).find(|period| {
        let long = LOOP_TOKENS.max(LOOP_TIMES * period);
        words.len() >= long && {
            let tail = &words[words.len() - long..];
            tail.iter().zip(tail.iter().skip(*period)).all(|(a, b)| a == b)
        }
    })
}

/// Keeps the first `most` words, with the marks between them.
fn cut(tokens: &mut Vec<u32>, most: usize, vocabulary: &Vocabulary) {
    let mut words = 0;
    let end = tokens.iter().position(|token| {
        words += usize::from(*token < vocabulary.end);
        words > most
    });
    tokens.truncate(end.unwrap_or(tokens.len()));
}

/// Takes away what may not come next: marks of time stand in pairs, never go back, and one stands first.
fn forbid(logits: &mut [f32], tokens: &[u32], vocabulary: &Vocabulary) {
    let (zero, end) = (vocabulary.zero as usize, vocabulary.end as usize);
    let bar = |range: &mut [f32]| range.fill(f32::NEG_INFINITY);
    for id in &vocabulary.never {
        if let Some(logit) = logits.get_mut(*id as usize) {
            *logit = f32::NEG_INFINITY;
        }
    }
    if tokens.is_empty() {
        for id in &vocabulary.never_first {
            if let Some(logit) = logits.get_mut(*id as usize) {
                *logit = f32::NEG_INFINITY;
            }
        }
        bar(&mut logits[..zero]);
        if let Some(late) = logits.get_mut(zero + LATEST_FIRST as usize + 1..) {
            bar(late);
        }
        return;
    }
    let is_mark = |back: usize| {
        tokens.len().checked_sub(back).and_then(|n| tokens.get(n)).is_none_or(|t| *t as usize >= zero)
    };
    let (last, before) = (is_mark(1), is_mark(2));
    if last && before {
        bar(&mut logits[zero..]);
    } else if last {
        bar(&mut logits[..end]);
    }
    if let Some(latest) = tokens.iter().rev().find(|t| **t as usize >= zero) {
        // The beginning of a segment may be the end of the last.
        let to = *latest as usize + usize::from(!last || before);
        bar(&mut logits[zero..to]);
    }
    // Where some mark is likelier than any word, it is a mark.
    let (words, marks) = logits.split_at(zero);
    let top = words.iter().copied().fold(f32::MIN, f32::max);
    let best = marks.iter().copied().fold(f32::MIN, f32::max);
    let all = best + marks.iter().map(|m| (m - best).exp()).sum::<f32>().ln();
    if all > top {
        bar(&mut logits[..zero]);
    }
}

/// Picks tokens; the same for the same logits.
struct Draws {
    state: u64,
}

impl Default for Draws {
    fn default() -> Self {
        Self { state: 0x9E37_79B9_7F4A_7C15 }
    }
}

impl Draws {
    /// A token, and the logarithm of how likely it is.
    fn next(&mut self, logits: &mut [f32], temperature: f32) -> Result<(u32, f32), ModelError> {
        if logits.iter().any(|l| l.is_nan()) {
            return Err(ModelError::Failed("it computed what is not a number".into()));
        }
        let top = logits.iter().copied().fold(f32::MIN, f32::max);
        let all = top + logits.iter().map(|l| (l - top).exp()).sum::<f32>().ln();
        let token = if temperature > 0.0 {
            let shares: Vec<f32> = logits.iter().map(|l| ((l - top) / temperature).exp()).collect();
            let mut left = self.random() * shares.iter().sum::<f32>();
            shares.iter().position(|share| {
                left -= share;
                left <= 0.0 && *share > 0.0
            })
        } else {
            (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b]))
        };
        let token = token.unwrap_or_default();
        Ok((token as u32, logits.get(token).copied().unwrap_or(top) - all))
    }

    /// From 0 to 1.
    fn random(&mut self) -> f32 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as f32 / (1_u64 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn a_loop_is_seen_and_a_refrain_is_not() {
        let refrain: Vec<u32> = (0..4).flat_map(|n| [1, 2, 3, 4, 10 + n]).collect();
        assert_eq!(period(&refrain), None);
        let stuck: Vec<u32> = (0..10).chain([7; 24]).collect();
        assert_eq!(period(&stuck), Some(1));
        let sentence: Vec<u32> = (0..9).cycle().take(36).collect();
        assert_eq!(period(&sentence), Some(9));
        assert_eq!(period(&sentence[..20]), None);
    }
}
