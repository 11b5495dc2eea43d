//! Strategies besides the plain one, and presets.

use super::kind::{Kind, kind};
use super::tests::{Page, Subwords, check, chunk, sentences};
use super::*;
use crate::domain::{Block, BlockKind, CodePart, EmbeddingSpace, Location, NewPassage};
use crate::seams::EmbedKind;

fn text(page: &Page) -> Text<'_> {
    Text { markdown: &page.markdown, blocks: &page.blocks, locations: &[] }
}

fn cut(page: &Page, setting: &str, window: usize) -> Vec<NewPassage> {
    let chunking = Chunking::parse(setting).unwrap();
    let passages = chunk(&page.markdown, &page.blocks, &Subwords, Some(window), chunking).unwrap();
    check(&page.markdown, &passages, &Subwords, window);
    passages
}

/// A source file with parts as a converter gives them: `(signature, kind, body)`, bodies in scopes.
struct File {
    page: Page,
    parts: Vec<Block>,
}

impl File {
    fn new() -> Self {
        let mut page = Page::default();
        page.markdown.push_str("```rust\n");
        Self { page, parts: Vec::new() }
    }

    fn part(&mut self, part: CodePart, signature: &str, text: &str) -> Block {
        let start = self.page.markdown.len();
        self.page.markdown.push_str(text);
        let span = Span::new(start, self.page.markdown.len());
        self.page.markdown.push_str("\n\n");
        Block { kind: BlockKind::Part { part, signature: signature.to_owned() }, span, children: Vec::new() }
    }

    fn add(&mut self, part: CodePart, signature: &str, text: &str) {
        let block = self.part(part, signature, text);
        self.parts.push(block);
    }

    fn scope(&mut self, signature: &str, functions: &[(String, String)]) {
        let start = self.page.markdown.len();
        self.page.markdown.push_str(&format!("{signature} {{\n"));
        let children = functions.iter().map(|(s, t)| self.part(CodePart::Function, s, t)).collect();
        self.page.markdown.push('}');
        let span = Span::new(start, self.page.markdown.len());
        self.page.markdown.push_str("\n\n");
        let kind = BlockKind::Part { part: CodePart::Scope, signature: signature.to_owned() };
        self.parts.push(Block { kind, span, children });
    }

    fn finish(mut self) -> Page {
        self.page.markdown.push_str("```");
        let kind = BlockKind::Code { language: Some("rust".into()) };
        let span = Span::new(0, self.page.markdown.len());
        self.page.blocks.push(Block { kind, span, children: self.parts });
        self.page
    }
}

fn function(name: &str, lines: usize) -> (String, String) {
    let body: String = (0..lines).map(|i| format!("    let v{i} = call_{name}({i});\n")).collect();
    (format!("fn {name}()"), format!("fn {name}() {{\n{body}}}"))
}

#[test]
fn functions_stay_whole_under_their_signatures_with_the_imports_in_front() {
    let mut file = File::new();
    file.add(CodePart::Import, "", "use std::fs;\nuse std::io::Read;");
    for i in 0..6 {
        let (signature, text) = function(&format!("free{i}"), 4);
        file.add(CodePart::Function, &signature, &text);
    }
    let methods: Vec<(String, String)> = (0..8).map(|i| function(&format!("method{i}"), 5)).collect();
    file.scope("impl Reader for Store", &methods);
    let (signature, long) = function("long", 60);
    file.add(CodePart::Function, &signature, &long);
    let page = file.finish();
    let passages = cut(&page, "auto", 256);
    for (_, text) in &methods {
        let holding: Vec<_> = passages.iter().filter(|p| page.text(p).contains(text.as_str())).collect();
        assert_eq!(holding.len(), 1, "{text}");
        assert_eq!(holding[0].heading_path, ["impl Reader for Store"]);
        assert!(holding[0].embedded_text(&page.markdown).contains("use std::io::Read;"));
    }
    let of_long: Vec<_> = passages.iter().filter(|p| page.text(p).contains("call_long")).collect();
    assert!(of_long.len() > 1);
    for passage in &of_long {
        assert_eq!(passage.heading_path, ["fn long()"]);
        let embedded = passage.embedded_text(&page.markdown);
        assert_eq!(embedded.matches("fn long()").count(), 1, "{embedded}");
    }
    assert!(passages.iter().all(|p| p.embed_span == p.span), "code does not overlap");
    assert_eq!(passages[0].lead, None, "the imports themselves are not said twice");
    assert!(passages.iter().all(|p| page.text(p).contains(char::is_alphabetic)), "no passage of braces");
}

