//! How much of the right spans is among what was returned, by characters (Smith and Troynikov 2024, "Evaluating Chunking
//! Strategies for Retrieval").
//!
//! Recall alone rewards big passages: compare at an equal budget of returned characters.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of characters by document. They may overlap: a character counts once.
pub type Ranges<'a> = BTreeMap<&'a str, Vec<Range<usize>>>;

/// The metrics of one question, or their means over several. Each lies between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpanMetrics {
    /// Share of the right characters that was returned.
    pub span_recall: f64,
    /// Share of the returned characters that is right.
    pub span_precision: f64,
    /// Characters that are both over those that are either.
    pub iou: f64,
    /// Whether every right character was returned.
    pub full: f64,
}

impl SpanMetrics {
    /// Names as the terminal prints them, with the values.
    pub fn named(&self) -> [(&'static str, f64); 4] {
        [
            ("span_recall", self.span_recall),
            ("span_precision", self.span_precision),
            ("iou", self.iou),
            ("full", self.full),
        ]
    }
}

/// The metrics of one question. `None` where nothing is right.
pub fn of_spans(returned: Ranges<'_>, right: Ranges<'_>) -> Option<SpanMetrics> {
    let (returned, right) = (united(returned), united(right));
    let (got, all) = (length(&returned), length(&right));
    if all == 0 {
        return None;
    }
    let both: usize = right
        .iter()
        .map(|(document, right)| returned.get(document).map_or(0, |returned| common(returned, right)))
        .sum();
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    Some(SpanMetrics {
        span_recall: share(both, all),
        span_precision: share(both, got),
        iou: share(both, got + all - both),
        full: f64::from(both == all),
    })
}

/// Means over questions. Zeros for none.
pub fn mean_of_spans(questions: &[SpanMetrics]) -> SpanMetrics {
    let n = questions.len().max(1) as f64;
    let of = |value: fn(&SpanMetrics) -> f64| questions.iter().map(value).sum::<f64>() / n;
    SpanMetrics {
        span_recall: of(|m| m.span_recall),
        span_precision: of(|m| m.span_precision),
        iou: of(|m| m.iou),
        full: of(|m| m.full),
    }
}

/// The same characters as ranges that ascend and do not touch.
fn united(mut ranges: Ranges<'_>) -> Ranges<'_> {
    for ranges in ranges.values_mut() {
        ranges.retain(|range| !range.is_empty());
        ranges.sort_unstable_by_key(|range| range.start);
        let mut whole: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges.drain(..) {
            match whole.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => whole.push(range),
            }
        }
        *ranges = whole;
    }
    ranges
}

fn length(ranges: &Ranges<'_>) -> usize {
    ranges.values().flatten().map(Range::len).sum()
}

/// Characters in both of two lists of ranges as [`united`] gives them.
fn common(a: &[Range<usize>], b: &[Range<usize>]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        both += x.end.min(y.end).saturating_sub(x.start.max(y.start));
        if x.end < y.end {
            i += 1;
        } else {
            j += 1;
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn ranges<'a>(of: &[(&'a str, usize, usize)]) -> Ranges<'a> {
        let mut ranges = Ranges::new();
        for &(document, start, end) in of {
            ranges.entry(document).or_default().push(start..end);
        }
        ranges
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn by_hand() {
        // Right: 10..20 and 30..40 of a, 0..10 of b. Returned: 15..35 of a, 100..110 of c. Both: 15..20 and 30..35.
        let m = of_spans(
            ranges(&[("a", 15, 35), ("c", 100, 110)]),
            ranges(&[("a", 10, 20), ("a", 30, 40), ("b", 0, 10)]),
        );
        let m = m.unwrap();
        close(m.span_recall, 10.0 / 30.0);
        close(m.span_precision, 10.0 / 30.0);
        close(m.iou, 10.0 / 50.0);
        close(m.full, 0.0);
        let all = of_spans(ranges(&[("a", 0, 100)]), ranges(&[("a", 25, 50)])).unwrap();
        for ((name, value), expected) in all.named().into_iter().zip([1.0, 0.25, 0.25, 1.0]) {
            assert!((value - expected).abs() < 1e-12, "{name}");
        }
        let mean = mean_of_spans(&[m, all]);
        close(mean.iou, 0.225);
        close(mean.full, 0.5);
    }

    #[test]
    fn what_is_returned_twice_counts_once_and_nothing_right_not_at_all() {
        let twice = of_spans(ranges(&[("a", 0, 10), ("a", 5, 10), ("a", 0, 3)]), ranges(&[("a", 0, 5)]));
        close(twice.unwrap().span_precision, 0.5);
        assert_eq!(of_spans(ranges(&[("a", 0, 10)]), ranges(&[("a", 5, 5)])), None);
        assert_eq!(of_spans(Ranges::new(), ranges(&[("a", 0, 5)])), Some(SpanMetrics::default()));
        assert_eq!(mean_of_spans(&[]), SpanMetrics::default());
    }

    fn some_ranges() -> impl Strategy<Value = Vec<(bool, usize, usize)>> {
        prop::collection::vec((any::<bool>(), 0..60usize, 0..30usize), 0..12)
    }

    proptest! {
        /// The definition with sets of characters, sharing no code.
        #[test]
        fn agrees_with_sets_of_characters(returned in some_ranges(), right in some_ranges()) {
            let name = |second: bool| if second { "b" } else { "a" };
            let as_ranges = |list: &[(bool, usize, usize)]| {
                ranges(&list.iter().map(|&(d, at, n)| (name(d), at, at + n)).collect::<Vec<_>>())
            };
            let as_set = |list: &[(bool, usize, usize)]| -> HashSet<(bool, usize)> {
                list.iter().flat_map(|&(d, at, n)| (at..at + n).map(move |c| (d, c))).collect()
            };
            let (got, all) = (as_set(&returned), as_set(&right));
            let both = got.intersection(&all).count() as f64;
            match of_spans(as_ranges(&returned), as_ranges(&right)) {
                None => prop_assert!(all.is_empty()),
                Some(m) => {
                    prop_assert!((m.span_recall - both / all.len() as f64).abs() < 1e-12);
                    prop_assert!((m.iou - both / got.union(&all).count() as f64).abs() < 1e-12);
                    let precision = if got.is_empty() { 0.0 } else { both / got.len() as f64 };
                    prop_assert!((m.span_precision - precision).abs() < 1e-12);
                    prop_assert_eq!(m.full > 0.5, all.is_subset(&got));
                }
            }
        }
    }
}
