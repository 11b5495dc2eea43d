//! Running headers, footers and page numbers: what stands at the same place of the margin on page after page.
//!
//! A line goes only if the same text repeats on at least three pages at the same height, with nothing but the page's number
//! different, and if nothing but such lines stands between it and the edge of the page. A text that stands nowhere else is kept
//! once, where it comes first. In a document of two pages both must have it, well apart from the text. "Page 1 of 2" and a number alone at the bottom edge, well apart from the text, need no other page.

mod numbers;
mod repeated;

use super::lines::Line;
use super::page::{Item, Page};
use super::sizes::Sizes;
use numbers::normalized;
use repeated::{Place, SAME_HEIGHT, common_offset, offset, running};
use std::collections::HashMap;

/// The outer part of a page in which a line can be a running one.
const MARGIN: f32 = 0.2;
/// Lines looked at from each edge.
const EDGE_LINES: usize = 6;
/// Rows that go at one edge at most.
const MAX_ROWS: usize = 3;
/// Lines as close as this stand on one row, in points.
const SAME_ROW: f32 = 3.0;
/// The outer part in which two pages suffice.
const OUTER: f32 = 0.12;
/// A line that is higher than this, in sizes, runs up or down the page.
const TURNED: f32 = 4.0;
/// How far such a line stands from the text, in sizes.
const APART: f32 = 1.9;

/// Removes running lines from all pages.
/// `total` pages are in the document, those without text included.
pub(super) fn remove(pages: &mut [Page], title: &str, sizes: &Sizes, total: u32) {
    let mut seen: HashMap<(bool, String), Vec<Place>> = HashMap::new();
    for (p, page) in pages.iter().enumerate() {
        for top in [true, false] {
            for (i, y, line) in edge(page, top) {
                // Large lines that differ by a number are headings that count.
                let (key, number) = if sizes.is_larger(line.size) {
                    (line.text.to_lowercase(), None)
                } else {
                    normalized(&line.text)
                };
                seen.entry((top, key)).or_default().push(Place { page: p, item: i, y, number });
            }
        }
    }
    let common = common_offset(&seen, pages);
    let mut repeated: HashMap<(usize, usize), bool> = HashMap::new();
    for (p, page) in pages.iter().enumerate() {
        for item in page_of_all(page, total, sizes) {
            repeated.insert((p, item), false);
        }
    }
    if pages.len() == 2 {
        repeated.extend(on_both(pages));
    }
    for ((_, key), places) in &seen {
        // The head of a short chapter, which ends with the right number.
        for place in places.iter().filter(|p| common.is_some() && offset(p, pages) == common && key != "#") {
            repeated.insert((place.page, place.item), false);
        }
        let running = running(places, pages, key.chars().any(char::is_alphabetic));
        let Some(first) = running.iter().min_by_key(|p| (p.page, p.item)) else { continue };
        let word: String = key.chars().filter(|c| c.is_alphabetic()).collect();
        let counts = key.ends_with("#of")
            || matches!(word.as_str(), "page" | "seite" | "página" | "pagina" | "第页" | "第頁");
        let is_text = !counts && word.chars().count() >= 3;
        let keep_first = is_text && !stands_elsewhere(key, pages, &running, title);
        for place in &running {
            let keep = keep_first && (place.page, place.item) == (first.page, first.item);
            repeated.insert((place.page, place.item), keep);
        }
    }
    for group in numbered(pages) {
        let Some(first) = group.iter().min_by_key(|p| (p.page, p.item)) else { continue };
        let Some(Item::Line(line)) = pages.get(first.page).and_then(|page| page.items.get(first.item)) else {
            continue;
        };
        let keep_first = !stands_elsewhere(&normalized(&line.text).0, pages, &group, title);
        for place in &group {
            let keep = keep_first && (place.page, place.item) == (first.page, first.item);
            repeated.insert((place.page, place.item), keep);
        }
    }
    for (p, page) in pages.iter_mut().enumerate() {
        let mut doomed = Vec::new();
        for top in [true, false] {
            doomed.extend(outer(page, top, |item| repeated.get(&(p, item)).copied()));
        }
        doomed.extend(lone_number(page));
        doomed.sort_unstable();
        doomed.dedup();
        for item in doomed.into_iter().rev() {
            page.items.remove(item);
        }
    }
}

/// A line at an edge, and its numbers.
type Counted = (Place, Vec<i64>);

