//! What the layout of PDF pages must get right, on small pages that show one kind of it each.

#![expect(clippy::panic, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{BlockKind, Converted, Location, Span};
use carrel_engine::seams::{ConvertError, DocumentConverter};
use common::make::{SCAN, pdf_pages, pdf_with_outline, rules, show};
use common::{bytes, pool};

fn try_convert(content: &[u8]) -> Result<Converted, ConvertError> {
    let result = pool(1).convert(&bytes("a.pdf", content), &Cancel::new());
    if let Ok(converted) = &result {
        common::invariants::check(converted);
    }
    result
}

fn convert(content: &[u8]) -> Converted {
    try_convert(content).unwrap_or_else(|error| panic!("{error}"))
}

fn pages(streams: &[String]) -> Converted {
    convert(&pdf_pages(streams, "<< >>"))
}

fn place(converted: &Converted, needle: &str) -> Location {
    let at = converted.markdown.find(needle).unwrap_or_else(|| panic!("{needle} in {}", converted.markdown));
    Location::of_span(Span::new(at, at + needle.len()), &converted.locations)
}

/// Lines below each other from a place, 13 points apart.
fn lines(x: u32, y: u32, texts: &[&str]) -> String {
    texts.iter().zip(0..).map(|(text, i)| show("F1", 11, x, y - 13 * i, text)).collect()
}

const PROSE: [&str; 4] = [
    "The desk stands by the window, and on it lie the papers of",
    "a whole life, sorted by nobody, read by few, and found again",
    "only by those who remember where they have put them. It is",
    "a quiet place, and it wants to stay one for a long time.",
];

#[test]
fn a_frame_round_the_text_is_no_table_and_loses_nothing() {
    if common::without_pdfium("frame") {
        return;
    }
    // A frame with a narrow empty band at its top and side.
    let frame = rules(&[
        [40, 760, 560, 760],
        [40, 740, 560, 740],
        [40, 40, 560, 40],
        [40, 40, 40, 760],
        [45, 40, 45, 760],
        [560, 40, 560, 760],
    ]);
    let converted = pages(&[frame + &lines(60, 700, &PROSE)]);
    assert!(!converted.markdown.contains('|'), "{}", converted.markdown);
    assert!(converted.markdown.contains("papers of a whole life, sorted"), "{}", converted.markdown);
    assert!(converted.markdown.contains("stay one for a long time."), "{}", converted.markdown);
}

#[test]
fn a_table_without_outer_borders_keeps_its_outer_columns() {
    if common::without_pdfium("outer columns") {
        return;
    }
    let mut page = rules(&[
        [50, 720, 410, 720],
        [50, 700, 410, 700],
        [50, 680, 410, 680],
        [50, 660, 410, 660],
        [170, 660, 170, 720],
        [290, 660, 290, 720],
    ]);
    for (row, y) in [["Layers", "Score", "Seconds"], ["four", "0.97", "1.5"], ["six", "0.98", "2.7"]]
        .iter()
        .zip([706, 686, 666])
    {
        for (cell, x) in row.iter().zip([60, 180, 300]) {
            page += &show("F1", 10, x, y, cell);
        }
    }
    let converted = pages(&[page]);
    assert_eq!(
        converted.markdown,
        "| Layers | Score | Seconds |\n| --- | --- | --- |\n| four | 0.97 | 1.5 |\n| six | 0.98 | 2.7 |"
    );
    assert_eq!(place(&converted, "six").boxes.len(), 1);
}

#[test]
fn rows_of_figures_that_no_line_parts_stay_rows() {
    if common::without_pdfium("unparted rows") {
        return;
    }
    let mut page = rules(&[
        [50, 720, 410, 720],
        [50, 700, 410, 700],
        [50, 640, 410, 640],
        [50, 640, 50, 720],
        [170, 640, 170, 720],
        [290, 640, 290, 720],
        [410, 640, 410, 720],
    ]);
    let rows = [
        ["Crime", "2008", "2009"],
        ["Theft", "6,588", "6,338"],
        ["Arson", "62", "58"],
        ["Fraud", "211", "198"],
    ];
    for (row, y) in rows.iter().zip([706, 686, 670, 654]) {
        for (cell, x) in row.iter().zip([60, 180, 300]) {
            page += &show("F1", 10, x, y, cell);
        }
    }
    assert_eq!(
        pages(&[page]).markdown,
        "| Crime | 2008 | 2009 |\n| --- | --- | --- |\n| Theft | 6,588 | 6,338 |\n| Arson | 62 | 58 |\n| Fraud | 211 | 198 |"
    );
}

