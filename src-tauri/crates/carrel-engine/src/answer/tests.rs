//! Aligning and streaming, without a library: sources are made by hand.

use super::align::Aligner;
use super::assemble::Source;
use super::stream::Draft;
use super::{AskEvent, Citation, Verdict};
use crate::domain::{
    Document, DocumentId, DocumentState, LibraryId, Location, Passage, PassageId, SourceId, Span,
};
use crate::retrieve::{Hit, ScoreKind};

const TOWER: &str = "The Eiffel Tower stands in Paris. It is 330 metres tall. It was finished in March 1889 by the company of \
    Gustave Eiffel. About seven million people visit it every year.";
const CHINESE: &str = "频道设置在第三页。打开菜单后选择频道列表，可以添加新的频道。默认有十二个频道。";

fn source(text: &str) -> Source {
    let document = Document {
        id: DocumentId::random(),
        source: SourceId(1),
        path: Vec::new(),
        uri: String::new(),
        title: "A title".into(),
        media_type: String::new(),
        bytes: 0,
        modified: None,
        state: DocumentState::Ready,
        reason: None,
        version: Some(1),
        passages: 1,
        tags: Vec::new(),
    };
    let passage = Passage {
        id: PassageId(1),
        document: document.id,
        version: 1,
        ordinal: 0,
        text: text.into(),
        span: Span::new(100, 100 + text.len()),
        lead: None,
        heading_path: Vec::new(),
        location: Location::default(),
        tokens: 1,
        context: None,
    };
    let hit = Hit {
        rank: 1,
        score: 1.0,
        score_kind: ScoreKind::Fused,
        library: LibraryId::random(),
        document,
        passage,
        lexical: None,
        dense: None,
        fused: None,
        fused_rank: None,
        rerank: None,
        expanded: Vec::new(),
        named: None,
        matched_terms: Vec::new(),
        snippet: Vec::new(),
    };
    Source { span: hit.passage.span, text: text.into(), hit }
}

fn quoted(sources: &[Source], question: &str, sentence: &str, hints: &[usize]) -> Option<Vec<String>> {
    let supports = Aligner::new(sources, question).align(sentence, hints)?;
    let quote = |s: &super::align::Support| {
        let source = &sources[s.source];
        source.text[s.span.start - source.span.start..s.span.end - source.span.start].to_owned()
    };
    Some(supports.iter().map(quote).collect())
}

#[test]
fn a_sentence_is_tied_to_the_sentence_that_says_it() {
    let sources = [source("Nothing to see here. Other things happen."), source(TOWER)];
    let ask = |sentence: &str| quoted(&sources, "How tall is the Eiffel Tower?", sentence, &[]).unwrap();
    assert_eq!(ask("The tower is 330 metres tall."), ["It is 330 metres tall."]);
    assert_eq!(
        ask("Every year, about seven million people visit."),
        ["About seven million people visit it every year."]
    );
    assert_eq!(ask("The tower, in Paris, was finished in 1889.").len(), 1);
}

#[test]
fn a_wrong_number_or_an_invented_name_is_not_supported() {
    let sources = [source(TOWER)];
    let ask = |sentence: &str| quoted(&sources, "Tell me about the tower", sentence, &[]).unwrap();
    assert!(ask("It is 331 metres tall.").is_empty());
    assert!(ask("It was finished in March 1989.").is_empty());
    assert!(ask("The architect Zaha Hadid designed its famous roof garden.").is_empty());
    assert!(ask("Penguins swim very fast.").is_empty());
    for nothing in
        ["Yes.", "## The Tower of Paris", "These are the facts:", "How tall is the tower in Paris?"]
    {
        assert_eq!(quoted(&sources, "Is it?", nothing, &[]), None, "{nothing} claims nothing");
    }
}

#[test]
fn a_number_of_something_else_is_not_supported() {
    let sources = [source("The whole budget is 4,300 euros for two."), source("The deposit is 2,360 euros.")];
    let ask = |sentence: &str| quoted(&sources, "How much is the deposit?", sentence, &[]).unwrap();
    assert!(ask("The deposit is 4,300 euros.").is_empty());
    assert_eq!(ask("The deposit is 2360 euros."), ["The deposit is 2,360 euros."]);
    assert_eq!(ask("The budget is 4,300 euros."), ["The whole budget is 4,300 euros for two."]);
}

#[test]
fn chinese_sentences_are_tied_in_both_scripts() {
    let sources = [source(CHINESE)];
    let ask = |sentence: &str| quoted(&sources, "频道在哪里设置？", sentence, &[]).unwrap();
    assert_eq!(ask("频道设置在第三页。"), ["频道设置在第三页。"]);
    assert_eq!(ask("打開菜單後選擇頻道列表。"), ["打开菜单后选择频道列表，可以添加新的频道。"]);
    assert!(ask("它由法国公司制造。").is_empty());
}

