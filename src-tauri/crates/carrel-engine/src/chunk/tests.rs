use super::*;
use crate::domain::{Block, BlockKind, NewPassage};
use proptest::prelude::*;
use std::fmt::Write as _;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Cuts a text without places and without a model that compares sentences.
pub(super) fn chunk(
    markdown: &str,
    blocks: &[Block],
    tokenizer: &dyn Tokenizer,
    window: Option<usize>,
    chunking: Chunking,
) -> Result<Vec<NewPassage>, ModelError> {
    let text = Text { markdown, blocks, locations: &[] };
    super::chunk(&text, &Reader { tokenizer, window, embedder: None }, chunking, &Cancel::new())
}

/// Counts pieces of up to four letters, as subword tokenizers do, and takes words of more than 100 letters for one token.
pub(super) struct Subwords;

impl Tokenizer for Subwords {
    fn id(&self) -> &'static str {
        "subwords"
    }

    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError> {
        let mut spans = Vec::new();
        for (at, word) in text.split_word_bound_indices().filter(|(_, word)| !word.trim().is_empty()) {
            if word.chars().count() > 100 {
                spans.push(Span::new(at, at + word.len()));
                continue;
            }
            let ends: Vec<usize> = word.char_indices().map(|(i, _)| i).chain([word.len()]).collect();
            for piece in ends[..ends.len() - 1].chunks(4) {
                let end = ends[(ends.partition_point(|&e| e <= piece[piece.len() - 1])).min(ends.len() - 1)];
                spans.push(Span::new(at + piece[0], at + end));
            }
        }
        Ok(spans)
    }

    fn overhead(&self) -> usize {
        2
    }
}

/// Markdown with its block tree, written together.
#[derive(Default)]
pub(super) struct Page {
    pub(super) markdown: String,
    pub(super) blocks: Vec<Block>,
}

impl Page {
    pub(super) fn add(&mut self, kind: BlockKind, text: &str) -> &mut Self {
        let block = self.block(kind, text);
        self.blocks.push(block);
        self
    }

    pub(super) fn block(&mut self, kind: BlockKind, text: &str) -> Block {
        if !self.markdown.is_empty() {
            self.markdown.push_str("\n\n");
        }
        let start = self.markdown.len();
        self.markdown.push_str(text);
        Block { kind, span: Span::new(start, self.markdown.len()), children: Vec::new() }
    }

    pub(super) fn heading(&mut self, level: u8, title: &str) -> &mut Self {
        let text = format!("{} {title}", "#".repeat(level.into()));
        self.add(BlockKind::Heading { level, text: title.to_owned() }, &text)
    }

    pub(super) fn paragraph(&mut self, text: &str) -> &mut Self {
        self.add(BlockKind::Paragraph, text)
    }

    pub(super) fn code(&mut self, text: &str) -> &mut Self {
        self.add(BlockKind::Code { language: None }, text)
    }

    fn lines(&mut self, kind: BlockKind, lines: &[String], part: impl Fn(usize) -> BlockKind) -> &mut Self {
        let mut block = self.block(kind, &lines.join("\n"));
        let mut at = block.span.start;
        for (i, line) in lines.iter().enumerate() {
            block.children.push(Block {
                kind: part(i),
                span: Span::new(at, at + line.len()),
                children: Vec::new(),
            });
            at += line.len() + 1;
        }
        self.blocks.push(block);
        self
    }

    pub(super) fn table(&mut self, header: &str, rows: &[String]) -> &mut Self {
        let bars = header.matches('|').count().saturating_sub(1);
        let mut lines = vec![format!("{header}\n|{}", "---|".repeat(bars))];
        lines.extend_from_slice(rows);
        self.lines(BlockKind::Table, &lines, |i| BlockKind::Row { header: i == 0 })
    }

    pub(super) fn list(&mut self, items: &[String]) -> &mut Self {
        self.lines(BlockKind::List, items, |_| BlockKind::Item)
    }

    fn chunk(&self, size: usize, overlap: usize) -> Vec<NewPassage> {
        let passages =
            chunk(&self.markdown, &self.blocks, &Subwords, Some(size), Chunking::Recursive { size, overlap })
                .unwrap();
        check(&self.markdown, &passages, &Subwords, size);
        passages
    }

