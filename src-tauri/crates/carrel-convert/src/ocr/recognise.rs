//! The text of one line.

use super::geometry::Region;
use super::model::Model;
use super::strip::{HEIGHT, strip, width};
use image::RgbImage;

/// A shorter strip is filled up to this: the recogniser loses the last letter at the very edge.
const LEAST_WIDTH: usize = 160;

/// A line as read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Read {
    pub(super) text: String,
    /// Mean of the letters', 0 to 1.
    pub(super) confidence: f32,
}

/// Reads the line in a region.
pub(super) fn recognise(model: &Model, page: &RgbImage, region: &Region) -> Result<Read, String> {
    let strip = strip(page, region, width(region), LEAST_WIDTH);
    let ([_, _, classes], scores) = model.recogniser.run::<3>(strip.planes, (strip.width, HEIGHT))?;
    Ok(decode(&scores, classes, &model.letters))
}

/// Takes the likeliest class of each step; the same twice in a row is one letter, class 0 is none (CTC, greedy).
fn decode(scores: &[f32], classes: usize, letters: &[String]) -> Read {
    let mut text = String::new();
    let (mut sum, mut count) = (0.0, 0_u32);
    let mut last = 0;
    for step in scores.chunks_exact(classes.max(1)) {
        let (class, score) = likeliest(step);
        if class != 0 && class != last {
            text.push_str(letters.get(class).map_or("", String::as_str));
            sum += score;
            count += 1;
        }
        last = class;
    }
    Read { text: text.trim().to_owned(), confidence: if count == 0 { 0.0 } else { sum / count as f32 } }
}

/// The class with the highest share of 1. Beyond a half there can be no higher one, and there are thousands.
fn likeliest(shares: &[f32]) -> (usize, f32) {
    let mut best = (0, 0.0);
    for (class, share) in shares.iter().enumerate() {
        if *share > best.1 {
            best = (class, *share);
            if best.1 > 0.5 {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_steps_are_one_letter_and_blanks_part_them() {
        let letters: Vec<String> = ["", "a", "b"].map(str::to_owned).to_vec();
        let steps = [[0.1, 0.9, 0.0], [0.2, 0.8, 0.0], [0.9, 0.1, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]];
        let read = decode(&steps.concat(), 3, &letters);
        assert_eq!(read.text, "aab");
        assert!((read.confidence - (0.9 + 0.7 + 1.0) / 3.0).abs() < 1e-6);
        assert_eq!(decode(&[], 3, &letters), Read { text: String::new(), confidence: 0.0 });
    }
}
