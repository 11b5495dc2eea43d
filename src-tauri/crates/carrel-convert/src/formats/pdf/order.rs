//! The reading order of the lines of a page.
//!
//! Most files draw their text in reading order, and no geometry knows better: that order stays unless the lines show that
//! it goes across columns, or up and down the page. Columns are never interleaved.

use super::lines::Line;
use super::page::Item;
use super::read::Rule;

/// Boxes of lines may overlap by this much, in points.
const SLACK: f32 = 2.0;
/// Items of one run are not further apart, in points.
const GAP: f32 = 60.0;
/// White space of this height parts the head of a page from its columns, in points.
const BAND: f32 = 14.0;
/// A page that goes up and down more often is a drawing.
const MAX_RUNS: usize = 200;

/// Puts lines into reading order. What stands on one row in one column stays apart.
pub(super) fn ordered(lines: Vec<Line>, page_width: f32, mirrored: bool) -> Vec<Line> {
    if lines.len() < 2 {
        return lines;
    }
    if is_disordered(&lines) || crosses_columns(&lines, page_width) {
        by_columns(lines, page_width, 0)
    } else if mirrored {
        labels_first(lines)
    } else {
        lines
    }
}

/// Where text runs from the right, values are often drawn before their labels, row after row. One row alone is where columns meet.
fn labels_first(lines: Vec<Line>) -> Vec<Line> {
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for line in lines {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| first.same_row(&line)) => row.push(line),
            _ => rows.push(vec![line]),
        }
    }
    let several: Vec<bool> = rows.iter().map(|row| row.len() > 1).collect();
    for (at, row) in rows.iter_mut().enumerate() {
        let before = at.checked_sub(1).and_then(|at| several.get(at));
        if [before, several.get(at + 1)].contains(&Some(&true)) {
            row.sort_by(|a, b| a.left.total_cmp(&b.left));
        }
    }
    rows.into_iter().flatten().collect()
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

/// Neighbours on one row from left to right.
pub(super) fn by_rows(lines: Vec<Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    let mut row: Vec<Line> = Vec::new();
    for line in lines {
        if row.first().is_some_and(|first| !first.same_row(&line)) {
            end_row(&mut row, &mut out);
        }
        row.push(line);
    }
    end_row(&mut row, &mut out);
    out
}

fn end_row(row: &mut Vec<Line>, out: &mut Vec<Line>) {
    row.sort_by(|a, b| a.left.total_cmp(&b.left));
    out.append(row);
}

/// What stands above everything else of the page is read first, and what stands below everything else last, whenever it
/// was drawn: a title or a footer of a template. The rest keeps its order.
pub(super) fn outermost_first_and_last(items: Vec<Item>) -> Vec<Item> {
    // Runs of items that go down the page.
    let mut runs: Vec<(f32, f32, Vec<Item>)> = Vec::new();
    for item in items {
        let Rule { top, bottom, .. } = item.bounds();
        match runs.last_mut() {
            // What leaves a gap has something else in it: a title, and a note of it below the columns.
            Some((_, end, run)) if top >= *end - SLACK && top < *end + GAP => {
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
        } else if let Some(above) = upper(&runs) {
            let all = std::mem::take(&mut runs);
            let (first, rest) =
                all.into_iter().enumerate().partition::<Vec<_>, _>(|(at, _)| above.contains(at));
            head.extend(first.into_iter().flat_map(|(_, (_, _, run))| run));
            runs = rest.into_iter().map(|(_, run)| run).collect();
        } else {
            break;
        }
    }
    head.extend(runs.into_iter().flat_map(|(_, _, run)| run));
    head.extend(tail.into_iter().rev().flatten());
    head
}

/// The runs that stand beside each other above all others, with white space below them, where the page does not begin with one
/// of them.
fn upper(runs: &[(f32, f32, Vec<Item>)]) -> Option<Vec<usize>> {
    let mut by_top: Vec<usize> = (0..runs.len()).collect();
    let top = |at: &usize| runs.get(*at).map_or(0.0, |run| run.0);
    by_top.sort_by(|a, b| top(a).total_cmp(&top(b)));
    let mut end: Option<f32> = None;
    let above: Vec<usize> = by_top
        .into_iter()
        .take_while(|at| {
            let beside = end.is_none_or(|end| top(at) < end + BAND);
            let bottom = runs.get(*at).map_or(f32::MIN, |run| run.1);
            end = Some(end.map_or(bottom, |end| end.max(bottom)));
            beside
        })
        .collect();
    (above.len() < runs.len() && !above.contains(&0)).then_some(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, right: f32, baseline: f32) -> Line {
        Line::sample(text, left, right, baseline)
    }

    fn texts(lines: Vec<Line>) -> String {
        ordered(lines, 600.0, false).iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join("|")
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
    fn values_drawn_before_their_labels_are_read_after_them_and_columns_that_meet_on_a_row_stay() {
        let pair = |row: u8| {
            let y = 80.0 + 12.0 * f32::from(row);
            [line(&format!("v{row}"), 310.0, 340.0, y), line(&format!("n{row}"), 50.0, 90.0, y)]
        };
        let mirrored = |lines: Vec<Line>| {
            ordered(lines, 600.0, true).iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(mirrored((0..3).flat_map(pair).collect()), "n0|v0|n1|v1|n2|v2");
        let mut lines = vec![line("r0", 310.0, 550.0, 80.0), line("r1", 310.0, 550.0, 92.0)];
        lines.extend([line("l1", 50.0, 290.0, 92.0), line("l2", 50.0, 290.0, 104.0)]);
        assert_eq!(mirrored(lines), "r0|r1|l1|l2");
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
        assert_eq!(outermost(lines), "title|l0|l1|l2|r0|r1|r2|footer");
    }

    fn outermost(lines: Vec<Line>) -> String {
        let items = outermost_first_and_last(lines.into_iter().map(Item::Line).collect());
        let texts = items.iter().map(|item| match item {
            Item::Line(line) => line.text.as_str(),
            Item::Table(_) => "",
        });
        texts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_head_of_several_parts_side_by_side_is_read_first_and_its_note_last() {
        let column = |name: &str, left: f32| -> Vec<Line> {
            (0..3_u8)
                .map(|i| line(&format!("{name}{i}"), left, left + 240.0, 300.0 + 12.0 * f32::from(i)))
                .collect()
        };
        let mut lines = column("l", 50.0);
        lines.extend(column("r", 310.0));
        for (text, left, right, baseline) in [
            ("issue", 50.0, 90.0, 40.0),
            ("date", 50.0, 90.0, 90.0),
            ("series", 310.0, 500.0, 60.0),
            ("title", 50.0, 500.0, 120.0),
            ("note", 50.0, 500.0, 780.0),
        ] {
            lines.push(line(text, left, right, baseline));
        }
        assert_eq!(outermost(lines), "issue|date|series|title|l0|l1|l2|r0|r1|r2|note");
    }

    #[test]
    fn columns_with_gaps_at_one_height_keep_their_order() {
        let mut lines = Vec::new();
        for (name, left) in [("l", 50.0), ("r", 310.0)] {
            for y in [100.0, 112.0, 300.0, 312.0] {
                lines.push(line(&format!("{name}{y}"), left, left + 240.0, y));
            }
        }
        assert_eq!(outermost(lines), "l100|l112|l300|l312|r100|r112|r300|r312");
    }
}