    pub(super) fn text(&self, passage: &NewPassage) -> &str {
        passage.span.of(&self.markdown).unwrap()
    }
}

/// The invariant of this module.
pub(super) fn check(markdown: &str, passages: &[NewPassage], tokenizer: &dyn Tokenizer, window: usize) {
    let mut at = 0;
    for passage in passages {
        let Span { start, end } = passage.span;
        assert!(start >= at, "spans ascend and do not overlap");
        assert!(markdown[at..start].chars().all(char::is_whitespace), "lost: {:?}", &markdown[at..start]);
        assert!(start < end && !passage.span.of(markdown).unwrap().trim().is_empty());
        assert!(passage.embed_span.start <= start && passage.embed_span.end == end);
        for position in [start, end, passage.embed_span.start] {
            let between =
                GraphemeCursor::new(position, markdown.len(), true).is_boundary(markdown, 0).unwrap();
            assert!(between, "a grapheme is cut at {position}");
        }
        let tokens = tokenizer.count(&passage.embedded_text(markdown)).unwrap() + tokenizer.overhead();
        assert_eq!(passage.tokens as usize, tokens, "tokens are exact");
        assert!(tokens <= window, "{tokens} tokens in a window of {window}");
        at = end;
    }
    assert!(markdown[at..].chars().all(char::is_whitespace), "lost: {:?}", &markdown[at..]);
}

pub(super) fn words(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(text, "w{i} ");
    }
    text.trim_end().to_owned()
}

pub(super) fn sentences(n: usize) -> String {
    (0..n)
        .map(|i| format!("Sentence number {i} says that the pump of unit {i} was checked."))
        .collect::<Vec<_>>()
        .join(" ")
}

// The four faults of the first chunker.

#[test]
fn an_overlap_before_a_long_paragraph_ends() {
    let mut page = Page::default();
    page.paragraph(&words(50)).paragraph(&words(780)).paragraph(&words(20));
    let passages = chunk(
        &page.markdown,
        &page.blocks,
        &WordsTokenizer,
        None,
        Chunking::Recursive { size: 800, overlap: 100 },
    );
    check(&page.markdown, &passages.unwrap(), &WordsTokenizer, 800);
}

#[test]
fn a_paragraph_of_5000_words_is_cut_to_fit() {
    let mut page = Page::default();
    page.paragraph(&words(5000));
    let passages = page.chunk(256, 32);
    assert!(passages.len() >= 5000 / 256);
    assert!(passages.iter().all(|p| p.tokens >= 50), "no fragments");
}

#[test]
fn text_before_a_heading_is_not_repeated_under_it() {
    let mut page = Page::default();
    page.heading(1, "First")
        .paragraph(&sentences(40))
        .heading(1, "Second")
        .paragraph("The omega valve stays shut.");
    let passages = page.chunk(128, 16);
    let last = passages.last().unwrap();
    assert_eq!(last.heading_path, ["Second"]);
    assert_eq!(last.embed_span, last.span);
    assert_eq!(page.text(last), "# Second\n\nThe omega valve stays shut.");
    assert!(passages.iter().filter(|p| p.embedded_text(&page.markdown).contains("omega")).count() == 1);
}

#[test]
fn offsets_slice_back_to_the_text() {
    let mut page = Page::default();
    page.heading(2, "频道 🎛️")
        .paragraph(&"水泵的压力为三巴。".repeat(200))
        .list(&["- e\u{301}t\u{e9}".to_owned(), "- 👩‍👩‍👧 family".to_owned()]);
    let passages = page.chunk(128, 16);
    assert!(passages.len() > 10);
    assert!(page.text(&passages[0]).starts_with("## 频道 🎛️"));
    assert!(passages[..passages.len() - 1].iter().all(|p| page.text(p).ends_with('。')), "cut at sentences");
}

