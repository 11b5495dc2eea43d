//! The reading order of the lines of a page.
//!
//! Most files draw their text in reading order, and no geometry knows better: that order stays unless the lines show that
//! it goes across columns, or up and down the page. Columns are never interleaved.

use super::lines::Line;
use super::page::Item;
use super::read::Rule;

/// Boxes of lines may overlap by this much, in points.
const SLACK: f32 = 2.0;
/// A page that goes up and down more often is a drawing.
const MAX_RUNS: usize = 200;

/// Puts lines into reading order. What stands on one row in one column stays apart.
pub(super) fn ordered(lines: Vec<Line>, page_width: f32) -> Vec<Line> {
    if lines.len() < 2 {
        return lines;
    }
    if is_disordered(&lines) || crosses_columns(&lines, page_width) {
        by_columns(lines, page_width, 0)
    } else {
        lines
    }
}

/// Whether many lines follow one that stands below them in the same column.
fn is_disordered(lines: &[Line]) -> bool {
    let up = lines
        .windows(2)
        .filter(|w| matches!(w, [a, b] if !a.same_row(b) && b.baseline < a.baseline && b.overlap_x(a) > 0.0));
    up.count() * 5 > lines.len() && lines.len() > 5
}

/// Whether rows are drawn across a gutter that parts columns of prose.
fn crosses_columns(lines: &[Line], page_width: f32) -> bool {
    let jumps: Vec<(f32, f32)> = lines
        .windows(2)
        .filter_map(|w| match w {
            [a, b] if a.same_row(b) && b.left > a.right => Some((a.right, b.left)),
            _ => None,
        })
        .collect();
    if jumps.len() < 3 || jumps.len() * 5 < lines.len() {
        return false;
    }
    let Some(gutter) = gutter(lines, page_width) else { return false };
    let across = jumps.iter().filter(|(from, to)| *from <= gutter && gutter <= *to).count();
    across * 10 >= jumps.len() * 7 && is_prose(lines, gutter)
}

/// Whether the lines on both sides of the gutter are mostly long: sentences, not cells.
fn is_prose(lines: &[Line], gutter: f32) -> bool {
    let (left, right): (Vec<&Line>, Vec<&Line>) =
        lines.iter().filter(|l| l.right <= gutter || l.left >= gutter).partition(|l| l.right <= gutter);
    [left, right].into_iter().all(|side| {
        let from = side.iter().map(|l| l.left).fold(f32::MAX, f32::min);
        let to = side.iter().map(|l| l.right).fold(f32::MIN, f32::max);
        let long =
            side.iter().filter(|l| l.right - l.left > 0.5 * (to - from) && l.right - l.left > 8.0 * l.size);
        side.len() >= 3 && long.count() * 2 > side.len()
    })
}

/// The place that fewest lines cross, with lines on both sides.
fn gutter(lines: &[Line], page_width: f32) -> Option<f32> {
    let from = lines.iter().map(|l| l.left).fold(f32::MAX, f32::min);
    let to = lines.iter().map(|l| l.right).fold(f32::MIN, f32::max).min(page_width.max(from));
    let mut edges: Vec<(f32, i32)> = lines.iter().flat_map(|l| [(l.left, 1), (l.right, -1)]).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (margin_left, margin_right) = (from + 0.15 * (to - from), to - 0.15 * (to - from));
    let mut crossing = 0;
    let mut best: Option<(i32, f32, f32)> = None;
    for pair in edges.windows(2) {
        let [(x, change), (next, _)] = pair else { continue };
        crossing += change;
        let (x, next) = (x.max(margin_left), next.min(margin_right));
        let width = next - x;
        if width < 2.0 {
            continue;
        }
        let better = best.is_none_or(|(c, w, _)| crossing < c || (crossing == c && width > w));
        if better {
            best = Some((crossing, width, f32::midpoint(x, next)));
        }
    }
    let (crossing, _, at) = best?;
    let left = lines.iter().filter(|l| l.right <= at).count();
    let right = lines.iter().filter(|l| l.left >= at).count();
    (left >= 3 && right >= 3 && crossing as usize * 4 <= lines.len()).then_some(at)
}

/// Columns from left to right, each from top to bottom; lines that span the gutter part the page into bands.
fn by_columns(mut lines: Vec<Line>, page_width: f32, depth: u32) -> Vec<Line> {
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    let gutter = if depth < 4 { gutter(&lines, page_width).filter(|g| is_prose(&lines, *g)) } else { None };
    let Some(gutter) = gutter else { return by_rows(lines) };
    let mut out = Vec::with_capacity(lines.len());
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for line in lines {
        if line.right <= gutter {
            left.push(line);
        } else if line.left >= gutter {
            right.push(line);
        } else {
            out.extend(by_columns(std::mem::take(&mut left), page_width, depth + 1));
            out.extend(by_columns(std::mem::take(&mut right), page_width, depth + 1));
            out.push(line);
        }
    }
    out.extend(by_columns(left, page_width, depth + 1));
    out.extend(by_columns(right, page_width, depth + 1));
    out
}

