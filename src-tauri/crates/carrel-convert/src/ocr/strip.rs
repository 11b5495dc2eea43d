//! A line of text cut out of a page and laid straight: the networks' input.

use super::geometry::Region;
use image::RgbImage;

/// Height that the networks expect.
pub(super) const HEIGHT: usize = 48;
/// A longer line is squeezed to this.
const MAX_WIDTH: usize = 3_200;

/// Three planes of [`HEIGHT`] rows: blue, green, red, from -1 to 1.
pub(super) struct Strip {
    pub(super) planes: Vec<f32>,
    pub(super) width: usize,
}

/// Width of a region's strip.
pub(super) fn width(region: &Region) -> usize {
    let width = region.length / region.thickness.max(1.0) * HEIGHT as f32;
    (width.round() as usize).clamp(8, MAX_WIDTH)
}

/// Cuts the region out, `width` wide; what lies beyond the page continues its edge. The strip is filled up to `least` with grey.
pub(super) fn strip(page: &RgbImage, region: &Region, width: usize, least: usize) -> Strip {
    let full = width.max(least);
    let mut planes = vec![0.0; 3 * HEIGHT * full];
    // Pixels of the page for one of the strip: so many are averaged, or type that is large on the page would be torn.
    let samples = (region.thickness / HEIGHT as f32).ceil().clamp(1.0, 4.0) as usize;
    let share = 1.0 / (samples * samples) as f32;
    let plane = HEIGHT * full;
    for row in 0..HEIGHT {
        for column in 0..width {
            let mut sum = [0.0_f32; 3];
            for n in 0..samples * samples {
                let part = |n: usize| (n as f32 + 0.5) / samples as f32;
                let point = region.at(
                    (column as f32 + part(n % samples)) / width as f32,
                    (row as f32 + part(n / samples)) / HEIGHT as f32,
                );
                let colour = between(page, point);
                for (sum, value) in sum.iter_mut().zip(colour) {
                    *sum += value;
                }
            }
            let at = row * full + column;
            for (channel, value) in sum.into_iter().rev().enumerate() {
                planes[channel * plane + at] = value * share / 127.5 - 1.0;
            }
        }
    }
    Strip { planes, width: full }
}

/// The colour at a point, between the four pixels around it.
fn between(page: &RgbImage, (x, y): (f32, f32)) -> [f32; 3] {
    let (width, height) = page.dimensions();
    let (x, y) = (x - 0.5, y - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let (dx, dy) = (x - left, y - top);
    let pixel = |x: f32, y: f32| {
        let x = x.clamp(0.0, (width - 1) as f32) as usize;
        let y = y.clamp(0.0, (height - 1) as f32) as usize;
        let at = 3 * (y * width as usize + x);
        let bytes = page.as_raw();
        [f32::from(bytes[at]), f32::from(bytes[at + 1]), f32::from(bytes[at + 2])]
    };
    let upper = [pixel(left, top), pixel(left + 1.0, top)];
    let lower = [pixel(left, top + 1.0), pixel(left + 1.0, top + 1.0)];
    std::array::from_fn(|i| {
        let [upper, lower] = [upper, lower].map(|[left, right]| left[i] + (right[i] - left[i]) * dx);
        upper + (lower - upper) * dy
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_line_is_cut_out_the_way_it_is_read() {
        // Red on the left, blue on the right.
        let page =
            RgbImage::from_fn(200, 100, |x, _| if x < 100 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) });
        let region = Region { centre: (100.0, 50.0), along: (1.0, 0.0), length: 96.0, thickness: 48.0 };
        let blue = |strip: &Strip, column: usize| strip.planes[10 * strip.width + column];
        let ahead = strip(&page, &region, width(&region), 0);
        assert_eq!(ahead.width, 96);
        assert!(blue(&ahead, 10) < -0.9 && blue(&ahead, 90) > 0.9);
        let back = strip(&page, &region.reversed(), 96, 160);
        assert!(blue(&back, 10) > 0.9 && blue(&back, 90) < -0.9 && blue(&back, 150).abs() < 0.01);
    }
}