#[test]
fn a_short_section_is_one_passage_with_its_path() {
    let mut page = Page::default();
    page.heading(1, "Guide")
        .heading(2, "Setup")
        .paragraph("Turn the key.")
        .heading(2, "Use")
        .paragraph("Press start.");
    let passages = page.chunk(256, 32);
    let paths: Vec<_> = passages.iter().map(|p| p.heading_path.join("/")).collect();
    assert_eq!(paths, ["Guide/Setup", "Guide/Use"], "a heading without text opens the section below it");
    assert_eq!(
        passages[0].embedded_text(&page.markdown),
        "# Guide\n\n## Setup\n\nTurn the key.",
        "headings are said once"
    );
    assert_eq!(passages[1].embedded_text(&page.markdown), "Guide\n## Use\n\nPress start.");
}

#[test]
fn fragments_join_a_neighbour() {
    let mut page = Page::default();
    page.heading(1, "Log").paragraph("Short.").paragraph(&sentences(16)).paragraph("Tail.");
    for size in [64, 128, 256, 300, 340] {
        for passage in page.chunk(size, size / 8) {
            let least = LEAST.min(size / 4);
            assert!(
                passage.tokens as usize + 2 >= least,
                "{size}: {} tokens in {:?}",
                passage.tokens,
                page.text(&passage)
            );
        }
    }
}

#[test]
fn a_paragraph_that_fits_is_kept_whole() {
    let mut page = Page::default();
    let parts: Vec<String> = (0..9).map(|i| format!("Paragraph {i}. {}", sentences(7))).collect();
    for part in &parts {
        page.paragraph(part);
    }
    let passages = page.chunk(256, 32);
    for part in &parts {
        assert!(passages.iter().any(|p| page.text(p).contains(part.as_str())));
    }
}

#[test]
fn overlap_repeats_whole_words_of_the_passage_before() {
    let mut page = Page::default();
    page.heading(1, "Pumps").paragraph(&sentences(60));
    let passages = page.chunk(256, 32);
    for pair in passages.windows(2) {
        let overlap = Span::new(pair[1].embed_span.start, pair[1].span.start);
        let text = overlap.of(&page.markdown).unwrap();
        let tokens = Subwords.count(text).unwrap();
        assert!((8..=40).contains(&tokens), "{tokens} tokens of overlap");
        assert!(text.starts_with("Sentence number"), "{text:?}");
        assert!(overlap.start >= pair[0].span.start);
    }
}

#[test]
fn tables_keep_rows_whole_and_repeat_the_header() {
    let mut page = Page::default();
    let rows: Vec<String> =
        (0..200).map(|i| format!("| part-{i} | {} | in stock since {} |", i * 37, 1900 + i)).collect();
    page.heading(1, "Stock")
        .paragraph("All parts.")
        .table("| Name | Price | Note |", &rows)
        .paragraph("End of the list.");
    let passages = page.chunk(128, 16);
    for row in &rows {
        assert_eq!(passages.iter().filter(|p| page.text(p).contains(row.as_str())).count(), 1, "{row}");
    }
    for passage in &passages[1..] {
        assert!(passage.embedded_text(&page.markdown).contains("| Name | Price | Note |"));
        assert_eq!(passage.embed_span, passage.span, "tables do not overlap");
    }
    assert!(page.text(&passages[0]).contains("All parts."));
}

#[test]
fn a_row_above_the_window_is_cut_like_text() {
    let mut page = Page::default();
    let giant = format!("| big | {} | end |", sentences(80));
    page.table("| A | B | C |", &["| 1 | 2 | 3 |".to_owned(), giant, "| 7 | 8 | 9 |".to_owned()]);
    let passages = page.chunk(128, 16);
    let all = passages.iter().map(|p| page.text(p)).collect::<Vec<_>>().join(" ");
    for i in 0..80 {
        assert!(all.contains(&format!("number {i} says")));
    }
}

#[test]
fn code_is_cut_between_functions() {
    let mut page = Page::default();
    let code: Vec<String> = (0..20)
        .map(|i| format!("fn f{i}(x: u32) -> u32 {{\n    let y = x + {i};\n\n    y * {i}\n}}\n"))
        .collect();
    page.code(&code.join("\n"));
    for passage in page.chunk(128, 16) {
        assert!(
            page.text(&passage).starts_with("fn f") && page.text(&passage).ends_with('}'),
            "{}",
            page.text(&passage)
        );
        assert_eq!(passage.embed_span, passage.span);
    }
}

