//! Reading order and regions, of lines and maps that no model made.

use super::detect::fuzz_regions;
use super::geometry::{Region, down};
use super::order::{Line, paragraphs};
use super::strip::{strip, width};
use crate::formats::fuzz::Input;
use image::RgbImage;

/// The first byte chooses between lines and a map of pixels.
pub(crate) fn layout(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let page = (u32::from(input.short()) + 1, u32::from(input.short()) + 1);
    if input.byte().is_multiple_of(2) {
        lines(&mut input, page);
    } else {
        let (across, rest) = (usize::from(input.byte()) + 1, input.rest());
        let likely: Vec<u8> = rest.chunks_exact(across).flatten().copied().collect();
        let picture =
            RgbImage::from_pixel(across as u32, (likely.len() / across).max(1) as u32, image::Rgb([9; 3]));
        for region in fuzz_regions(across, likely).into_iter().take(4) {
            let finite = [region.centre.0, region.centre.1, region.length, region.thickness];
            assert!(finite.iter().all(|n| n.is_finite()), "{region:?}");
            let strip = strip(&picture, &region, width(&region), 0);
            assert!(strip.planes.iter().all(|n| n.is_finite()));
        }
    }
}

fn lines(input: &mut Input<'_>, page: (u32, u32)) {
    let angle = f32::from(input.byte()) / 40.0;
    let axis = (angle.cos(), angle.sin());
    let mut lines = Vec::new();
    let (mut x, mut y) = (100.0_f32, 100.0_f32);
    while !input.is_empty() && lines.len() < super::MAX_LINES {
        (x, y) = match input.byte() % 4 {
            0 => (input.place(x), y + 20.0),
            1 => (f32::from(input.short() % 2_000), f32::from(input.short() % 2_000)),
            _ => (x, y + 20.0),
        };
        let region = Region {
            centre: (x, y),
            along: axis,
            length: input.place(200.0).abs(),
            thickness: input.place(28.0).abs(),
        };
        // The detector measures regions in pixels of a map.
        if [x, y, region.length, region.thickness].iter().all(|n| n.abs() < 1e6) {
            lines.push(Line::new(input.text(), &region, axis, page));
        }
    }
    let all = lines.len();
    let found = paragraphs(lines);
    let parts: usize = found.iter().map(|paragraph| paragraph.parts.len()).sum();
    assert!(parts <= all, "{parts} parts of {all} lines");
    for part in found.iter().flat_map(|paragraph| &paragraph.parts) {
        let [left, top, right, bottom] = part.bounds;
        let inside = left >= 0.0 && top >= 0.0 && right <= page.0 as f32 && bottom <= page.1 as f32;
        assert!(inside && left <= right && top <= bottom, "{part:?} on {page:?}");
    }
    assert!(down(axis).0.is_finite());
}
