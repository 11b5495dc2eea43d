//! Charts: the labels of their axes and bars are kept, but as one text beside the caption, not as lines in the middle of others.
//!
//! A chart is where curves, slanting lines or filled areas lie close to each other, and where nearly all text is short, and much of
//! it figures. What holds sentences is a frame, and stays as it is.

use super::items::is_caption;
use super::lines::Line;
use super::page::Item;
use super::read::{Drawn, Rule};
use super::tables::{around, is_figure, usual_size};
use super::upright::Upright;

/// Marks of one figure are not further apart, in points.
const GAP: f32 = 14.0;
/// A chart has so many marks, and labels.
const MIN_MARKS: usize = 6;
const MIN_LABELS: usize = 5;
/// It is at least this wide and high, in points.
const MIN_SIDE: f32 = 60.0;
/// What covers more of the page is its ground.
const MAX_SHARE: f32 = 0.6;
/// Labels are shorter, in characters.
const LABEL: usize = 24;
/// A bar is thicker than this, in points, and there are so many lengths of them.
const MIN_BAR: f32 = 3.0;
const MIN_LENGTHS: usize = 4;
const MAX_REGIONS: usize = 200;
/// Its caption is not further away, in points.
const CAPTION: f32 = 40.0;

/// The line from which a bar is drawn, and its length.
type Ends = fn(&Rule) -> (f32, f32);

/// What of a drawing may be part of a chart: curves, and bars, which are areas of several lengths from one line.
pub(super) fn marks(drawn: &Drawn, upright: &Upright) -> Vec<Rule> {
    let areas: Vec<Rule> = drawn
        .areas
        .iter()
        .map(|area| upright.rect(*area))
        .filter(|area| area.right - area.left > MIN_BAR && area.bottom - area.top > MIN_BAR)
        .collect();
    let mut marks: Vec<Rule> = drawn.curves.iter().map(|curve| upright.rect(*curve)).collect();
    let ways: [Ends; 2] = [|r| (r.bottom, r.bottom - r.top), |r| (r.left, r.right - r.left)];
    for ends in ways {
        let mut bars = areas.clone();
        bars.sort_by(|a, b| ends(a).0.total_cmp(&ends(b).0));
        for group in bars.chunk_by(|a, b| ends(b).0 - ends(a).0 <= 0.5) {
            let mut lengths: Vec<i32> = group.iter().map(|bar| (ends(bar).1 / 2.0).round() as i32).collect();
            lengths.sort_unstable();
            lengths.dedup();
            if lengths.len() >= MIN_LENGTHS {
                marks.extend_from_slice(group);
            }
        }
    }
    marks
}

/// The labels of each chart, by their places among the lines. `marks` are what is drawn, in the coordinates of the lines;
/// `forms` are drawn as one.
pub(super) fn labels(lines: &[Line], marks: &[Rule], forms: &[Rule], page: (f32, f32)) -> Vec<Vec<usize>> {
    if marks.len() < MIN_MARKS && forms.is_empty() {
        return Vec::new();
    }
    let center = |line: &Line| (f32::midpoint(line.left, line.right), f32::midpoint(line.top, line.bottom));
    // What text stands on is a frame, or the shade of a row.
    let marks: Vec<Rule> = marks
        .iter()
        .filter(|mark| {
            !lines
                .iter()
                .map(center)
                .any(|(x, y)| mark.left <= x && x <= mark.right && mark.top <= y && y <= mark.bottom)
        })
        .copied()
        .collect();
    let mut taken = vec![false; lines.len()];
    let mut charts = Vec::new();
    let forms = forms.iter().filter(|form| form.is_placed()).map(|form| (*form, MIN_MARKS));
    for (region, count) in regions(&marks, page).into_iter().chain(forms) {
        let wide = region.right - region.left >= MIN_SIDE && region.bottom - region.top >= MIN_SIDE;
        if count < MIN_MARKS || !wide || region.share_of(page.0, page.1) > MAX_SHARE {
            continue;
        }
        let inside: Vec<usize> = lines
            .iter()
            .enumerate()
            .filter(|(at, line)| {
                taken.get(*at) == Some(&false) && is_at(line, region) && !is_caption(&line.text)
            })
            .map(|(at, _)| at)
            .collect();
        // A title over it is larger.
        let size = usual_size(inside.iter().filter_map(|at| lines.get(*at)));
        let inside: Vec<usize> = inside
            .into_iter()
            .filter(|at| lines.get(*at).is_some_and(|line| line.size <= 1.1 * size + 0.5))
            .collect();
        let chart: Vec<&Line> = inside.iter().filter_map(|at| lines.get(*at)).collect();
        if is_chart(&chart) {
            for at in &inside {
                if let Some(taken) = taken.get_mut(*at) {
                    *taken = true;
                }
            }
            charts.push(inside);
        }
    }
    charts
}

/// The labels of a chart as one line. It is smaller than its letters, so that no other text goes on with it.
pub(super) fn one_line(labels: &[Line]) -> Option<Line> {
    let place = around(labels.iter())?;
    let text: Vec<&str> = labels.iter().map(|line| line.text.trim()).collect();
    let size = 0.8 * usual_size(labels.iter());
    let mut line = Line { text: text.join(" "), size, bold: false, ..labels.first()?.clone() };
    line.put(place);
    line.baseline = place.bottom;
    Some(line)
}

