//! Which lines at the edges repeat at one height, and count with the pages.

use super::super::page::Page;
use std::collections::{HashMap, HashSet};

const MIN_PAGES: usize = 3;
/// How far the heights may differ, in points.
pub(super) const SAME_HEIGHT: f32 = 6.0;

/// A line at an edge.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) page: usize,
    pub(super) item: usize,
    pub(super) y: f32,
    pub(super) number: Option<i64>,
}

/// Those places that repeat at one height, and count with the pages where they count. `words` says whether they hold any.
pub(super) fn running(places: &[Place], pages: &[Page], words: bool) -> Vec<Place> {
    let mut best: Vec<Place> = Vec::new();
    let mut by_height: Vec<Place> = places.to_vec();
    by_height.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut start = 0;
    for end in 1..=by_height.len() {
        let Some(group) = by_height.get(start..end) else { break };
        let (Some(first), next) = (group.first(), by_height.get(end)) else { break };
        if next.is_some_and(|n| n.y - first.y <= SAME_HEIGHT) {
            continue;
        }
        let group = counting(group, pages, words);
        let mut on: Vec<usize> = group.iter().map(|p| p.page).collect();
        on.sort_unstable();
        on.dedup();
        if on.len() >= MIN_PAGES {
            best.extend(group);
        }
        start = end;
    }
    best
}

/// How far the number of a line is from the page's own.
pub(super) fn offset(place: &Place, pages: &[Page]) -> Option<i64> {
    let page = pages.get(place.page).map_or(0, |page| i64::from(page.number));
    place.number.map(|n| n - page)
}

/// The distance at which the numbers at the edges count with the pages, where they do so on three pages at least.
pub(super) fn common_offset(seen: &HashMap<(bool, String), Vec<Place>>, pages: &[Page]) -> Option<i64> {
    let mut on: HashMap<i64, HashSet<usize>> = HashMap::new();
    for place in seen.values().flatten() {
        if let Some(offset) = offset(place, pages) {
            on.entry(offset).or_default().insert(place.page);
        }
    }
    let (offset, count) = on
        .into_iter()
        .map(|(offset, on)| (offset, on.len()))
        .max_by_key(|(offset, count)| (*count, *offset))?;
    (count >= MIN_PAGES && count * 3 >= pages.len()).then_some(offset)
}

/// Places whose numbers stand at the commonest distance from the page's own number, or are the same (a year, the number of a
/// report) beside `words`; all, where there are no numbers.
fn counting(group: &[Place], pages: &[Page], words: bool) -> Vec<Place> {
    let commonest = |key: &dyn Fn(&Place) -> Option<i64>| -> Vec<Place> {
        let mut counts: HashMap<Option<i64>, usize> = HashMap::new();
        for place in group {
            *counts.entry(key(place)).or_default() += 1;
        }
        let common = counts.into_iter().max_by_key(|(key, count)| (*count, *key)).map(|(key, _)| key);
        group.iter().filter(|place| Some(key(place)) == common).copied().collect()
    };
    let (counted, same) = (commonest(&|place| offset(place, pages)), commonest(&|place| place.number));
    if words && same.len() > counted.len() { same } else { counted }
}
