//! Where a span lies in the original.

use super::Span;
use serde::{Deserialize, Serialize};

/// What applies of page, sheet, slide, chapter, seconds, line. Numbers count from 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Location {
    /// First page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Last page, where it differs from `page`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_end: Option<u32>,
    /// Sheet name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// First and last row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<(u32, u32)>,
    /// Cell range as the sheet names it (`A1:C9`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<String>,
    /// Slide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slide: Option<u32>,
    /// Chapter title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// First and last second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(f64, f64)>,
    /// First line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Boxes on the page: left, top, right, bottom in points from the top left corner. Of an image a pixel, as it is shown, is a point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<[f32; 4]>,
}

/// A span of the Markdown with its place in the original. The spans of a version do not overlap and ascend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocatedSpan {
    /// Where in the Markdown.
    pub span: Span,
    /// Where in the original.
    pub location: Location,
}

impl Location {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The location of `span`, joined from all located spans that it touches (first page to last page, first row to last row,
    /// first cell to last cell).
    pub fn of_span(span: Span, located: &[LocatedSpan]) -> Location {
        let first = located.partition_point(|l| l.span.end <= span.start);
        let mut joined: Option<Location> = None;
        for l in located[first..].iter().take_while(|l| l.span.start < span.end) {
            match &mut joined {
                None => joined = Some(l.location.clone()),
                Some(j) => j.extend(&l.location),
            }
        }
        joined.unwrap_or_default()
    }

    fn extend(&mut self, next: &Location) {
        // Pages and rows of another chapter, or of another file in an archive, count from 1 again.
        if self.chapter != next.chapter {
            return;
        }
        // The heading of a file in an archive names the file alone; what follows says where in it.
        if *self == (Self { chapter: self.chapter.clone(), ..Self::default() }) {
            *self = next.clone();
            return;
        }
        if let (Some(page), Some(last)) = (self.page, next.page_end.or(next.page))
            && last != page
        {
            self.page_end = Some(last);
        }
        if let (Some((first, last)), Some((_, next_last))) = (self.rows, next.rows)
            && self.sheet == next.sheet
        {
            self.rows = Some((first, last.max(next_last)));
        }
        if let (Some(cells), Some(next_cells)) = (&self.cells, &next.cells)
            && self.sheet == next.sheet
        {
            self.cells = Some(joined_cells(cells, next_cells));
        }
        if let (Some((from, to)), Some((_, next_to))) = (self.seconds, next.seconds) {
            self.seconds = Some((from, to.max(next_to)));
        }
        self.boxes.extend_from_slice(&next.boxes);
    }
}

/// The range from the first cell of one to the last of another: `A1:C1` and `A9:C9` are `A1:C9`.
pub fn joined_cells(first: &str, last: &str) -> String {
    let from = first.split(':').next().unwrap_or_default();
    let to = last.rsplit(':').next().unwrap_or_default();
    if from == to { from.to_owned() } else { format!("{from}:{to}") }
}

/// A time as clocks show it, `1:02:03`.
pub fn clock_time(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::{LocatedSpan, Location, Span, clock_time};

    #[test]
    fn the_place_in_a_file_of_an_archive_wins_over_its_name() {
        let file = || Some("papers/test.pdf".to_owned());
        let name = Location { chapter: file(), ..Location::default() };
        let page = |n| Location { page: Some(n), ..name.clone() };
        let located = |start, location| LocatedSpan { span: Span::new(start, start + 10), location };
        let all = [located(0, name.clone()), located(10, page(1)), located(20, page(2))];
        let whole = Location::of_span(Span::new(0, 30), &all);
        assert_eq!(whole, Location { page_end: Some(2), ..page(1) });
        assert_eq!(Location::of_span(Span::new(0, 5), &all), name);
    }

    #[test]
    fn cells_of_rows_that_follow_each_other_are_joined() {
        let row = |n: u32, span| LocatedSpan {
            span,
            location: Location {
                sheet: Some("S".into()),
                rows: Some((n, n)),
                cells: Some(format!("B{n}:D{n}")),
                ..Location::default()
            },
        };
        let located = [row(3, Span::new(0, 5)), row(4, Span::new(6, 9)), row(7, Span::new(10, 12))];
        let joined = Location::of_span(Span::new(2, 11), &located);
        assert_eq!((joined.rows, joined.cells.as_deref()), (Some((3, 7)), Some("B3:D7")));
        assert_eq!(Location::of_span(Span::new(6, 8), &located).cells.as_deref(), Some("B4:D4"));
    }

    #[test]
    fn times_are_written_as_clocks_show_them() {
        assert_eq!([0.4, 75.0, 3_723.9].map(clock_time), ["0:00", "1:15", "1:02:03"]);
    }
}
