//! The numbers of lines at the left edge of a page, as transcripts and bills have them: they are no text, and go.
//!
//! They count from 1 by one, stand evenly below each other, and left of everything beside them. So do the numbers of a list:
//! those stay, unless the file draws them in one piece, or the lines beside them are plainly those of running text.

use super::lines::Line;

/// A page of numbered lines has so many at least.
const MIN_NUMBERS: usize = 15;
/// The distances of the numbers differ by no more than this part.
const UNEVEN: f32 = 0.15;

/// The lines of a page without those that number the others.
pub(super) fn without_numbers(lines: Vec<Line>) -> Vec<Line> {
    let numbers = column(&lines);
    if numbers.len() < MIN_NUMBERS || !numbers_text(&lines, &numbers) {
        return lines;
    }
    let mut at = 0;
    let mut lines = lines;
    lines.retain(|_| {
        at += 1;
        !numbers.contains(&(at - 1))
    });
    lines
}

/// The leftmost numbers that count from 1 down the page, by their places among the lines.
fn column(lines: &[Line]) -> Vec<usize> {
    // The last ones of a book's sheet are marked for its side.
    let number = |line: &Line| {
        let text = line.text.trim().trim_end_matches(['S', 'R']);
        text.parse::<usize>().ok().filter(|_| text.len() <= 2)
    };
    let mut numbers: Vec<(usize, usize, &Line)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, number(line)?, line))).collect();
    numbers.sort_by(|a, b| a.2.baseline.total_cmp(&b.2.baseline));
    let mut found: Vec<(usize, &Line)> = Vec::new();
    for (at, number, line) in numbers {
        let beside = found.last().is_none_or(|(_, last)| {
            line.baseline > last.baseline + 0.5 * line.size
                && (line.left - last.left).abs().min((line.right - last.right).abs()) < 0.5 * line.size
        });
        if number == found.len() + 1 && beside {
            found.push((at, line));
        }
    }
    let mut steps: Vec<f32> = found
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] => Some(b.1.baseline - a.1.baseline),
            _ => None,
        })
        .collect();
    steps.sort_by(f32::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or_default();
    let even = steps.iter().all(|step| (step - usual).abs() <= UNEVEN * usual);
    if even { found.into_iter().map(|(at, _)| at).collect() } else { Vec::new() }
}

/// Whether these lines number the others, and are not numbers of items or of the rows of a table.
fn numbers_text(lines: &[Line], numbers: &[usize]) -> bool {
    let is_number = |at: &usize| numbers.contains(at);
    let of: Vec<&Line> = numbers.iter().filter_map(|at| lines.get(*at)).collect();
    let (Some(first), Some(last)) = (of.first(), of.last()) else { return false };
    let right = of.iter().map(|line| line.right).fold(f32::MIN, f32::max);
    let beside: Vec<&Line> = lines
        .iter()
        .enumerate()
        .filter(|(at, line)| {
            !is_number(at)
                && line.baseline >= first.baseline - first.size
                && line.baseline <= last.baseline + last.size
        })
        .map(|(_, line)| line)
        .collect();
    let rows = of.iter().filter(|number| beside.iter().any(|line| line.same_row(number))).count();
    // A table has several pieces on most of its rows.
    let left_of_all = beside.iter().filter(|line| line.left > right).count() * 10 >= beside.len() * 9;
    if beside.is_empty() || !left_of_all || rows * 3 < of.len() || beside.len() * 2 > rows * 3 {
        return false;
    }
    let together = numbers.windows(2).filter(|pair| matches!(pair, [a, b] if *b == a + 1)).count();
    let goes_on = beside.iter().filter(|line| line.text.starts_with(char::is_lowercase)).count();
    (together + 1) * 10 >= numbers.len() * 9 || goes_on * 4 >= beside.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, row: u8) -> Line {
        let baseline = 80.0 + 24.0 * f32::from(row);
        Line {
            text: text.into(),
            left,
            right: left + 6.0 * text.chars().count() as f32,
            top: baseline - 9.0,
            bottom: baseline + 3.0,
            baseline,
            size: 12.0,
            bold: false,
            mono: true,
            font: 0,
            run_in: false,
        }
    }

    fn rows(text: fn(u8) -> &'static str) -> Vec<Line> {
        (1..=20_u8).flat_map(|row| [line(&row.to_string(), 60.0, row), line(text(row), 110.0, row)]).collect()
    }

    #[test]
    fn numbers_of_lines_go_and_numbers_of_items_stay() {
        let prose = |row: u8| {
            if row.is_multiple_of(2) { "The court is asked whether" } else { "it may hear the case" }
        };
        assert_eq!(without_numbers(rows(prose)).len(), 20);
        assert_eq!(without_numbers(rows(|_| "Pears and apples")).len(), 40);
        // Drawn before the text.
        let mut lines: Vec<Line> = (1..=20_u8).map(|row| line(&row.to_string(), 60.0, row)).collect();
        lines.extend((1..=20_u8).map(|row| line("APPEARANCES", 110.0, row)));
        assert_eq!(without_numbers(lines).len(), 20);
    }

    #[test]
    fn numbers_of_rows_of_a_table_stay() {
        let lines = (1..=20_u8).map(|row| line(&row.to_string(), 60.0, row));
        let cells = (1..=20_u8).flat_map(|row| [line("apples", 110.0, row), line("12.50", 210.0, row)]);
        assert_eq!(without_numbers(lines.chain(cells).collect()).len(), 60);
    }
}
