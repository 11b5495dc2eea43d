//! What the layout of PDF pages must keep: the order of titles and columns, headings of other fonts, tables that draw few lines or
//! none, and the place of every line.

#![expect(clippy::panic, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{BlockKind, Converted, Location, Span};
use carrel_engine::seams::DocumentConverter;
use common::make::{pdf_pages, rules, show};
use common::{bytes, pool};

const ITALIC: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >>";

const PROSE: [&str; 4] = [
    "The desk stands by the window, and on it lie the papers of",
    "a whole life, sorted by nobody, read by few, and found again",
    "only by those who remember where they have put them. It is",
    "a quiet place, and it wants to stay one for a long time.",
];

fn convert(page: String) -> Converted {
    let converted = pool(1).convert(&bytes("a.pdf", &pdf_pages(&[page], ITALIC)), &Cancel::new());
    let converted = converted.unwrap_or_else(|error| panic!("{error}"));
    common::invariants::check(&converted);
    converted
}

fn place(converted: &Converted, needle: &str) -> Location {
    let at = converted.markdown.find(needle).unwrap_or_else(|| panic!("{needle} in {}", converted.markdown));
    Location::of_span(Span::new(at, at + needle.len()), &converted.locations)
}

/// Lines below each other from a place, 13 points apart.
fn lines(font: &str, x: u32, y: u32, texts: &[&str]) -> String {
    texts.iter().zip(0..).map(|(text, i)| show(font, 11, x, y - 13 * i, text)).collect()
}

fn row(y: u32, cells: &[(u32, &str)]) -> String {
    cells.iter().map(|(x, text)| show("F1", 10, *x, y, text)).collect()
}

