//! Parsers of the engine: the chunker over whatever was converted, and what reads questions and texts.

use carrel_convert::fuzz::Run;
use carrel_engine::cancel::Cancel;
use carrel_engine::chunk::{Chunking, Reader, Text, WordsTokenizer, chunk};
use carrel_engine::domain::Span;
use carrel_engine::seams::Tokenizer;
use carrel_engine::text::{
    Stripper, WordLanguage, analyze_query, covered_share, fold_key, plain_text, sentences, tokens,
};
use unicode_segmentation::UnicodeSegmentation;

/// What is longer is one only because nothing ends it, and may be cut.
const LONG_GRAPHEME: usize = 64;

/// Each by its name.
pub(crate) const TARGETS: &[(&str, Run)] = &[("chunk", passages), ("query", texts)];

/// The first two bytes choose format, strategy and window; what is converted is cut.
fn passages(bytes: &[u8]) {
    const NAMES: &[&str] = &["a.md", "a.html", "a.txt", "a.csv", "a.rs", "a.py", "a.json", "a.vtt"];
    const SETTINGS: &[&str] = &["auto", "none", "32/6", "256/32"];
    let [format, how, rest @ ..] = bytes else { return };
    let Some(name) = NAMES.get(usize::from(*format) % NAMES.len()) else { return };
    let Some(converted) = carrel_convert::fuzz::converted(name, rest) else { return };
    let settings: Vec<&str> = SETTINGS.iter().chain(&Chunking::ALL).copied().collect();
    let setting = settings.get(usize::from(how & 0x1f) % settings.len()).copied().unwrap_or("auto");
    let Some(chunking) = Chunking::parse(setting) else { return };
    let window = 16 << (how >> 5);
    let text =
        Text { markdown: &converted.markdown, blocks: &converted.blocks, locations: &converted.locations };
    let reader = Reader { tokenizer: &WordsTokenizer, window: Some(window), embedder: None };
    let Ok(passages) = chunk(&text, &reader, chunking, &Cancel::new()) else { return };
    let markdown = text.markdown;
    let between = |from: usize, to: usize| markdown.get(from..to).is_some_and(|text| text.trim().is_empty());
    let graphemes: Vec<usize> =
        markdown.grapheme_indices(true).map(|(at, _)| at).chain([markdown.len()]).collect();
    let mut at = 0;
    for passage in &passages {
        let Span { start, end } = passage.span;
        assert!(start >= at && start < end, "{setting}: spans ascend");
        assert!(between(at, start), "{setting}: nothing is lost at {at}");
        assert!(!between(start, end), "{setting}: a passage of white space");
        assert!(passage.embed_span.start <= start && passage.embed_span.end == end);
        assert!(passage.lead.is_none_or(|lead| lead.of(markdown).is_some()));
        for position in [start, end, passage.embed_span.start] {
            let before = graphemes.partition_point(|at| *at <= position).saturating_sub(1);
            let (from, to) = (graphemes.get(before), graphemes.get(before + 1));
            let long = from.zip(to).is_some_and(|(from, to)| to - from > LONG_GRAPHEME);
            assert!(from == Some(&position) || long, "{setting}: a grapheme is cut at {position}");
        }
        let counted = WordsTokenizer.count(&passage.embedded_text(markdown)).unwrap_or_default();
        assert_eq!(counted, passage.tokens as usize, "{setting}: tokens are exact");
        assert!(counted <= window, "{setting}: {counted} tokens in a window of {window}");
        at = end;
    }
    assert!(between(at, markdown.len()), "{setting}: nothing is lost at the end");
}

/// What reads questions, and the words of texts.
fn texts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for prefix in [false, true] {
        let query = analyze_query(&text, prefix, &[WordLanguage::German]);
        assert!(query.terms.iter().all(|term| !term.term.is_empty() && term.weight.is_finite()));
    }
    let mut position = 0;
    tokens(&text, &mut |token| {
        assert!(token.position >= position && token.span.of(&text).is_some(), "{token:?}");
        position = token.position;
    });
    let mut at = 0;
    for sentence in sentences(&text) {
        assert!(sentence.start >= at && sentence.of(&text).is_some(), "{sentence:?}");
        at = sentence.end;
    }
    for code in [false, true] {
        assert!(!plain_text(&text, code).contains('\n'));
    }
    for range in Stripper::default().text_of(&text) {
        assert!(text.get(range.clone()).is_some(), "{range:?}");
    }
    fold_key(&text);
    assert!((0.0..=1.0).contains(&covered_share(&text, &["Latn".to_owned()])));
}
