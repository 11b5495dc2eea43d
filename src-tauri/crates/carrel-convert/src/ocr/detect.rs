//! Where text stands on a page.
//!
//! The detector says for each pixel how likely it belongs to the core of a line; touching pixels are a line, and the box around
//! them is widened by what the core lacks. It looks at a page of common type at 960 pixels; where lines come out thinner than it reads
//! well, it looks again at more pixels, tile by tile, so that memory stays bounded.

use super::geometry::{Region, Vector, dot, down, median};
use super::model::Model;
use image::{DynamicImage, RgbImage};

/// The longer side at the first look, and at most.
const FIRST_LOOK: u32 = 960;
const MOST: u32 = 5_120;
/// What is looked at in one go; tiles overlap by this much on each side.
const TILE: u32 = 1_280;
const OVERLAP: u32 = 64;
/// Small pictures are enlarged, at most so much.
const ENLARGED: f32 = 3.0;
/// A line that measures less than this is looked at again, so that it measures this.
const THIN: f32 = 11.5;
const READABLE: f32 = 17.0;
/// From here on (of 255) a pixel belongs to text; the mean of a line must reach more.
const PIXEL: u8 = 77;
const LINE: f32 = 140.0;
/// How far a box is widened: the core of a line is its box shrunk by a rule of the training.
const WIDENED: f32 = 1.75;
/// A core of fewer pixels is a speck.
const SPECK: usize = 12;
/// Times as long as thick: from here on a core shows by itself which way it runs.
const RUNS: f32 = 4.0;
/// Turns below this (radians) are none.
const STRAIGHT: f32 = 0.006;

/// The lines of a page, wide ones as if read from left to right and tall ones from top to bottom.
pub(super) fn detect(model: &Model, page: &DynamicImage) -> Result<Vec<Region>, String> {
    let long = page.width().max(page.height()).max(1);
    let scale = (FIRST_LOOK as f32 / long as f32).min(ENLARGED);
    let found = look(model, page, scale)?;
    let Some(typical) = median(found.iter().map(|region| region.thickness * scale)) else {
        return Ok(found);
    };
    let limit = MOST as f32 / long as f32;
    let better = (scale * READABLE / typical).min(limit).min(ENLARGED);
    if typical >= THIN || better < scale * 1.2 {
        return Ok(found);
    }
    look(model, page, better)
}

fn look(model: &Model, page: &DynamicImage, scale: f32) -> Result<Vec<Region>, String> {
    let side = |length: u32| ((length as f32 * scale).round() as u32).max(32);
    let (width, height) = (side(page.width()), side(page.height()));
    let filter = image::imageops::FilterType::Triangle;
    let small = page.resize_exact(width, height, filter).into_rgb8();
    let map = Map::of(model, &small)?;
    let by = (page.width() as f32 / width as f32, page.height() as f32 / height as f32);
    Ok(map.regions().into_iter().map(|region| enlarged(region, by)).collect())
}

/// The lines of a map that no model made.
#[cfg(feature = "fuzz")]
pub(super) fn fuzz_regions(width: usize, likely: Vec<u8>) -> Vec<Region> {
    Map { width, height: likely.len() / width.max(1), likely }.regions()
}

fn enlarged(region: Region, (x, y): (f32, f32)) -> Region {
    let by = f32::midpoint(x, y);
    let centre = (region.centre.0 * x, region.centre.1 * y);
    Region { centre, length: region.length * by, thickness: region.thickness * by, ..region }
}

/// How likely each pixel is text, of 255.
struct Map {
    width: usize,
    height: usize,
    likely: Vec<u8>,
}

impl Map {
    fn of(model: &Model, page: &RgbImage) -> Result<Self, String> {
        let (width, height) = page.dimensions();
        let mut map = Self {
            width: width as usize,
            height: height as usize,
            likely: vec![0; (width * height) as usize],
        };
        for (top, bottom) in tiles(height) {
            for (left, right) in tiles(width) {
                map.fill(model, page, [left, top, right, bottom])?;
            }
        }
        Ok(map)
    }