/// Long lines at the edges that are alike on three pages at least but for their numbers, of which one counts with the pages. It may
/// stand first on left pages and last on right ones, and the line may be large.
fn numbered(pages: &[Page]) -> Vec<Vec<Place>> {
    let mut seen: HashMap<(bool, String), Vec<Counted>> = HashMap::new();
    for (p, page) in pages.iter().enumerate() {
        for top in [true, false] {
            for (item, y, line) in edge(page, top) {
                if let Some((key, found)) = numbers::without(&line.text) {
                    let place = Place { page: p, item, y, number: None };
                    seen.entry((top, key)).or_default().push((place, found));
                }
            }
        }
    }
    let counting = |places: &Vec<Counted>| {
        let count = places.first().map_or(0, |(_, numbers)| numbers.len());
        let by_number = (0..count).map(|at| {
            let places: Vec<Place> = places
                .iter()
                .filter_map(|(place, numbers)| Some(Place { number: Some(*numbers.get(at)?), ..*place }))
                .collect();
            running(&places, pages, false)
        });
        by_number.max_by_key(Vec::len).filter(|group| !group.is_empty())
    };
    seen.values().filter_map(counting).collect()
}

/// Lines at the edges that say which page this is, and of how many: they need no other page.
fn page_of_all(page: &Page, total: u32, sizes: &Sizes) -> Vec<usize> {
    [true, false]
        .into_iter()
        .flat_map(|top| edge(page, top))
        .filter(|(_, _, line)| {
            numbers::says_page(&line.text, page.number, total)
                && (!sizes.is_larger(line.size) || numbers::says_of(&line.text))
        })
        .map(|(item, _, _)| item)
        .collect()
}

/// The outermost lines that both of two pages have at one height, well apart from what follows: kept on the first, unless
/// they are no words.
fn on_both(pages: &[Page]) -> Vec<((usize, usize), bool)> {
    let [first, second] = pages else { return Vec::new() };
    let mut found = Vec::new();
    for top in [true, false] {
        let (a, b) = (edge(first, top), edge(second, top));
        for (i, ((item, y, line), (other, other_y, other_line))) in a.iter().zip(&b).enumerate() {
            let outer = if top { *y < OUTER * first.height } else { *y > (1.0 - OUTER) * first.height };
            let apart = |lines: &[(usize, f32, &Line)]| {
                lines.get(i + 1).is_none_or(|(_, next, line)| (next - y).abs() > APART * line.size)
            };
            let alike = line.text == other_line.text;
            // A line at the top that counts may be a heading: parts, chapters.
            let counts = counts_on(line, other_line, first.number, second.number)
                && (numbers::is_page_number(&line.text) || (i == 0 && !top));
            if !outer || !(alike || counts) || (y - other_y).abs() > SAME_HEIGHT {
                break;
            }
            // Two lines of one header stand close: the last of them is apart from the text.
            found.push(((0, *item), alike || !numbers::is_page_number(&line.text)));
            found.push(((1, *other), false));
            if apart(&a) && apart(&b) {
                break;
            }
            let goes_on = a.get(i + 1).zip(b.get(i + 1)).is_some_and(|(a, b)| {
                let counts = counts_on(a.2, b.2, first.number, second.number);
                a.2.text == b.2.text || (counts && numbers::is_page_number(&a.2.text))
            });
            if !goes_on {
                // The first lines of the text itself.
                found.truncate(found.len().saturating_sub(2 * (i + 1)));
                break;
            }
        }
    }
    found
}

/// Whether two lines say the same but for a number that counts on from page to page.
fn counts_on(line: &Line, other: &Line, page: u32, other_page: u32) -> bool {
    let ((key, number), (other_key, other_number)) = (normalized(&line.text), normalized(&other.text));
    let step = i64::from(other_page) - i64::from(page);
    key == other_key && number.zip(other_number).is_some_and(|(a, b)| b - a == step)
}

/// The items to remove at one edge: row by row inwards, up to the first row that holds anything else.
/// `running` says of an item whether it repeats, and if so whether it is kept all the same.
fn outer(page: &Page, top: bool, running: impl Fn(usize) -> Option<bool>) -> Vec<usize> {
    let lines = edge(page, top);
    let mut doomed = Vec::new();
    let mut start = 0;
    for _ in 0..MAX_ROWS {
        let Some((_, y, _)) = lines.get(start) else { break };
        let row = lines.iter().skip(start).take_while(|(_, other, _)| (other - y).abs() <= SAME_ROW).count();
        for (item, _, line) in lines.iter().skip(start).take(row) {
            match running(*item) {
                Some(true) => {}
                Some(false) => doomed.push(*item),
                // A mark of the printer that runs up the margin.
                None if is_turned(line) => {}
                None => {
                    return doomed
                        .into_iter()
                        .filter(|i| !lines.iter().skip(start).take(row).any(|(r, _, _)| r == i))
                        .collect();
                }
            }
        }
        start += row;
    }
    doomed
}