/// Puts the text of a chart before its caption, or behind all else.
pub(super) fn put(chart: Line, items: &mut Vec<Item>) {
    let place = chart.place();
    let at = items.iter().position(|item| match item {
        Item::Line(line) => {
            let apart = (line.top - place.bottom).max(place.top - line.bottom);
            is_caption(&line.text) && apart < CAPTION && line.overlap_x(&chart) > 0.0
        }
        Item::Table(_) => false,
    });
    items.insert(at.unwrap_or(items.len()), Item::Line(chart));
}

/// What is drawn close to each other, and of how many marks.
fn regions(marks: &[Rule], (width, height): (f32, f32)) -> Vec<(Rule, usize)> {
    let near = |a: &Rule, b: &Rule| {
        a.left <= b.right + GAP
            && b.left <= a.right + GAP
            && a.top <= b.bottom + GAP
            && b.top <= a.bottom + GAP
    };
    let mut regions: Vec<(Rule, usize)> = Vec::new();
    // A frame or the ground of a page is no mark.
    for mark in marks.iter().filter(|mark| mark.is_placed() && mark.share_of(width, height) < 0.3) {
        let full = regions.len() >= MAX_REGIONS;
        match regions.iter_mut().find(|(region, _)| near(region, mark)) {
            Some((region, count)) => {
                *region = region.around(mark);
                *count += 1;
            }
            None if full => {}
            None => regions.push((*mark, 1)),
        }
    }
    let mut at = 0;
    while let Some((region, _)) = regions.get(at).copied() {
        let other = regions.iter().enumerate().skip(at + 1).find(|(_, (other, _))| near(&region, other));
        let Some((other, _)) = other else {
            at += 1;
            continue;
        };
        let (more, count) = regions.swap_remove(other);
        if let Some(kept) = regions.get_mut(at) {
            *kept = (kept.0.around(&more), kept.1 + count);
        }
        // A larger one may touch one before it.
        at = 0;
    }
    regions
}

/// Whether a line stands on the chart, or right beside it where it is short.
fn is_at(line: &Line, region: Rule) -> bool {
    let y = f32::midpoint(line.top, line.bottom);
    if line.chars() > LABEL {
        let x = f32::midpoint(line.left, line.right);
        return region.left <= x && x <= region.right && region.top <= y && y <= region.bottom;
    }
    let (aside, above) = (line.size, 1.5 * line.size);
    region.left - aside <= line.right
        && line.left <= region.right + aside
        && region.top - above <= y
        && y <= region.bottom + above
}

fn is_chart(lines: &[&Line]) -> bool {
    let short = lines.iter().filter(|line| line.chars() <= LABEL).count();
    let figures = lines.iter().filter(|line| is_figure(&line.text) || line.chars() <= 2).count();
    lines.len() >= MIN_LABELS && short * 10 >= lines.len() * 8 && figures * 3 >= lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, top: f32) -> Line {
        Line {
            text: text.into(),
            left,
            right: left + 4.0 * text.chars().count() as f32,
            top,
            bottom: top + 9.0,
            baseline: top + 7.0,
            size: 8.0,
            bold: false,
            mono: false,
            font: 0,
            run_in: false,
        }
    }

    fn bars() -> Vec<Rule> {
        (0..8_u8)
            .map(|i| {
                let left = 100.0 + 20.0 * f32::from(i);
                Rule { left, right: left + 12.0, top: 300.0 - 8.0 * f32::from(i), bottom: 400.0 }
            })
            .collect()
    }

    #[test]
    fn labels_of_a_chart_are_one_text_before_the_caption_and_sentences_beside_it_stay() {
        let mut lines = vec![line("The speed of all programs that we have measured is shown", 90.0, 150.0)];
        lines.extend((0..4_u8).map(|i| line(&format!("{}0%", 4 - i), 84.0, 300.0 + 25.0 * f32::from(i))));
        lines.extend(
            ["fft", "sha1", "crc"]
                .iter()
                .zip(0_u8..)
                .map(|(t, i)| line(t, 100.0 + 40.0 * f32::from(i), 402.0)),
        );
        lines.push(line("Figure 3. Speed of programs", 100.0, 420.0));
        let charts = labels(&lines, &bars(), &[], (600.0, 800.0));
        assert_eq!(charts, [vec![1, 2, 3, 4, 5, 6, 7]]);
        let chart: Vec<Line> = charts[0].iter().map(|at| lines[*at].clone()).collect();
        let mut items = vec![Item::Line(lines[0].clone()), Item::Line(lines[8].clone())];
        put(one_line(&chart).unwrap(), &mut items);
        let Item::Line(chart) = &items[1] else { unreachable!() };
        assert_eq!(chart.text, "40% 30% 20% 10% fft sha1 crc");
    }

    #[test]
    fn sentences_in_a_frame_of_drawings_are_no_labels() {
        let text = "The speed of all programs that we have measured";
        let lines: Vec<Line> = (0..8_u8).map(|i| line(text, 100.0, 300.0 + 11.0 * f32::from(i))).collect();
        assert!(labels(&lines, &bars(), &[], (600.0, 800.0)).is_empty());
    }
}