    /// Looks at a tile; where tiles overlap, the likelier counts.
    fn fill(
        &mut self,
        model: &Model,
        page: &RgbImage,
        [left, top, right, bottom]: [u32; 4],
    ) -> Result<(), String> {
        let (width, height) = ((right - left) as usize, (bottom - top) as usize);
        let (full_width, full_height) = (width.next_multiple_of(32), height.next_multiple_of(32));
        let plane = full_width * full_height;
        // Beyond the page it is white.
        let mut planes = vec![1.0; 3 * plane];
        let stride = 3 * page.width() as usize;
        for y in 0..height {
            let start = (top as usize + y) * stride + 3 * left as usize;
            let row = &page.as_raw()[start..start + 3 * width];
            for (x, pixel) in row.chunks_exact(3).enumerate() {
                for (channel, value) in pixel.iter().rev().enumerate() {
                    planes[channel * plane + y * full_width + x] = f32::from(*value) / 127.5 - 1.0;
                }
            }
        }
        let (_, likely) = model.detector.run::<4>(planes, (full_width, full_height))?;
        if likely.len() != plane {
            return Err("the detector answered for another size".to_owned());
        }
        for (y, row) in likely.chunks_exact(full_width).take(height).enumerate() {
            let start = (top as usize + y) * self.width + left as usize;
            for (own, likely) in self.likely[start..start + width].iter_mut().zip(row) {
                *own = (*own).max((likely * 255.0) as u8);
            }
        }
        Ok(())
    }

    fn regions(&self) -> Vec<Region> {
        let cores: Vec<Core> = self.cores();
        let slant = slant(&cores);
        let (wide, tall): (f32, f32) =
            cores.iter().fold((0.0, 0.0), |(wide, tall), core| match core.shape() {
                Shape::Wide => (wide + core.area(), tall),
                Shape::Tall => (wide, tall + core.area()),
                Shape::Square => (wide, tall),
            });
        let mostly = if tall > wide { Shape::Tall } else { Shape::Wide };
        let typical = median(cores.iter().filter(|c| c.shape() == mostly).map(|c| c.thickness(mostly)));
        cores.iter().filter_map(|core| core.region(mostly, typical.unwrap_or_default(), slant)).collect()
    }

    /// Groups of touching pixels that are text on the whole.
    fn cores(&self) -> Vec<Core> {
        let mut seen: Vec<bool> = self.likely.iter().map(|likely| *likely < PIXEL).collect();
        let mut cores = Vec::new();
        let mut open = Vec::new();
        for start in 0..seen.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            open.push(start);
            let mut core = Core::default();
            while let Some(at) = open.pop() {
                let (x, y) = (at % self.width, at / self.width);
                core.take((x as f32, y as f32), self.likely[at]);
                for y in y.saturating_sub(1)..=(y + 1).min(self.height - 1) {
                    for x in x.saturating_sub(1)..=(x + 1).min(self.width - 1) {
                        let next = y * self.width + x;
                        if !seen[next] {
                            seen[next] = true;
                            open.push(next);
                        }
                    }
                }
            }
            if core.points.len() >= SPECK && core.sum / core.points.len() as f32 >= LINE {
                cores.push(core);
            }
        }
        cores
    }
}

/// From and to of the pieces of a side.
fn tiles(length: u32) -> Vec<(u32, u32)> {
    if length <= TILE {
        return vec![(0, length)];
    }
    let step = TILE - 2 * OVERLAP;
    let count = (length - 2 * OVERLAP).div_ceil(step);
    // Even pieces: a last one of a few pixels would cost as much as it is worthless.
    let step = (length - 2 * OVERLAP).div_ceil(count);
    (0..count).map(|n| (n * step, ((n + 1) * step + 2 * OVERLAP).min(length))).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Wide,
    Tall,
    Square,
}

/// The core of a line.
#[derive(Debug)]
struct Core {
    points: Vec<Vector>,
    sum: f32,
    low: Vector,
    high: Vector,
}

impl Default for Core {
    fn default() -> Self {
        Self { points: Vec::new(), sum: 0.0, low: (f32::MAX, f32::MAX), high: (0.0, 0.0) }
    }
}

impl Core {
    fn take(&mut self, point: Vector, likely: u8) {
        self.points.push(point);
        self.sum += f32::from(likely);
        self.low = (self.low.0.min(point.0), self.low.1.min(point.1));
        self.high = (self.high.0.max(point.0), self.high.1.max(point.1));
    }

    fn size(&self) -> Vector {
        (self.high.0 - self.low.0 + 1.0, self.high.1 - self.low.1 + 1.0)
    }

    fn area(&self) -> f32 {
        self.points.len() as f32
    }

    fn shape(&self) -> Shape {
        let (width, height) = self.size();
        if width >= 1.5 * height {
            Shape::Wide
        } else if height >= 1.5 * width {
            Shape::Tall
        } else {
            Shape::Square
        }
    }

    /// Across a line that runs so, as if it were straight.
    fn thickness(&self, shape: Shape) -> f32 {
        let (width, height) = self.size();
        if shape == Shape::Tall { width } else { height }
    }