/// From top to bottom, and within a row from left to right.
fn by_rows(lines: Vec<Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    // Where the row begins, and its leftmost line.
    let (mut row, mut first) = (0, 0);
    let sort = |row: Option<&mut [Line]>| row.unwrap_or_default().sort_by(|a, b| a.left.total_cmp(&b.left));
    for line in lines {
        let leftmost = out.get(first);
        if leftmost.is_some_and(|leftmost| !leftmost.same_row(&line)) {
            sort(out.get_mut(row..));
            (row, first) = (out.len(), out.len());
        } else if leftmost.is_some_and(|leftmost| line.left.total_cmp(&leftmost.left).is_lt()) {
            first = out.len();
        }
        out.push(line);
    }
    sort(out.get_mut(row..));
    out
}

/// What stands above everything else of the page is read first, and what stands below everything else last, whenever it
/// was drawn: a title or a footer of a template. The rest keeps its order.
pub(super) fn outermost_first_and_last(items: Vec<Item>) -> Vec<Item> {
    // Runs of items that go down the page.
    let mut runs: Vec<(f32, f32, Vec<Item>)> = Vec::new();
    for item in items {
        let Rule { top, bottom, .. } = item.bounds();
        match runs.last_mut() {
            Some((_, end, run)) if top >= *end - SLACK => {
                *end = end.max(bottom);
                run.push(item);
            }
            _ => runs.push((top, bottom, vec![item])),
        }
    }
    if runs.len() > MAX_RUNS {
        return runs.into_iter().flat_map(|(_, _, run)| run).collect();
    }
    let (mut head, mut tail): (Vec<Item>, Vec<Vec<Item>>) = (Vec::new(), Vec::new());
    while runs.len() > 1 {
        let outer = |runs: &[(f32, f32, Vec<Item>)], above: bool| {
            (0..runs.len()).find(|i| {
                let Some((top, bottom, _)) = runs.get(*i) else { return false };
                runs.iter()
                    .enumerate()
                    .filter(|(j, _)| j != i)
                    .all(|(_, (t, b, _))| if above { *bottom <= t + SLACK } else { *top >= b - SLACK })
            })
        };
        if let Some(first) = outer(&runs, true) {
            head.extend(runs.remove(first).2);
        } else if let Some(last) = outer(&runs, false) {
            tail.push(runs.remove(last).2);
        } else {
            break;
        }
    }
    head.extend(runs.into_iter().flat_map(|(_, _, run)| run));
    head.extend(tail.into_iter().rev().flatten());
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, right: f32, baseline: f32) -> Line {
        Line {
            text: text.into(),
            left,
            right,
            top: baseline - 8.0,
            bottom: baseline + 2.0,
            baseline,
            size: 10.0,
            bold: false,
            mono: false,
        }
    }

    fn texts(lines: Vec<Line>) -> String {
        ordered(lines, 600.0).iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn rows_drawn_across_columns_are_read_by_column() {
        let mut lines = vec![line("title", 100.0, 500.0, 50.0)];
        for i in 0..6_u8 {
            let y = 80.0 + 12.0 * f32::from(i);
            lines.push(line(&format!("l{i}"), 50.0, 290.0, y));
            lines.push(line(&format!("r{i}"), 310.0, 550.0, y));
        }
        assert_eq!(texts(lines), "title|l0|l1|l2|l3|l4|l5|r0|r1|r2|r3|r4|r5");
    }

    #[test]
    fn rows_of_a_table_stay_rows() {
        let mut lines = Vec::new();
        for i in 0..6_u8 {
            let y = 80.0 + 12.0 * f32::from(i);
            lines.push(line(&format!("n{i}"), 50.0, 90.0, y));
            lines.push(line(&format!("v{i}"), 310.0, 340.0, y));
        }
        assert_eq!(texts(lines), "n0|v0|n1|v1|n2|v2|n3|v3|n4|v4|n5|v5");
    }

    #[test]
    fn columns_drawn_one_after_the_other_keep_their_order() {
        let mut lines = Vec::new();
        for (name, left) in [("l", 50.0), ("r", 310.0)] {
            for i in 0..5_u8 {
                lines.push(line(&format!("{name}{i}"), left, left + 240.0, 80.0 + 12.0 * f32::from(i)));
            }
        }
        assert_eq!(texts(lines), "l0|l1|l2|l3|l4|r0|r1|r2|r3|r4");
    }

    #[test]
    fn a_page_drawn_from_below_is_turned_round() {
        let lines =
            (0..8_u8).rev().map(|i| line(&i.to_string(), 50.0, 500.0, 80.0 + 12.0 * f32::from(i))).collect();
        assert_eq!(texts(lines), "0|1|2|3|4|5|6|7");
    }

    #[test]
    fn a_title_drawn_last_is_read_first_and_a_footer_drawn_first_last() {
        let mut lines = vec![line("footer", 50.0, 90.0, 780.0)];
        for (name, left) in [("l", 50.0), ("r", 310.0)] {
            lines.extend(
                (0..3_u8)
                    .map(|i| line(&format!("{name}{i}"), left, left + 240.0, 80.0 + 12.0 * f32::from(i))),
            );
        }
        lines.push(line("title", 50.0, 500.0, 40.0));
        let items = outermost_first_and_last(lines.into_iter().map(Item::Line).collect());
        let texts: Vec<_> = items
            .iter()
            .map(|i| match i {
                Item::Line(l) => l.text.as_str(),
                Item::Table(_) => "",
            })
            .collect();
        assert_eq!(texts, ["title", "l0", "l1", "l2", "r0", "r1", "r2", "footer"]);
    }
}