/// Whether a line runs up or down the page.
fn is_turned(line: &Line) -> bool {
    line.bottom - line.top > TURNED * line.size && line.chars() > 2
}

/// A number alone in the last row of a page, well apart from what stands above it.
fn lone_number(page: &Page) -> Option<usize> {
    let mut lines: Vec<(usize, &Line)> = page
        .items
        .iter()
        .enumerate()
        .filter_map(|(i, item)| match item {
            Item::Line(line) => Some((i, line)),
            Item::Table(_) => None,
        })
        .collect();
    lines.sort_by(|a, b| b.1.baseline.total_cmp(&a.1.baseline));
    let (item, last) = *lines.first()?;
    let (key, number) = normalized(&last.text);
    let apart = lines.get(1).is_none_or(|(_, next)| last.baseline - next.baseline > 1.6 * last.size);
    (key == "#" && number.is_some() && last.baseline > 0.8 * page.height && apart && lines.len() > 1)
        .then_some(item)
}

/// The outermost lines at the top or bottom, as (item, height, line).
fn edge(page: &Page, top: bool) -> Vec<(usize, f32, &Line)> {
    let mut lines: Vec<(usize, f32, &Line)> = page
        .items
        .iter()
        .enumerate()
        .filter_map(|(i, item)| match item {
            Item::Line(line) => Some((i, line.baseline, line)),
            Item::Table(_) => None,
        })
        .filter(|(_, y, _)| if top { *y < MARGIN * page.height } else { *y > (1.0 - MARGIN) * page.height })
        .collect();
    lines.sort_by(|a, b| if top { a.1.total_cmp(&b.1) } else { b.1.total_cmp(&a.1) });
    lines.truncate(EDGE_LINES);
    lines
}