#[test]
fn two_megabytes_on_one_line_fit_the_model() {
    let lines = [
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(60_000),
        "var a=b(c,d);".repeat(160_000),
        "=".repeat(2 << 20),
    ];
    for line in lines {
        let mut page = Page::default();
        page.code(&line);
        let passages =
            chunk(&page.markdown, &page.blocks, &WordsTokenizer, Some(256), Chunking::default()).unwrap();
        check(&page.markdown, &passages, &WordsTokenizer, 256);
        assert!(passages.len() > 400);
        assert!(passages.iter().all(|p| p.span.len() < 16 << 10));
        let mut part = Page::default();
        part.code(&line[..16 << 10]);
        assert!(part.chunk(256, 32).len() > 3);
    }
}

#[test]
fn a_huge_heading_path_is_shortened_from_the_outside() {
    let mut page = Page::default();
    page.heading(1, &words(200)).heading(2, "Inner").paragraph(&sentences(20));
    let passages = page.chunk(128, 16);
    assert_eq!(passages.last().unwrap().heading_path, ["Inner"]);
    let mut page = Page::default();
    page.heading(1, &words(200)).paragraph(&sentences(20));
    let last = page.chunk(128, 16).pop().unwrap();
    assert!(last.heading_path[0].starts_with("w0 w1") && last.heading_path[0].ends_with('…'));
}

#[test]
fn without_chunking_a_text_that_fits_is_one_passage() {
    let mut page = Page::default();
    page.heading(1, "A").paragraph(&sentences(3)).heading(1, "B").paragraph(&sentences(3));
    let passages = chunk(&page.markdown, &page.blocks, &Subwords, Some(256), Chunking::None).unwrap();
    assert_eq!(passages.len(), 1);
    assert_eq!(passages[0].span, Span::new(0, page.markdown.len()));
    page.paragraph(&sentences(100));
    let passages = chunk(&page.markdown, &page.blocks, &Subwords, Some(256), Chunking::None).unwrap();
    check(&page.markdown, &passages, &Subwords, 256);
}

#[test]
fn nothing_to_read_is_no_passage() {
    for text in ["", " \n\t\n ", "\u{a0}\u{3000}"] {
        assert!(chunk(text, &[], &Subwords, Some(64), Chunking::default()).unwrap().is_empty());
    }
}

#[test]
fn settings_are_read_and_written() {
    assert_eq!(Chunking::parse("512/64"), Some(Chunking::Recursive { size: 512, overlap: 64 }));
    assert_eq!(Chunking::parse("technical"), Some(Chunking::Recursive { size: 1024, overlap: 128 }));
    assert_eq!(Chunking::parse("fixed:256"), Some(Chunking::Window { size: 256, overlap: 0 }));
    assert_eq!(Chunking::parse("parent-child"), Some(Chunking::ParentChild { size: 150, section: 1500 }));
    for bad in [
        "",
        "512",
        "512/300",
        "8/0",
        "99999/0",
        "recursive",
        "fixed:1/2",
        "semantic:512/5",
        "parent-child:150/100",
    ] {
        assert_eq!(Chunking::parse(bad), None, "{bad}");
    }
    for setting in Chunking::ALL.iter().chain(&["none"]) {
        let chunking = Chunking::parse(setting).unwrap();
        assert_eq!(&chunking.setting(), setting);
        assert_eq!(Chunking::from_id(&chunking.id()), Some(chunking));
        assert_eq!(chunking.warning(), None, "{setting}");
    }
    assert!(Chunking::parse("256/64").unwrap().warning().unwrap().contains("more than a fifth"));
}

/// Counts the bytes that are tokenized.
struct Meter(std::sync::Mutex<usize>);

impl Tokenizer for Meter {
    fn id(&self) -> &'static str {
        "meter"
    }

    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError> {
        *self.0.lock().unwrap() += text.len();
        WordsTokenizer.token_spans(text)
    }

    fn overhead(&self) -> usize {
        2
    }
}