fn headings(converted: &Converted) -> Vec<&str> {
    converted
        .blocks
        .iter()
        .filter_map(|block| match &block.kind {
            BlockKind::Heading { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn each_line_of_a_paragraph_has_its_own_box() {
    if common::without_pdfium("boxes") {
        return;
    }
    let converted = convert(lines("F1", 50, 700, &PROSE));
    let boxes = |needle| place(&converted, needle).boxes;
    let [first, third] =
        [boxes("stands by the window"), boxes("remember where")].map(|boxes| match boxes.as_slice() {
            [only] => *only,
            other => panic!("{other:?}"),
        });
    // A line is 13 points below the one before.
    assert!((third[1] - first[1] - 26.0).abs() < 1.0, "{first:?} {third:?}");
    assert!(third[3] - third[1] < 16.0, "{third:?}");
    assert_eq!(boxes("found again only by those").len(), 2, "what runs over two lines has both boxes");
}

#[test]
fn a_title_that_is_drawn_after_two_columns_stands_before_them() {
    if common::without_pdfium("title") {
        return;
    }
    let short = [
        "A desk by the window",
        "holds the papers of one",
        "who has left them all",
        "and is not coming back.",
    ];
    let page = lines("F1", 50, 600, &short)
        + &lines(
            "F1",
            320,
            600,
            &[
                "The lamp burns at night",
                "and nobody asks for it,",
                "because it costs so little",
                "that none will notice.",
            ],
        )
        + &show("F2", 20, 50, 720, "Of Desks And Lamps")
        + &show("F1", 8, 50, 60, "* A note on the author, far below.");
    let text = convert(page).markdown;
    let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{needle} in {text}"));
    assert!(
        at("Of Desks") < at("A desk by") && at("A desk by") < at("The lamp") && at("The lamp") < at("A note"),
        "{text}"
    );
}

#[test]
fn raised_letters_stay_in_their_word() {
    if common::without_pdfium("raised") {
        return;
    }
    let page = "BT /F1 12 Tf 50 700 Td (On the 3) Tj /F1 8 Tf 5 Ts (rd) Tj 0 Ts /F1 12 Tf ( of May) Tj ET\n";
    assert_eq!(convert(page.to_owned()).markdown, "On the 3rd of May");
}

#[test]
fn a_line_of_another_font_heads_the_text_below_it_and_a_caption_does_not() {
    if common::without_pdfium("font") {
        return;
    }
    let page = lines("F1", 50, 700, &PROSE)
        + &lines("F3", 50, 648, &["Of Lamps"])
        + &lines("F1", 50, 635, &PROSE)
        + &lines("F3", 50, 570, &["Figure 2 A lamp"])
        + &lines("F1", 50, 550, &PROSE);
    assert_eq!(headings(&convert(page)), ["Of Lamps"]);
    // Words of another font at the start of a full line are part of the text.
    let page = lines("F3", 50, 700, &["The desk stands by the window, and on it lie the papers that he"])
        + &lines("F1", 50, 687, &PROSE);
    assert!(headings(&convert(page)).is_empty());
}

#[test]
fn empty_cells_of_a_table_without_lines_stay_empty() {
    if common::without_pdfium("sparse") {
        return;
    }
    let page = row(700, &[(50, "Code"), (150, "Place"), (250, "Wanted"), (350, "Found"), (450, "State")])
        + &row(680, &[(50, "D-1"), (150, "A-12"), (250, "450")])
        + &row(660, &[(150, "B-07"), (350, "289")])
        + &row(640, &[(50, "D-2"), (250, "780"), (350, "778"), (450, "fine")])
        + &row(620, &[(250, "180")])
        + &row(600, &[(150, "A-08"), (450, "lost")]);
    assert_eq!(
        convert(page).markdown,
        "| Code | Place | Wanted | Found | State |\n| --- | --- | --- | --- | --- |\n| D-1 | A-12 | 450 | | |\n| | B-07 | | 289 | |\n\
         | D-2 | | 780 | 778 | fine |\n| | | 180 | | |\n| | A-08 | | | lost |"
    );
}

#[test]
fn names_of_groups_are_rows_of_their_table() {
    if common::without_pdfium("groups") {
        return;
    }
    let page = row(700, &[(200, "2012"), (300, "2013"), (400, "2014")])
        + &row(686, &[(50, "Output")])
        + &row(672, &[(50, "In all"), (200, "2.6"), (300, "3.2"), (400, "3.0")])
        + &row(658, &[(50, "For each"), (200, "0.7"), (300, "1.3"), (400, "1.1")])
        + &row(644, &[(50, "Use")])
        + &row(630, &[(50, "Goods"), (200, "1.7"), (300, "1.2"), (400, "1.6")])
        + &row(616, &[(50, "Services"), (200, "3.8"), (300, "3.5"), (400, "3.6")]);
    let text = convert(page).markdown;
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with("| ---")).collect();
    assert_eq!(
        rows,
        [
            "| | 2012 | 2013 | 2014 |",
            "| Output | | | |",
            "| In all | 2.6 | 3.2 | 3.0 |",
            "| For each | 0.7 | 1.3 | 1.1 |",
            "| Use | | | |",
            "| Goods | 1.7 | 1.2 | 1.6 |",
            "| Services | 3.8 | 3.5 | 3.6 |"
        ]
    );
}

#[test]
fn a_head_and_one_row_of_figures_are_a_table() {
    if common::without_pdfium("two rows") {
        return;
    }
    let page = row(700, &[(50, "Start"), (150, "Shows"), (250, "Amount")])
        + &row(684, &[(50, "12/20/24"), (150, "48"), (250, "$12,500.00")]);
    assert_eq!(
        convert(page).markdown,
        "| Start | Shows | Amount |\n| --- | --- | --- |\n| 12/20/24 | 48 | $12,500.00 |"
    );
    let page = row(700, &[(50, "Ann"), (150, "Bob"), (250, "Cid")])
        + &row(684, &[(50, "Graz"), (150, "Linz"), (250, "Wels")]);
    assert!(!convert(page).markdown.contains('|'), "names and places below them are none");
}

#[test]
fn fields_in_the_frames_of_a_form_are_rows() {
    if common::without_pdfium("form") {
        return;
    }
    let frame = rules(&[
        [40, 740, 560, 740],
        [40, 710, 560, 710],
        [40, 610, 560, 610],
        [40, 580, 560, 580],
        [40, 580, 40, 740],
        [560, 580, 560, 740],
        [300, 580, 300, 610],
    ]);
    let page = frame
        + &row(720, &[(50, "Estimate 1008")])
        + &row(690, &[(50, "Name"), (150, "Gabriel"), (310, "Year"), (410, "2022")])
        + &row(670, &[(50, "Claim"), (150, "SF-1008"), (310, "Make"), (410, "Jeep")])
        + &row(650, &[(50, "Phone"), (150, "111-1111"), (310, "Trim"), (410, "Limited")])
        + &row(630, &[(310, "Color"), (410, "White")])
        + &row(590, &[(50, "Signed"), (310, "Paid")]);
    let text = convert(page).markdown;
    for line in
        ["| Name | Gabriel | Year | 2022 |", "| Claim | SF-1008 | Make | Jeep |", "| | | Color | White |"]
    {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(text.contains("Estimate 1008") && text.contains("Signed"), "{text}");
}

#[test]
fn a_line_through_a_word_does_not_part_it() {
    if common::without_pdfium("through a word") {
        return;
    }
    let mut page = rules(&[
        [50, 720, 410, 720],
        [50, 700, 410, 700],
        [50, 680, 410, 680],
        [50, 680, 50, 720],
        [230, 680, 230, 720],
        [410, 680, 410, 720],
    ]);
    page += &row(706, &[(60, "Names"), (240, "Kinds")]);
    page += &row(686, &[(214, "Overlapping"), (300, "yes")]);
    let text = convert(page).markdown;
    assert!(text.contains("| Overlapping | yes |"), "{text}");
}

#[test]
fn each_row_of_a_table_has_its_own_box() {
    if common::without_pdfium("rows") {
        return;
    }
    let page = row(700, &[(50, "Code"), (150, "Place")])
        + &row(680, &[(50, "D-1"), (150, "A-12")])
        + &row(660, &[(50, "D-2"), (150, "B-07")]);
    let converted = convert(page);
    let [one, two] = [place(&converted, "D-1"), place(&converted, "D-2")].map(|place| place.boxes[0][1]);
    assert!((two - one - 20.0).abs() < 1.0, "{one} {two}");
}

#[test]
fn plain_rows_between_shaded_ones_have_the_columns_of_those() {
    if common::without_pdfium("stripes") {
        return;
    }
    let columns = [(50, 120), (170, 100), (270, 100)];
    let mut page = String::from("0.8 0.9 0.95 rg\n");
    for y in (500..=700).step_by(40) {
        for (x, width) in columns {
            page += &format!("{x} {y} {width} 20 re f\n");
        }
    }
    page += "0 g\n";
    for (i, y) in (500..=700).rev().step_by(20).zip(1..).map(|(y, i)| (i, y)) {
        page +=
            &row(y + 6, &[(54, &format!("Region {i}")), (174, &format!("{i}50")), (274, "from March on")]);
    }
    let text = convert(page).markdown;
    for i in 1..=11 {
        assert!(text.contains(&format!("| Region {i} | {i}50 | from March on |")), "{text}");
    }
}

#[test]
fn bold_words_that_open_a_paragraph_are_no_heading() {
    if common::without_pdfium("opening") {
        return;
    }
    let opening = |y: u32, bold: &str, rest: &str| {
        format!("BT /F2 11 Tf 50 {y} Td ({bold}) Tj /F1 11 Tf ( {rest}) Tj ET\n")
    };
    let page = show("F2", 11, 50, 740, "Of Desks")
        + &lines("F1", 50, 720, &PROSE)
        + &opening(660, "The papers that lie on the desk, and all that is known.", "Nobody")
        + &lines("F1", 50, 647, &PROSE)
        + &opening(590, "Lamps.", "They burn at night, and nobody asks who has lit them, or")
        + &lines("F1", 50, 577, &PROSE);
    let converted = convert(page);
    assert_eq!(headings(&converted), ["Of Desks"], "{}", converted.markdown);
    assert!(
        converted.markdown.contains("all that is known. Nobody The desk stands by"),
        "{}",
        converted.markdown
    );
    // One line each, the name bold: they are apart, and no heading.
    let page = lines("F1", 50, 720, &PROSE)
        + &opening(640, "Report date:", "17 May")
        + &opening(627, "Written by:", "Sarah Martinez")
        + &opening(614, "Place:", "the east wing");
    let text = convert(page).markdown;
    assert!(
        text.contains("Report date: 17 May\n\nWritten by: Sarah Martinez\n\nPlace: the east wing"),
        "{text}"
    );
}

#[test]
fn typewritten_prose_with_numbered_lines_is_prose() {
    if common::without_pdfium("transcript") {
        return;
    }
    let courier = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
    let text = [
        "The above matter came on for oral argument before",
        "the court at one in the afternoon, and the counsel",
        "for the petitioner was heard on the question which",
        "the court below had left open in its last decision",
    ];
    let mut page: String = (1..=20).map(|i| show("F3", 12, 60, 760 - 24 * i, &i.to_string())).collect();
    page +=
        &(1..=20).map(|i| show("F3", 12, 110, 760 - 24 * i, text[(i as usize - 1) % 4])).collect::<String>();
    let converted = pool(1).convert(&bytes("a.pdf", &pdf_pages(&[page], courier)), &Cancel::new());
    let text = converted.unwrap_or_else(|error| panic!("{error}")).markdown;
    assert!(!text.contains("```") && !text.contains("20"), "{text}");
    assert!(text.contains("before the court at one"), "{text}");
}

#[test]
fn the_simpler_reader_reads_turned_lines_in_their_order() {
    let turned: String = PROSE
        .iter()
        .zip(0..)
        .map(|(text, i)| format!("BT /F1 11 Tf 0 1 -1 0 {} 100 Tm ({text}) Tj ET\n", 100 + 13 * i))
        .collect();
    let converted =
        common::pool_without_pdfium().convert(&bytes("a.pdf", &pdf_pages(&[turned], ITALIC)), &Cancel::new());
    let text = converted.unwrap_or_else(|error| panic!("{error}")).markdown;
    assert_eq!(text, PROSE.join(" "));
}