#[test]
fn lists_keep_their_levels_and_numbers() {
    if common::without_pdfium("lists") {
        return;
    }
    let page = lines(50, 700, &["To do before the journey to the sea:"])
        + &lines(60, 680, &["1. Pack the bags"])
        + &lines(80, 667, &["- the large one", "- the small one"])
        + &lines(
            60,
            641,
            &["2. Lock the door", "3. Give the key to the neighbours, who will", "    look after the plants"],
        )
        + &lines(50, 580, &["Then nothing is left to be done, and all can go."]);
    let converted = pages(&[page]);
    assert_eq!(
        converted.markdown,
        "To do before the journey to the sea:\n\n1. Pack the bags\n   - the large one\n   - the small one\n2. Lock the door\n\
         3. Give the key to the neighbours, who will look after the plants\n\nThen nothing is left to be done, and all can go."
    );
}

#[test]
fn the_outline_names_headings_that_look_like_text() {
    if common::without_pdfium("outline") {
        return;
    }
    let page = |head: &str| lines(50, 700, &[head]) + &lines(50, 687, &PROSE);
    let pdf =
        pdf_with_outline(&[page("1 On desks"), page("2 On lamps")], &[("On desks", 0), ("On lamps", 1)]);
    let converted = convert(&pdf);
    let headings: Vec<_> = converted
        .blocks
        .iter()
        .filter_map(|b| match &b.kind {
            BlockKind::Heading { level, text } => Some((*level, text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(headings, [(1, "1 On desks"), (1, "2 On lamps")], "{}", converted.markdown);
    assert_eq!(place(&converted, "2 On lamps").page, Some(2));
}

#[test]
fn lines_of_contents_stay_apart_and_lose_their_dots() {
    if common::without_pdfium("contents") {
        return;
    }
    let page = lines(
        50,
        700,
        &[
            "Notices . . . . . . . . . . . . . . . . vii",
            "1 Desks .................... 12",
            "1.1 Lamps ................. 17",
        ],
    );
    assert_eq!(pages(&[page]).markdown, "- Notices … vii\n- 1 Desks … 12\n- 1.1 Lamps … 17");
}

#[test]
fn a_note_below_does_not_part_a_sentence_that_goes_on_over_the_page() {
    if common::without_pdfium("notes") {
        return;
    }
    let first = lines(50, 700, &PROSE)
        + &lines(50, 660, &["A second paragraph begins here and goes on"]).replace("660", "630")
        + &show("F1", 8, 50, 60, "1 This is said of desks alone.");
    let second = lines(50, 700, &["until it ends on the next page, as many do."]);
    let converted = pages(&[first, second]);
    let text = &converted.markdown;
    assert!(text.contains("begins here and goes on until it ends"), "{text}");
    assert!(text.contains("1 This is said of desks alone."), "{text}");
    assert_eq!((place(&converted, "goes on").page, place(&converted, "until it").page), (Some(1), Some(2)));
    assert_eq!(place(&converted, "desks alone").page, Some(1));
}

#[test]
fn two_pages_lose_their_header_and_page_numbers_and_no_first_line() {
    if common::without_pdfium("two pages") {
        return;
    }
    let page = |n: u32| {
        show("F1", 9, 50, 770, "Acme Ltd, Desk Street 1")
            + &lines(50, 700, &PROSE)
            + &show("F1", 9, 260, 30, &format!("Page {n} of 2"))
    };
    let text = pages(&[page(1), page(2)]).markdown;
    assert_eq!(text.matches("Acme Ltd").count(), 1, "{text}");
    assert_eq!(text.matches("The desk stands by the window").count(), 2, "{text}");
    assert!(!text.contains("Page 1") && !text.contains("Page 2"), "{text}");
}

#[test]
fn c33_each_page_that_is_an_image_is_named_and_blank_ones_are_not() {
    // Where there is no model, what is said of such pages is another (see `images.rs`).
    if common::without_ocr("c33") {
        return;
    }
    let text = lines(50, 700, &PROSE);
    let converted =
        pages(&[text.clone(), SCAN.to_owned(), String::new(), "1 1 1 rg 0 0 500 500 re f".to_owned()]);
    assert!(!converted.complete);
    let said: Vec<_> = converted.warnings.iter().map(|w| (w.code.as_str(), w.message.as_str())).collect();
    assert_eq!(said, [("no_text_layer", "no text layer on page 2 of 4")]);
    assert!(pages(&[text, String::new()]).complete, "nothing is missing of a blank page");
    let error = try_convert(&pdf_pages(&[SCAN.to_owned(), SCAN.to_owned()], "<< >>")).unwrap_err();
    assert!(
        matches!(&error, ConvertError::NoText { detail } if detail.contains("pages 1–2: no text layer")),
        "{error:?}"
    );
}

#[test]
fn turned_text_at_the_margin_is_kept_as_words() {
    if common::without_pdfium("turned") {
        return;
    }
    let turned = "BT /F1 9 Tf 0 1 -1 0 30 200 Tm (Draft of a letter) Tj ET\n";
    let converted = pages(&[lines(50, 700, &PROSE) + turned]);
    assert!(converted.markdown.contains("Draft of a letter"), "{}", converted.markdown);
    let here = place(&converted, "Draft of a letter").boxes;
    assert!(here.iter().any(|b| b[2] - b[0] < 20.0 && b[3] - b[1] > 50.0), "{here:?}");
}