#[test]
fn the_models_own_mark_decides_between_equals() {
    let sources = [source("Water boils at 100 degrees."), source("Water boils at 100 degrees.")];
    let aligner = Aligner::new(&sources, "When does water boil?");
    let at = |hints: &[usize]| aligner.align("Water boils at 100 degrees.", hints).unwrap()[0].source;
    assert_eq!(at(&[]), 0);
    assert_eq!(at(&[1]), 1);
}

#[test]
fn a_sentence_may_need_two_spans() {
    let sources = [source("Alice founded the observatory."), source("Bob paid for its telescope.")];
    let quotes =
        quoted(&sources, "Who?", "Alice founded the observatory and Bob paid the telescope.", &[]).unwrap();
    assert_eq!(quotes, ["Alice founded the observatory.", "Bob paid for its telescope."]);
}

fn drafted(
    sources: &[Source],
    pieces: &[&str],
    stopped: bool,
) -> (super::stream::Finished, String, Vec<AskEvent>) {
    drafted_as(sources, pieces, stopped, false)
}

fn drafted_as(
    sources: &[Source],
    pieces: &[&str],
    stopped: bool,
    one_paragraph: bool,
) -> (super::stream::Finished, String, Vec<AskEvent>) {
    let mut draft = Draft::new(sources, "What is it?", one_paragraph);
    let mut events = Vec::new();
    let mut cite = |number: u32, source: &Source, span: Span| {
        Some(Citation {
            number,
            hit: source.hit.clone(),
            quote: String::new(),
            quote_start: span.start,
            quote_end: span.end,
        })
    };
    for piece in pieces {
        draft.push(piece, &mut cite, &mut |e| events.push(e));
    }
    let finished = draft.finish(stopped, &mut cite, &mut |e| events.push(e));
    let streamed = events
        .iter()
        .filter_map(|e| match e {
            AskEvent::Token(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    (finished, streamed, events)
}

#[test]
fn marks_are_set_by_code_and_the_models_own_are_taken_out() {
    let sources = [source(TOWER)];
    let whole = " The tower is 330 metres tall [1]. It has a secret cellar full of cheese.[7] It was finished in 1889 [1, 2].";
    let expected = "The tower is 330 metres tall. [1] It has a secret cellar full of cheese. It was finished in 1889. [2]";
    // However the model cuts its pieces.
    for size in [1, 2, 3, 7, 200] {
        let chars: Vec<char> = whole.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|c| c.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let (finished, streamed, _) = drafted(&sources, &pieces, false);
        assert_eq!(finished.text, expected, "pieces of {size}");
        assert_eq!(streamed, expected, "pieces of {size}");
        let verdicts: Vec<Verdict> = finished.claims.iter().map(|c| c.verdict).collect();
        assert_eq!(verdicts, [Verdict::Supported, Verdict::Unsupported, Verdict::Supported]);
        for claim in &finished.claims {
            assert_eq!(&finished.text[claim.start..claim.end], claim.text);
        }
        assert_eq!(finished.citations.len(), 2);
    }
}

#[test]
fn lists_and_quotations_settle_line_by_line() {
    let sources = [source(TOWER), source(CHINESE)];
    let (finished, ..) = drafted(
        &sources,
        &[
            "- It is 330 metres tall\n",
            "- It was finished in 1889\n\n\"Array[0]\" is code. 默认有十二个频道。好",
        ],
        false,
    );
    assert_eq!(
        finished.text,
        "- It is 330 metres tall [1]\n- It was finished in 1889 [2]\n\n\"Array[0]\" is code. 默认有十二个频道。[3]好"
    );
}

#[test]
fn what_was_begun_when_stopped_stays_without_a_verdict() {
    let sources = [source(TOWER)];
    let (finished, streamed, _) = drafted(&sources, &["It is 330 metres tall. It was fin"], true);
    assert_eq!(finished.text, "It is 330 metres tall. [1] It was fin");
    assert_eq!(streamed, finished.text);
    assert_eq!(finished.claims.len(), 1);
}

#[test]
fn a_model_that_goes_round_is_ended() {
    let sources = [source(TOWER)];
    let round = "It is 330 metres tall.\n- It was finished in 1889.\n- It was finished in 1889.\n- It was finished in 1889.\n";
    let (finished, ..) = drafted(&sources, &[round], false);
    assert_eq!(finished.text, "It is 330 metres tall. [1]\n- It was finished in 1889. [2]");
    assert_eq!(finished.claims.len(), 2);
}

#[test]
fn a_small_model_answers_in_one_paragraph() {
    let sources = [source(TOWER)];
    for round in [
        "It is 330 metres tall.\n\n- And so on",
        "\nIt is 330 metres tall [1].\nWhat else?",
        "It is 330 metres tall. \nA",
    ] {
        for size in [1, 3, 100] {
            let chars: Vec<char> = round.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(|c| c.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (finished, streamed, _) = drafted_as(&sources, &pieces, false, true);
            assert_eq!(finished.text, "It is 330 metres tall. [1]", "{round:?} by {size}");
            assert_eq!(streamed, finished.text);
        }
    }
}