    /// By how much it is turned against its axis, in radians clockwise, where it is long enough to tell.
    fn slant(&self) -> Option<f32> {
        let count = self.points.len() as f32;
        let sum = self.points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
        let mean = (sum.0 / count, sum.1 / count);
        let (mut xx, mut xy, mut yy) = (0.0_f32, 0.0_f32, 0.0_f32);
        for point in &self.points {
            let (x, y) = (point.0 - mean.0, point.1 - mean.1);
            xx += x * x;
            xy += x * y;
            yy += y * y;
        }
        let (larger, smaller) = {
            let (middle, spread) = (f32::midpoint(xx, yy), ((xx - yy) / 2.0).hypot(xy));
            (middle + spread, (middle - spread).max(f32::MIN_POSITIVE))
        };
        if larger < RUNS * RUNS * smaller {
            return None;
        }
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        // Of a tall one against the vertical.
        Some(if xx >= yy { angle } else { angle - std::f32::consts::FRAC_PI_2.copysign(angle) })
    }

    /// The box, widened; `None` where it is too thin to be text. A single letter may be tall among wide lines.
    fn region(&self, mostly: Shape, typical: f32, slant: f32) -> Option<Region> {
        let shape = match self.shape() {
            Shape::Square => mostly,
            shape if shape != mostly && self.size().0.max(self.size().1) < 2.0 * typical => mostly,
            shape => shape,
        };
        let slant = self.slant().unwrap_or(slant);
        let slant = if slant.abs() < STRAIGHT { 0.0 } else { slant };
        let along = match shape {
            Shape::Tall => (-slant.sin(), slant.cos()),
            _ => (slant.cos(), slant.sin()),
        };
        let across = down(along);
        let mut low = (f32::MAX, f32::MAX);
        let mut high = (f32::MIN, f32::MIN);
        for point in &self.points {
            let (a, d) = (dot(*point, along), dot(*point, across));
            low = (low.0.min(a), low.1.min(d));
            high = (high.0.max(a), high.1.max(d));
        }
        let (length, thickness) = (high.0 - low.0 + 1.0, high.1 - low.1 + 1.0);
        if length < 3.0 || thickness < 2.0 {
            return None;
        }
        let wider = length * thickness * WIDENED / (length + thickness);
        // Pixels are counted by their corners, regions are measured from edge to edge.
        let (a, d) = (f32::midpoint(low.0, high.0), f32::midpoint(low.1, high.1));
        let centre = (along.0 * a + across.0 * d + 0.5, along.1 * a + across.1 * d + 0.5);
        Some(Region { centre, along, length: length + wider, thickness: thickness + wider })
    }
}

/// The turn of the page, from the lines long enough to tell.
fn slant(cores: &[Core]) -> f32 {
    median(cores.iter().filter_map(Core::slant)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: usize, height: usize, text: impl Fn(f32, f32) -> bool) -> Map {
        let likely = (0..width * height)
            .map(|at| if text((at % width) as f32, (at / width) as f32) { 250 } else { 0 })
            .collect();
        Map { width, height, likely }
    }

    #[test]
    fn a_slanted_line_is_measured_along_its_slant() {
        let slant = 0.05_f32;
        let map = map(400, 100, |x, y| {
            let down = (y - 40.0) - (x - 200.0) * slant.tan();
            down.abs() <= 3.0 && (x - 200.0).abs() <= 150.0
        });
        let regions = map.regions();
        assert_eq!(regions.len(), 1);
        let region = &regions[0];
        assert!((region.along.1 - slant.sin()).abs() < 0.01, "{region:?}");
        assert!((region.centre.0 - 200.5).abs() < 2.0 && (region.centre.1 - 40.5).abs() < 2.0, "{region:?}");
        assert!(region.thickness > 14.0 && region.thickness < 22.0, "{region:?}");
    }

    #[test]
    fn tall_lines_run_down_and_specks_are_left_out() {
        let map = map(100, 300, |x, y| {
            ((60.0..68.0).contains(&x) && (20.0..280.0).contains(&y)) || (x < 3.0 && y < 3.0)
        });
        let regions = map.regions();
        assert_eq!(regions.len(), 1);
        assert!(regions[0].along.1 > 0.99 && regions[0].length > 260.0);
    }

    #[test]
    fn tiles_cover_a_side_and_overlap() {
        assert_eq!(tiles(1_280), [(0, 1_280)]);
        for length in [1_281, 2_339, 5_120, 12_000] {
            let tiles = tiles(length);
            assert_eq!((tiles[0].0, tiles[tiles.len() - 1].1), (0, length));
            assert!(tiles.iter().all(|(from, to)| to - from <= TILE), "{tiles:?}");
            assert!(tiles.windows(2).all(|pair| pair[0].1 >= pair[1].0 + OVERLAP), "{tiles:?}");
        }
    }
}