#[test]
fn a_file_of_one_function_and_one_without_parts() {
    for lines in [3, 200] {
        let mut file = File::new();
        let (signature, text) = function("only", lines);
        file.add(CodePart::Function, &signature, &text);
        let page = file.finish();
        assert!(!cut(&page, "auto", 128).is_empty());
        let mut bare = page;
        bare.blocks[0].children.clear();
        assert!(!cut(&bare, "auto", 128).is_empty());
    }
}

#[test]
fn fenced_code_that_fits_is_not_cut_through() {
    let (_, code) = function("fenced", 12);
    for before in 0..12 {
        let mut page = Page::default();
        page.heading(1, "Use").paragraph(&sentences(before)).code(&format!("```rust\n{code}\n```"));
        page.paragraph(&sentences(6));
        for setting in ["auto", "256/25", "semantic"] {
            let passages = cut(&page, setting, 256);
            assert_eq!(
                passages.iter().filter(|p| page.text(p).contains(&code)).count(),
                1,
                "{setting} {before}"
            );
        }
    }
}

#[test]
fn a_window_is_full_whatever_stands_in_it_and_keeps_rows() {
    let mut page = Page::default();
    for i in 0..10 {
        page.heading(2, &format!("Part {i}")).paragraph(&sentences(5));
    }
    let rows: Vec<String> = (0..60).map(|i| format!("| part-{i} | {} |", i * 37)).collect();
    page.table("| Name | Price |", &rows);
    let passages = cut(&page, "sliding:128/16", 256);
    let full = passages.iter().take_while(|p| !page.text(p).contains("part-")).filter(|p| p.tokens >= 100);
    assert!(full.count() >= 5);
    assert!(passages.iter().skip(1).any(|p| p.embed_span.start < p.span.start));
    for row in &rows {
        assert_eq!(passages.iter().filter(|p| page.text(p).contains(row.as_str())).count(), 1, "{row}");
    }
    assert!(cut(&page, "fixed:128", 256).iter().all(|p| p.embed_span == p.span));
}

#[test]
fn pages_are_passages_where_they_fit() {
    let mut page = Page::default();
    let mut locations = Vec::new();
    for i in 0..4 {
        let start = page.markdown.len();
        page.heading(2, &format!("Page {i}")).paragraph(&sentences(3)).paragraph(&sentences(if i == 2 {
            40
        } else {
            2
        }));
        let location = Location { page: Some(i + 1), ..Location::default() };
        locations.push(LocatedSpan { span: Span::new(start, page.markdown.len()), location });
    }
    let text = Text { markdown: &page.markdown, blocks: &page.blocks, locations: &locations };
    let reader = Reader { tokenizer: &Subwords, window: Some(256), embedder: None };
    let passages = super::chunk(&text, &reader, Chunking::Pages, &Cancel::new()).unwrap();
    check(&page.markdown, &passages, &Subwords, 256);
    let pages = |p: &NewPassage| {
        let touched = locations.iter().filter(|l| l.span.overlaps(&p.span)).count();
        (touched, Location::of_span(p.span, &locations).page.unwrap())
    };
    assert!(passages.iter().all(|p| pages(p).0 == 1), "no passage runs over a page");
    let of: Vec<u32> = passages.iter().map(|p| pages(p).1).collect();
    assert_eq!(of.iter().filter(|page| **page != 3).count(), 3, "{of:?}");
}

/// Knows two subjects.
struct Subjects(EmbeddingSpace);

impl Embedder for Subjects {
    fn space(&self) -> &EmbeddingSpace {
        &self.0
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &Subwords
    }

    fn embed(&self, _: EmbedKind, texts: &[&str], _: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        assert!(texts.len() <= 64, "in batches");
        let vector = |text: &&str| {
            assert!(Subwords.count(text)? + Subwords.overhead() <= self.0.window as usize);
            Ok(if text.contains("heron") { vec![1.0, 0.1] } else { vec![0.1, 1.0] })
        };
        texts.iter().map(vector).collect()
    }
}

