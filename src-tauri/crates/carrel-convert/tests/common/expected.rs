//! Right answers: what `expected.json` says of each document, and whether it holds.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where something is missing")]

use carrel_engine::domain::{Converted, Location, Span};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use unicode_normalization::UnicodeNormalization;

/// What must be found in a document, and what must not.
#[derive(Deserialize)]
pub(crate) struct Expected {
    must_contain: Vec<String>,
    must_not_contain: Vec<String>,
    in_order: Vec<Vec<String>>,
    table_rows: Vec<Vec<String>>,
    headings: Vec<String>,
    pages: BTreeMap<String, u32>,
}

/// The path of a document.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/documents").join(name)
}

/// What is expected of each document.
pub(crate) fn expected() -> BTreeMap<String, Expected> {
    serde_json::from_slice(&std::fs::read(fixture("expected.json")).unwrap()).unwrap()
}

/// Compared after NFKC, without white space, case-folded.
fn folded(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).collect()
}

/// Panics where a document does not give what is expected of it.
pub(crate) fn check(name: &str, converted: &Converted, expected: &Expected) {
    super::invariants::check(converted);
    let markdown = &converted.markdown;
    let text = folded(markdown);
    let has = |wanted: &str| text.contains(&folded(wanted));
    for wanted in &expected.must_contain {
        assert!(has(wanted), "{name}: {wanted:?} is missing in:\n{markdown}");
    }
    for forbidden in &expected.must_not_contain {
        assert!(!has(forbidden), "{name}: {forbidden:?} must not be in:\n{markdown}");
    }
    for order in &expected.in_order {
        let places: Vec<_> = order.iter().map(|wanted| text.find(&folded(wanted)).unwrap()).collect();
        assert!(places.is_sorted(), "{name}: {order:?} stand at {places:?} in:\n{markdown}");
    }
    let rows: Vec<String> = markdown.lines().filter(|l| l.starts_with('|')).map(folded).collect();
    for cells in &expected.table_rows {
        let found = rows.iter().any(|row| cells.iter().all(|cell| row.contains(&folded(cell))));
        assert!(found, "{name}: no row holds {cells:?} in:\n{markdown}");
    }
    let headings: Vec<String> = markdown.lines().filter(|l| l.starts_with('#')).map(folded).collect();
    for heading in &expected.headings {
        assert!(
            headings.iter().any(|h| h.contains(&folded(heading))),
            "{name}: {heading:?} is no heading in:\n{markdown}"
        );
    }
    for (wanted, page) in &expected.pages {
        // Located by a part of it that stands on one line.
        let needle = markdown.find(wanted.as_str()).map(|at| Span::new(at, at + wanted.len()));
        let span = needle.unwrap_or_else(|| panic!("{name}: {wanted:?} is not in:\n{markdown}"));
        assert_eq!(
            Location::of_span(span, &converted.locations).page,
            Some(*page),
            "{name}: page of {wanted:?}"
        );
    }
}