/// Whether the text is read somewhere else, so that nothing is lost with it.
fn stands_elsewhere(key: &str, pages: &[Page], running: &[Place], title: &str) -> bool {
    let key = key.trim_matches(|c: char| !c.is_alphanumeric());
    if title.to_lowercase().contains(key) {
        return true;
    }
    pages.iter().enumerate().any(|(p, page)| {
        page.items.iter().enumerate().any(|(i, item)| match item {
            Item::Line(line) => {
                line.text.len() >= key.len()
                    && line.text.to_lowercase().contains(key)
                    && !running.iter().any(|r| (r.page, r.item) == (p, i))
            }
            Item::Table(_) => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pdf::upright::Upright;

    fn page(number: u32, texts: &[(&str, f32)]) -> Page {
        let items = texts.iter().map(|(text, baseline)| {
            Item::Line(Line {
                text: (*text).into(),
                left: 50.0,
                right: 300.0,
                top: baseline - 8.0,
                bottom: baseline + 2.0,
                baseline: *baseline,
                size: 10.0,
                bold: false,
                mono: false,
                font: 0,
                run_in: false,
            })
        });
        Page { number, upright: Upright::default(), height: 800.0, items: items.collect() }
    }

    fn texts(pages: &[Page]) -> Vec<String> {
        pages
            .iter()
            .flat_map(|p| &p.items)
            .filter_map(|i| match i {
                Item::Line(l) => Some(l.text.clone()),
                Item::Table(_) => None,
            })
            .collect()
    }

    #[test]
    fn headers_stay_once_and_page_numbers_go() {
        let mut pages: Vec<Page> = (1..=4)
            .map(|n| {
                page(
                    n,
                    &[
                        ("Contract 17-B", 30.0),
                        (&format!("body {n} text"), 60.0),
                        (&format!("– {n} –"), 780.0),
                    ],
                )
            })
            .collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 9);
        assert_eq!(
            texts(&pages),
            ["Contract 17-B", "body 1 text", "body 2 text", "body 3 text", "body 4 text"]
        );
    }

    #[test]
    fn lines_with_numbers_that_change_and_lines_that_alternate_go() {
        let head = "Official Gazette / Vol. 85, No. 152 / Proposed Rules";
        let mut pages: Vec<Page> = (2..=5)
            .map(|n| {
                let head =
                    if n % 2 == 0 { format!("{} {head}", 700 + n) } else { format!("{head} {}", 700 + n) };
                let mut page = page(
                    n,
                    &[
                        (&head, 30.0),
                        (&format!("body {n} text"), 60.0),
                        (
                            &format!(
                                "Printed at the office 16:21 Aug 05, 2020 Jkt 250001 Frm 0000{n} Fmt {}",
                                4702 + n / 5
                            ),
                            780.0,
                        ),
                    ],
                );
                if let Some(Item::Line(line)) = page.items.first_mut() {
                    line.size = 12.0;
                }
                page
            })
            .collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 9);
        assert_eq!(
            texts(&pages),
            [
                &format!("702 {head}"),
                "body 2 text",
                "Printed at the office 16:21 Aug 05, 2020 Jkt 250001 Frm 00002 Fmt 4702",
                "body 3 text",
                "body 4 text",
                "body 5 text"
            ]
        );
    }

    #[test]
    fn lines_that_differ_in_more_than_the_page_number_stay() {
        let mut pages: Vec<Page> = (1..=4)
            .map(|n| page(n, &[(&format!("第{n}章"), 30.0), (&format!("左栏第{n}页第1行"), 60.0)]))
            .collect();
        let before = texts(&pages);
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 9);
        assert_eq!(texts(&pages), before);
    }

    #[test]
    fn body_text_that_repeats_below_a_line_that_does_not_stays() {
        let mut pages: Vec<Page> =
            (1..=4).map(|n| page(n, &[(&format!("Invoice A{n}x"), 30.0), ("Dear customer", 60.0)])).collect();
        let before = texts(&pages);
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 9);
        assert_eq!(texts(&pages), before);
    }

    #[test]
    fn numbers_that_do_not_count_with_the_pages_stay() {
        let mut pages: Vec<Page> =
            [17, 3, 99, 5].iter().zip(1..).map(|(n, p)| page(p, &[(&format!("{n}"), 40.0)])).collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 9);
        assert_eq!(texts(&pages).len(), 4);
        let mut pages: Vec<Page> =
            (1..=4).map(|p| page(p, &[(&format!("Page {} of 9", p + 2), 780.0), ("x", 300.0)])).collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 9);
        assert_eq!(texts(&pages), ["x"; 4]);
    }

    #[test]
    fn a_header_with_the_number_of_a_report_repeats_and_a_lone_figure_does_not() {
        let mut pages: Vec<Page> = (1..=4)
            .map(|n| page(n, &[("Working paper No 1299", 30.0), (&format!("body {n} text"), 60.0)]))
            .collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 4);
        assert_eq!(texts(&pages).len(), 5, "{:?}", texts(&pages));
        let mut pages: Vec<Page> = (1..=4).map(|n| page(n, &[("17", 30.0), ("text", 400.0)])).collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 4);
        assert_eq!(texts(&pages).len(), 8);
    }

    #[test]
    fn two_pages_suffice_for_page_of_pages_and_for_headers_apart_from_the_text() {
        let letter = |n: u32| {
            let footer = format!("Page {n} of 2");
            page(
                n,
                &[
                    ("Acme Ltd", 30.0),
                    ("Dear customer,", 80.0),
                    (&format!("part {n}"), 92.0),
                    (&footer, 780.0),
                ],
            )
        };
        let mut pages = vec![letter(1), letter(2)];
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 2);
        assert_eq!(texts(&pages), ["Acme Ltd", "Dear customer,", "part 1", "Dear customer,", "part 2"]);
    }

    #[test]
    fn the_first_line_of_the_text_stays_where_two_pages_begin_alike() {
        let mut pages: Vec<Page> =
            (1..=2).map(|n| page(n, &[("Dear customer,", 60.0), (&format!("part {n}"), 72.0)])).collect();
        let before = texts(&pages);
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 2);
        assert_eq!(texts(&pages), before);
    }

    #[test]
    fn a_footer_whose_number_counts_on_goes_from_the_second_of_two_pages() {
        let report = |n: u32, head: &str| {
            page(n, &[(head, 30.0), (&format!("text {n}x"), 100.0), (&format!("Annual report – {n}"), 780.0)])
        };
        let mut pages = vec![report(1, "Part 1"), report(2, "Part 2")];
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 40);
        assert_eq!(texts(&pages), ["Part 1", "text 1x", "Annual report – 1", "Part 2", "text 2x"]);
        let mut pages: Vec<Page> =
            (1..=2).map(|n| page(n, &[("text", 100.0), (&format!("Page {n} of 151"), 780.0)])).collect();
        let sizes = Sizes::of(&pages);
        remove(&mut pages, "", &sizes, 2);
        assert_eq!(texts(&pages), ["text", "text"]);
    }
}
