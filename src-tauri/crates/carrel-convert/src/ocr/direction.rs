//! Which way up a page is.
//!
//! The detector tells wide lines from tall ones, not their direction: a page may lie on its side or stand on its head, and vertical
//! text runs down. A small network looks at sample lines; where it doubts, they are read both ways, and the better reading wins.

use super::geometry::{Region, Vector, median};
use super::model::Model;
use super::recognise::recognise;
use super::strip::{HEIGHT, strip, width};
use image::RgbImage;

/// Lines that go in one direction.
pub(super) struct Frame {
    /// The direction of reading.
    pub(super) axis: Vector,
    pub(super) regions: Vec<Region>,
}

/// Width of what the network for turns looks at.
const WINDOW: usize = 192;
/// Lines it looks at, and lines that are read both ways where it doubts.
const SAMPLES: usize = 9;
const READ: usize = 4;
/// A line of fewer widths than this says little.
const TELLING: f32 = 3.0;

/// Parts the lines of a page by direction, the larger group first.
pub(super) fn frames(model: &Model, page: &RgbImage, regions: Vec<Region>) -> Result<Vec<Frame>, String> {
    let (wide, tall): (Vec<Region>, Vec<Region>) =
        regions.into_iter().partition(|region| region.along.0.abs() >= region.along.1.abs());
    let mut frames = Vec::new();
    for regions in [wide, tall] {
        if regions.is_empty() {
            continue;
        }
        let backwards = is_backwards(model, page, &regions)?;
        let regions: Vec<Region> =
            regions.into_iter().map(|region| if backwards { region.reversed() } else { region }).collect();
        let along = |part: fn(&Region) -> f32| median(regions.iter().map(part)).unwrap_or_default();
        let (x, y) = (along(|region| region.along.0), along(|region| region.along.1));
        let length = x.hypot(y).max(f32::MIN_POSITIVE);
        frames.push(Frame { axis: (x / length, y / length), regions });
    }
    frames.sort_by_key(|frame| std::cmp::Reverse(frame.regions.len()));
    Ok(frames)
}

fn is_backwards(model: &Model, page: &RgbImage, regions: &[Region]) -> Result<bool, String> {
    let mut samples: Vec<&Region> = regions.iter().collect();
    samples.sort_by(|a, b| b.length.total_cmp(&a.length));
    samples.truncate(SAMPLES);
    let telling = |region: &&&Region| region.length >= TELLING * region.thickness;
    let mut upside_down = Vec::new();
    for region in samples.iter().filter(telling) {
        upside_down.push(upside_down_of(model, page, region)?);
    }
    // All but one of at least three agree that it is upright, and none is sure of the contrary.
    let against = upside_down.iter().filter(|share| **share > 0.5).count();
    if upside_down.len() >= 3
        && against <= upside_down.len() / 9
        && upside_down.iter().all(|share| *share < 0.9)
    {
        return Ok(false);
    }
    let (mut forward, mut backward) = (0.0, 0.0);
    for region in samples.into_iter().take(READ) {
        forward += recognise(model, page, region)?.confidence;
        backward += recognise(model, page, &region.reversed())?.confidence;
    }
    Ok(backward > forward)
}

/// How likely the line stands on its head, by its beginning.
fn upside_down_of(model: &Model, page: &RgbImage, region: &Region) -> Result<f32, String> {
    let full = width(region);
    let share = (WINDOW as f32 / full as f32).min(1.0);
    let window = Region { centre: region.at(share / 2.0, 0.5), length: region.length * share, ..*region };
    let strip = strip(page, &window, full.min(WINDOW), WINDOW);
    let (_, scores) = model.turns.run::<2>(strip.planes, (strip.width, HEIGHT))?;
    Ok(scores.get(1).copied().unwrap_or_default())
}
