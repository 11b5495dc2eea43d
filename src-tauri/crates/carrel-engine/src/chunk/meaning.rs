//! Where the subject changes: sentences are embedded, and what stands before a place is compared with what stands after it.
//!
//! Refuses to keep these vectors: they place cuts and are no vectors of passages. One that is too long for the model is looked at
//! by its beginning.

use super::Text;
use super::boundaries::{self, Strength, trim};
use crate::cancel::Cancel;
use crate::domain::{BlockKind, Span};
use crate::seams::{EmbedKind, Embedder, ModelError};

/// Sentences embedded at once.
const BATCH: usize = 64;
/// Sentences looked at on each side of a place.
const AROUND: usize = 3;
/// A sentence of fewer bytes goes with the next one.
const LEAST: usize = 40;

/// Places where a new passage begins, ascending. None in texts of few sentences.
pub(super) fn turns(
    text: &Text<'_>,
    embedder: &dyn Embedder,
    cancel: &Cancel,
) -> Result<Vec<usize>, ModelError> {
    let sentences = sentences(text);
    if sentences.len() < AROUND * 2 {
        return Ok(Vec::new());
    }
    let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(sentences.len());
    for batch in sentences.chunks(BATCH) {
        let texts: Vec<&str> =
            batch.iter().map(|span| beginning(text.markdown, *span, embedder)).collect::<Result<_, _>>()?;
        vectors.extend(embedder.embed(EmbedKind::Passage, &texts, cancel)?);
    }
    // Similarity of what stands before and after each sentence's beginning.
    let similar: Vec<f32> = (1..vectors.len())
        .map(|i| {
            let before = mean(&vectors[i.saturating_sub(AROUND)..i]);
            let after = mean(&vectors[i..(i + AROUND).min(vectors.len())]);
            cosine(&before, &after)
        })
        .collect();
    let threshold = threshold(&similar);
    let turns = similar.iter().enumerate().filter(|(i, here)| {
        let beside = |j: Option<usize>| j.and_then(|j| similar.get(j)).is_none_or(|other| *other >= **here);
        **here < threshold && beside(i.checked_sub(1)) && beside(i.checked_add(1))
    });
    Ok(turns.map(|(i, _)| sentences[i + 1].start).collect())
}

/// Half a standard deviation below the mean.
fn threshold(similar: &[f32]) -> f32 {
    let n = similar.len().max(1) as f32;
    let mean = similar.iter().sum::<f32>() / n;
    let variance = similar.iter().map(|s| (s - mean).powi(2)).sum::<f32>() / n;
    mean - variance.sqrt() / 2.0
}

/// The sentences of running text, short ones joined with the next.
fn sentences(text: &Text<'_>) -> Vec<Span> {
    let mut sentences: Vec<Span> = Vec::new();
    let prose = text.blocks.iter().filter(|block| {
        matches!(block.kind, BlockKind::Paragraph | BlockKind::List | BlockKind::Quote)
            && text.markdown.get(block.span.start..block.span.end).is_some()
    });
    for block in prose {
        let mut open: Option<Span> = None;
        for (piece, strength) in boundaries::sentences(text.markdown, block.span) {
            let span = Span::new(open.map_or(piece.start, |open| open.start), piece.end);
            if strength == Strength::Sentence && span.len() >= LEAST {
                sentences.push(span);
                open = None;
            } else {
                open = Some(span);
            }
        }
        sentences.extend(open);
    }
    sentences.retain(|span| trim(text.markdown, *span).is_some());
    sentences
}

/// As much of a sentence as the model reads.
fn beginning<'t>(markdown: &'t str, span: Span, embedder: &dyn Embedder) -> Result<&'t str, ModelError> {
    let mut sentence = span.of(markdown).unwrap_or_default().trim();
    let room = (embedder.space().window as usize).saturating_sub(embedder.tokenizer().overhead()).max(1);
    while embedder.tokenizer().count(sentence)? > room {
        sentence = &sentence[..sentence.floor_char_boundary(sentence.len() / 2)];
    }
    Ok(sentence)
}

fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        sum.iter_mut().zip(vector).for_each(|(s, x)| *s += x);
    }
    sum
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 { dot(a, b) / length } else { 0.0 }
}