#[test]
fn work_grows_with_the_text_and_not_faster() {
    for setting in Chunking::ALL {
        let work = |n: usize| {
            let mut page = Page::default();
            page.paragraph(&sentences(n)).list(&(0..n).map(|i| format!("- item {i}")).collect::<Vec<_>>());
            page.paragraph(&"=".repeat(n * 20)).code(&"x = 1;".repeat(n));
            let meter = Meter(std::sync::Mutex::new(0));
            let chunking = Chunking::parse(setting).unwrap();
            let passages = chunk(&page.markdown, &page.blocks, &meter, Some(256), chunking).unwrap();
            check(&page.markdown, &passages, &meter, 256);
            *meter.0.lock().unwrap() / page.markdown.len()
        };
        let (small, large) = (work(500), work(4_000));
        assert!(small <= 8, "{setting}: each byte is tokenized {small} times");
        assert!(large <= small + 1, "{setting}: {small} times in one part, {large} times in eight");
    }
}

fn run() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,12}( [a-z]{1,9}){0,30}[.!?]?",
        2 => "[一-龥]{1,60}[。！？]?",
        1 => "[ぁ-ん]{1,30}",
        1 => prop::collection::vec(prop::sample::select(vec!["👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "❤️", "ก็", "क्षि", " ", "\u{600}", "|\u{301}", "\u{200d}"]), 1..40).prop_map(|v| v.concat()),
        1 => "[=\\-_*|]{1,60}",
        1 => "[A-Za-z0-9+/]{100,400}",
        1 => "\\PC{0,40}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec((run(), prop::sample::select(vec![" ", "\n", "", "  "])), 1..12)
        .prop_map(|parts| parts.into_iter().map(|(run, space)| run + space).collect())
}

#[derive(Clone, Debug)]
enum Part {
    Heading(u8, String),
    Paragraph(String),
    Code(Vec<String>),
    List(Vec<String>),
    Table(Vec<String>),
    Loose(String),
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        2 => (1..=6u8, run()).prop_map(|(level, title)| Part::Heading(level, title)),
        4 => text().prop_map(Part::Paragraph),
        1 => prop::collection::vec(run(), 1..20).prop_map(Part::Code),
        1 => prop::collection::vec(text(), 1..10).prop_map(Part::List),
        1 => prop::collection::vec(run(), 0..20).prop_map(Part::Table),
        1 => text().prop_map(Part::Loose),
    ]
}

fn page(parts: Vec<Part>) -> Page {
    let mut page = Page::default();
    for part in parts {
        match part {
            Part::Heading(level, title) => page.heading(level, &title),
            Part::Paragraph(text) => page.paragraph(&text),
            Part::Code(lines) => page.code(&lines.join("\n")),
            Part::List(items) => page.list(&items),
            Part::Table(rows) => page.table("| Name | Value |", &rows),
            Part::Loose(text) => {
                page.block(BlockKind::Paragraph, &text);
                &mut page
            }
        };
    }
    page
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_page_is_covered_and_fits(parts in prop::collection::vec(part(), 0..12), size in 32..300usize, share in 0..20usize) {
        let page = page(parts);
        let passages = page.chunk(size, size * share / 100);
        prop_assert_eq!(passages, page.chunk(size, size * share / 100), "deterministic");
    }

    #[test]
    fn a_wrong_block_tree_loses_nothing(text in "\\PC{0,300}", spans in prop::collection::vec((0..320usize, 0..320usize), 0..8)) {
        let blocks: Vec<Block> = spans
            .iter()
            .map(|&(a, b)| Block { kind: BlockKind::Paragraph, span: Span::new(a.min(b), a.max(b)), children: Vec::new() })
            .collect();
        let passages = chunk(&text, &blocks, &WordsTokenizer, None, Chunking::Recursive { size: 32, overlap: 4 }).unwrap();
        let mut at = 0;
        for passage in &passages {
            prop_assert!(passage.span.start >= at);
            prop_assert!(text[at..passage.span.start].trim().is_empty());
            at = passage.span.end;
        }
        prop_assert!(text[at..].trim().is_empty());
    }
}
