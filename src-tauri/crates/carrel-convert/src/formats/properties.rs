//! What must hold for whatever text: checked on random documents full of markup.

use super::{Budget, Progress, Source, convert};
use crate::build::parse;
use crate::invariants::check;
use carrel_engine::domain::{Block, BlockKind, Converted};
use carrel_engine::seams::{ConvertError, Limits};
use proptest::prelude::*;

fn converted(name: &str, text: &str) -> Option<Converted> {
    match from_bytes(name, text.as_bytes()) {
        Ok(converted) => Some(converted),
        Err(ConvertError::NoText { .. } | ConvertError::UnsupportedFormat { .. }) => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

fn from_bytes(name: &str, bytes: &[u8]) -> Result<Converted, ConvertError> {
    let limits = Limits::default();
    let progress = |_: Progress| {};
    let source = Source {
        bytes,
        name,
        password: None,
        passwords: &[],
        limits: &limits,
        pdfium: None,
        ocr: None,
        budget: &Budget::new(bytes.len() as u64),
        depth: 0,
        progress: &progress,
    };
    convert(&source)
}

/// Pieces that make structure, trouble, or both.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[a-z知识é\u{301}]{1,6}",
        2 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        1 => Just("\n\n".to_owned()),
        5 => prop::sample::select(vec![
            "# ", "## ", "- ", "1. ", "7. ", "> ", "* ", "    ", "```", "```rust\n", "~~~", "|", "| a | b |\n|---|---|\n", "---", "===",
            "**", "*", "_", "`", "[", "](", ")", "![", "<", ">", "<b>", "</b>", "<p>", "<ul><li>", "</li></ul>", "<table><tr><td>",
            "<td>", "</table>", "<pre>", "</pre>", "<blockquote>", "</blockquote>", "<h2>", "</h2>", "<script>", "</script>", "&amp;",
            "&lt;", "\\", "[^1]", "[^1]: ", "\u{0}", "\u{200b}", "\u{feff}", "\r\n", "\t", "👩\u{200d}💻", "\u{3000}", "\"", ",", ";",
            "<ol><li>", "<dt>", "<br>", "<hr>", "$", "~", "+++\n", "---\ntitle: x\n---\n", "[a]: b\n", "<!--", "-->", "\u{a0}", "\u{2028}",
            "From: a@b.c\n", "Subject: x\n", "From a\n", "Content-Type: multipart/mixed; boundary=b\n", "--b\n", "\n>", "WEBVTT\n", "00:01.0 --> 00:02.0\n",
            "{", "}", "[[", "]]", "\":", "\\u77e5", "<rss><channel>", "<item>", "</item>", "<title>", "</title>", "<![CDATA[", "]]>",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// The kinds of the top blocks, as a renderer sees them.
fn outline(blocks: &[Block]) -> Vec<String> {
    blocks
        .iter()
        .map(|b| match &b.kind {
            BlockKind::Heading { level, .. } => format!("h{level}"),
            BlockKind::Code { .. } => "code".to_owned(),
            BlockKind::List => format!("list {}", b.children.len()),
            BlockKind::Table => format!("table {}", b.children.len()),
            kind => format!("{kind:?}"),
        })
        .collect()
}

const DAMAGED: [(&str, &[u8]); 7] = [
    ("a.msg", include_bytes!("../../../../../tests/fixtures/documents/test_outlook_msg.msg")),
    ("a.epub", include_bytes!("../../../../../tests/fixtures/documents/odd_spine.epub")),
    ("a.eml", include_bytes!("../../../../../tests/fixtures/documents/encoded.eml")),
    ("a.doc", include_bytes!("../../../../../tests/fixtures/documents/testWORD_various.doc")),
    ("a.xls", include_bytes!("../../../../../tests/fixtures/documents/date.xls")),
    ("a.rtf", include_bytes!("../../../../../tests/fixtures/documents/testRTF-ms932.rtf")),
    ("a.ipynb", include_bytes!("../../../../../tests/fixtures/documents/test_notebook.ipynb")),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_format_keeps_the_contract(text in text()) {
        for name in [
            "a.md", "a.txt", "a.html", "a.csv", "a.tsv", "a.rs", "a.json", "a.xml", "a.vtt", "a.ipynb", "a.eml", "a.mbox", "a.mht",
            "https://example.org/a",
        ] {
            if let Some(converted) = converted(name, &text) {
                check(&converted);
            }
        }
    }

    /// What is written by us is parsed as what we say it is: a renderer shows the blocks that the search knows.
    #[test]
    fn written_blocks_are_the_blocks_that_a_parser_finds(text in text()) {
        if let Some(converted) = converted("a.html", &text) {
            let parsed = parse::blocks(&converted.markdown);
            prop_assert_eq!(outline(&converted.blocks), outline(&parsed), "{}", converted.markdown);
        }
    }

    /// Whatever becomes of a file that is no text, it ends with a text that keeps the contract, or with an error.
    #[test]
    fn damaged_files_are_read_or_refused(file in 0..DAMAGED.len(), hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let (name, sound) = DAMAGED[file];
        let mut bytes = sound.to_vec();
        for (at, byte) in hits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(converted) = from_bytes(name, &bytes) {
            check(&converted);
        }
    }

    /// Cleaning what is clean changes nothing.
    #[test]
    fn markdown_is_cleaned_once(text in text()) {
        // A space of another width may become one that means something.
        let text = text.replace('\u{a0}', "");
        if let Some(first) = converted("a.md", &text) {
            let again = converted("a.md", &first.markdown).unwrap();
            prop_assert_eq!(&again.markdown, &first.markdown);
        }
    }
}