#[test]
fn a_new_passage_begins_where_the_subject_changes() {
    let about = |what: &str, n: usize| {
        (0..n)
            .map(|i| format!("The {what} number {i} was seen again at the old mill."))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut page = Page::default();
    page.heading(1, "Notes").paragraph(&format!("{} {}", about("heron", 7), about("bread", 7)));
    page.paragraph(&about("heron", 6)).paragraph(&"x".repeat(3_000));
    let subjects = Subjects(crate::domain::EmbeddingSpace { window: 256, ..space() });
    let reader = Reader { tokenizer: &Subwords, window: Some(256), embedder: Some(&subjects) };
    let chunking = Chunking::Semantic { size: 512 };
    let passages = super::chunk(&text(&page), &reader, chunking, &Cancel::new()).unwrap();
    check(&page.markdown, &passages, &Subwords, 256);
    for passage in passages.iter().filter(|p| !page.text(p).contains("xxx")) {
        let text = page.text(passage);
        assert!(text.contains("heron") != text.contains("bread"), "{text}");
    }
    assert!(!cut(&page, "semantic", 256).is_empty(), "without an embedder it goes by structure");
    let stopped = Cancel::new();
    stopped.cancel();
    assert_eq!(super::chunk(&text(&page), &reader, chunking, &stopped), Err(ModelError::Cancelled));
}

fn space() -> EmbeddingSpace {
    EmbeddingSpace {
        model: "subjects".into(),
        revision: "1".into(),
        file_hash: String::new(),
        precision: "f32".into(),
        pooling: "mean".into(),
        query_prefix: String::new(),
        passage_prefix: String::new(),
        dimensions: 2,
        window: 256,
        metric: crate::domain::Metric::Cosine,
        scripts: Vec::new(),
        languages: Vec::new(),
        floor: 0.0,
    }
}

#[test]
fn kinds_are_told_apart() {
    let kind_of = |page: &Page| kind(&text(page));
    let mut page = Page::default();
    page.paragraph("Buy milk.");
    assert_eq!(kind_of(&page), Kind::Short);
    let mut faq = Page::default();
    for i in 0..20 {
        faq.heading(2, &format!("How do I do thing {i}?")).paragraph(&sentences(2));
    }
    assert_eq!(kind_of(&faq), Kind::Short);
    let mut chat = Page::default();
    chat.paragraph(
        &(0..60)
            .map(|i| format!("Ann: that is what I said at {i} o'clock\nBob Lee: no"))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    assert_eq!(kind_of(&chat), Kind::Short);
    let mut law = Page::default();
    for i in 1..20 {
        law.paragraph(&format!("{i}.1 {}", sentences(3)));
    }
    assert_eq!(kind_of(&law), Kind::Technical);
    let mut article = Page::default();
    article.heading(1, "Pumps").paragraph(&sentences(80)).paragraph("1. First: do not panic.");
    assert_eq!(kind_of(&article), Kind::Article);
    let mut sheet = Page::default();
    sheet
        .heading(2, "Sheet1")
        .table("| A | B |", &(0..90).map(|i| format!("| a{i} | b{i} |")).collect::<Vec<_>>());
    assert_eq!(kind_of(&sheet), Kind::Tables);
    let mut file = Page::default();
    file.code(&function("a", 30).1);
    assert_eq!(kind_of(&file), Kind::Code);
}

#[test]
fn sizes_follow_the_tokens_of_the_language() {
    let chinese = "泵站的第一台水泵在去年冬天被检查过，一切正常。".repeat(60);
    let mut page = Page::default();
    page.paragraph(&chinese);
    let text = text(&page);
    let scale = language::scale(&text, &WordsTokenizer).unwrap();
    assert!((1.0..=2.0).contains(&scale), "{scale}");
    let mut page = Page::default();
    page.paragraph(&sentences(60));
    let english = Text { markdown: &page.markdown, blocks: &page.blocks, locations: &[] };
    assert!((language::scale(&english, &WordsTokenizer).unwrap() - 1.0).abs() < f64::EPSILON);
}
