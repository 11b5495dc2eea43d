//! Searching real libraries: ledger, tantivy and usearch on disk; converter and embedder are fakes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cache;
mod rerank;
mod transform;

use carrel_engine::cancel::Cancel;
use carrel_engine::library::{AddItem, AddOptions, Library};
use carrel_engine::retrieve::{
    Except, Filter, Fusion, Leg, RunKind, ScoreKind, SearchRequest, SearchResponse, search,
};
use carrel_testkit::{Fakes, HashEmbedder};
use std::path::Path;
use std::sync::Arc;

struct Desk {
    _folder: tempfile::TempDir,
    fakes: Fakes,
    libraries: Vec<Arc<Library>>,
}

impl Desk {
    fn new(fakes: Fakes, libraries: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open =
            |n: usize| Library::create(&folder.path().join(format!("library{n}")), fakes.parts()).unwrap();
        let libraries = (0..libraries).map(open).collect();
        Self { libraries, fakes, _folder: folder }
    }

    fn with(texts: &[(&str, &str)]) -> Self {
        let desk = Self::new(Fakes::default(), 1);
        desk.add(0, texts);
        desk
    }

    fn add(&self, library: usize, texts: &[(&str, &str)]) {
        let items: Vec<AddItem> = texts
            .iter()
            .map(|(id, text)| AddItem::Text { id: (*id).to_owned(), text: (*text).to_owned() })
            .collect();
        self.libraries[library].add(&items, &AddOptions::default(), true, &Cancel::new()).unwrap();
        self.libraries[library].wait_idle(&Cancel::new()).unwrap();
    }

    fn search(&self, request: &SearchRequest) -> SearchResponse {
        search(&self.libraries, request, &*self.fakes.models, &Cancel::new()).unwrap()
    }

    fn ids(&self, request: &SearchRequest) -> Vec<String> {
        ids(&self.search(request))
    }
}

fn ids(response: &SearchResponse) -> Vec<String> {
    response.hits.iter().map(|h| h.document.uri.trim_start_matches("text:").to_owned()).collect()
}

fn words_alone(query: &str) -> SearchRequest {
    SearchRequest { legs: vec![Leg::Lexical], ..SearchRequest::new(query) }
}

fn notes(response: &SearchResponse) -> String {
    response.trace.stages.iter().filter_map(|s| s.note.clone()).collect::<Vec<_>>().join("; ")
}

#[test]
fn both_legs_are_fused_and_shown() {
    let desk = Desk::with(&[
        ("turbine", "# Turbines\n\nThe turbine blade cracked at high temperature."),
        ("bread", "# Bread\n\nKnead the dough and let it rest for an hour."),
        ("garden", "# Garden\n\nTomatoes need sun, water and a little patience."),
    ]);
    let response = desk.search(&SearchRequest::new("turbine blades cracked"));
    let first = &response.hits[0];
    assert_eq!(first.document.uri, "text:turbine");
    assert_eq!(first.score_kind, ScoreKind::Fused);
    assert_eq!(first.lexical.unwrap().rank, 1);
    assert_eq!(first.dense.unwrap().rank, 1);
    assert!((first.fused.unwrap() - 1.0).abs() < 1e-6, "the best of both legs has all of the score");
    let by_ranks = SearchRequest { fusion: Fusion::Rrf, ..SearchRequest::new("turbine blades cracked") };
    assert!((desk.search(&by_ranks).hits[0].fused.unwrap() - 2.0 / 61.0).abs() < 1e-6);
    let marked: Vec<&str> =
        first.snippet.iter().filter(|r| r.kind == RunKind::Match).map(|r| r.text.as_str()).collect();
    assert!(marked.contains(&"blade") && marked.contains(&"cracked"), "{marked:?}");
    assert!(first.matched_terms.iter().any(|t| t.eq_ignore_ascii_case("turbine")));
    for stage in ["analyze", "lexical", "embed", "dense", "fuse", "read"] {
        assert!(response.trace.stages.iter().any(|s| s.name == stage), "{stage}");
    }
    assert_eq!(response.evidence.dense, first.dense.map(|d| d.score));
}

#[test]
fn a_chinese_question_in_a_mixed_library_is_found_by_words_and_says_so() {
    let desk = Desk::with(&[
        ("en", "How to set up channels in the settings menu of the program."),
        ("mixed", "The menu 頻道設定 lists all channels. 其他內容在下一頁。"),
        ("zh", "今天的天气很好，我们去公园散步。"),
    ]);
    for query in ["频道设定", "頻道設定", "频道"] {
        let response = desk.search(&SearchRequest::new(query));
        assert_eq!(ids(&response)[0], "mixed", "{query}");
        assert_eq!(response.hits[0].score_kind, ScoreKind::Lexical);
        assert!(notes(&response).contains("words alone"), "{}", notes(&response));
        assert_eq!(response.hits[0].matched_terms[0].chars().next(), Some('頻'));
    }
}

#[test]
fn the_exact_code_ranks_first_in_a_hybrid_search() {
    let desk = Desk::with(&[
        ("near", "v2026.4.1 came before v2026.4.100, in 2026, on the 4th and the 10th"),
        ("exact", "The change log of v2026.4.10 names three fixes."),
        ("other", "A change log names fixes."),
    ]);
    assert_eq!(desk.ids(&words_alone("v2026.4.10"))[0], "exact");
    assert_eq!(desk.ids(&SearchRequest::new("v2026.4.10"))[0], "exact");
}

#[test]
fn without_an_embedder_words_answer_and_the_trace_says_so() {
    let desk = Desk::new(Fakes::words_only(), 1);
    desk.add(0, &[("a", "alpha beta"), ("b", "gamma")]);
    let response = desk.search(&SearchRequest::new("alpha"));
    assert_eq!(ids(&response), ["a"]);
    assert!(response.evidence.dense.is_none());
    assert!(notes(&response).contains("no embedder"));
}

#[test]
fn an_embedder_that_is_gone_or_another_revision_is_not_used() {
    let desk = Desk::with(&[("a", "alpha beta"), ("b", "gamma")]);
    desk.fakes.models.uninstall("hash-96");
    let response = desk.search(&SearchRequest::new("alpha"));
    assert_eq!(ids(&response), ["a"]);
    assert!(notes(&response).contains("words alone") && notes(&response).contains("not installed"));
    // The same id with vectors of another length would compare what cannot be compared.
    desk.fakes.models.install(Arc::new(HashEmbedder::new("hash-96", 48)));
    let response = desk.search(&SearchRequest::new("alpha"));
    assert_eq!(ids(&response), ["a"]);
    assert!(notes(&response).contains("another revision"));
}

#[test]
fn words_that_must_or_must_not_stand_there_narrow_both_legs() {
    let desk = Desk::with(&[
        ("lease", "The notice period of the flat is three months."),
        ("garage", "The notice period of the garage is two weeks."),
        ("apart", "A notice was given. The period that followed was quiet."),
        ("zh", "频道设置在菜单里，水管也在那里。"),
    ]);
    let narrowed = |query: &str, required: &[&str], excluded: &[&str]| SearchRequest {
        required: required.iter().map(|w| (*w).to_owned()).collect(),
        excluded: excluded.iter().map(|w| (*w).to_owned()).collect(),
        ..SearchRequest::new(query)
    };
    let sorted = |request: &SearchRequest| {
        let mut ids = desk.ids(request);
        ids.sort_unstable();
        ids
    };
    assert_eq!(sorted(&narrowed("notice", &["notice periods"], &[])), ["garage", "lease"]);
    assert_eq!(sorted(&narrowed("notice period", &["notice period"], &["garage"])), ["lease"]);
    assert_eq!(sorted(&narrowed("菜单", &["频道设置"], &[])), ["zh"]);
    assert_eq!(sorted(&narrowed("菜单", &["水"], &[])), ["zh"]);
    assert!(sorted(&narrowed("菜单", &["水"], &["频道"])).is_empty());
    assert!(sorted(&narrowed("notice", &["nowhere to be found"], &[])).is_empty());
    let response = desk.search(&narrowed("notice", &["notice period"], &["garage"]));
    assert!(notes(&response).contains("with “notice period”; without “garage”"), "{}", notes(&response));
}

#[test]
fn filters_work_inside_each_leg() {
    let desk = Desk::with(&[]);
    let many: Vec<(String, String)> =
        (0..80).map(|i| (format!("note{i}"), format!("alpha beta number {i}"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    desk.add(0, &many);
    let tagged = AddOptions { tags: vec!["Tax".into()], ..AddOptions::default() };
    let item = AddItem::Text {
        id: "wanted".into(),
        text: "a long text that says alpha only once, among many others".into(),
    };
    desk.libraries[0].add(&[item], &tagged, true, &Cancel::new()).unwrap();
    desk.libraries[0].wait_idle(&Cancel::new()).unwrap();
    let only = |filter: Filter| SearchRequest { filter, n: 5, ..SearchRequest::new("alpha") };
    assert_eq!(desk.ids(&only(Filter { tags: vec!["tax".into()], ..Filter::default() })), ["wanted"]);
    assert_eq!(desk.ids(&only(Filter { paths: vec!["want*".into()], ..Filter::default() })), ["wanted"]);
    let document = desk.libraries[0].find_document("text:wanted").unwrap().id;
    assert_eq!(desk.ids(&only(Filter { documents: vec![document], ..Filter::default() })), ["wanted"]);
    assert!(desk.ids(&only(Filter { types: vec!["pdf".into()], ..Filter::default() })).is_empty());
    assert_eq!(desk.ids(&only(Filter { paths: vec!["note1*".into()], ..Filter::default() })).len(), 5);
    let except = Except { paths: vec!["note*".into()], ..Except::default() };
    assert_eq!(desk.ids(&only(Filter { except, ..Filter::default() })), ["wanted"]);
    let except = Except { tags: vec!["tax".into()], ..Except::default() };
    assert!(!desk.ids(&only(Filter { except, ..Filter::default() })).contains(&"wanted".to_owned()));
}

#[test]
fn a_small_library_beside_a_large_one_ranks_by_common_statistics() {
    let desk = Desk::new(Fakes::words_only(), 2);
    let many: Vec<(String, String)> =
        (0..60).map(|i| (format!("many{i}"), format!("red fox number {i}"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    desk.add(0, &many);
    desk.add(1, &[("small", "a red badger"), ("other", "blue sky")]);
    // Asked alone, the small one answers with all it has.
    let alone =
        search(&desk.libraries[1..], &SearchRequest::new("red badger"), &*desk.fakes.models, &Cancel::new());
    assert_eq!(ids(&alone.unwrap()), ["small"]);
    // Asked together, the rare word decides wherever it stands.
    let both = desk.search(&SearchRequest::new("red badger"));
    assert_eq!(ids(&both)[0], "small");
    assert_eq!(both.hits.len(), 10);
    assert_eq!(both.hits[0].library, desk.libraries[1].id());
}

#[test]
fn a_new_version_and_a_removed_document_leave_no_stale_hit() {
    let desk = Desk::with(&[("a", "alpha in the old text"), ("b", "alpha in another text")]);
    desk.add(0, &[("a", "beta in the new text")]);
    assert_eq!(desk.ids(&SearchRequest { n: 1, ..words_alone("alpha") }), ["b"]);
    assert_eq!(desk.ids(&words_alone("beta")), ["a"]);
    let document = desk.libraries[0].find_document("text:b").unwrap().id;
    desk.libraries[0].remove_document(document).unwrap();
    assert!(desk.ids(&words_alone("alpha")).is_empty());
}

#[test]
fn a_file_deleted_while_the_program_was_closed_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (files, home) = (folder.path().join("files"), folder.path().join("library"));
    std::fs::create_dir_all(&files).unwrap();
    for name in ["kept", "deleted"] {
        std::fs::write(files.join(format!("{name}.md")), format!("zebra crossing, {name}")).unwrap();
    }
    let fakes = Fakes::default();
    let found = |library: &Arc<Library>| {
        let response = search(
            std::slice::from_ref(library),
            &SearchRequest::new("zebra"),
            &*fakes.models,
            &Cancel::new(),
        )
        .unwrap();
        response.hits.iter().map(|h| h.document.title.clone()).collect::<Vec<_>>()
    };
    {
        let library = Library::create(&home, fakes.parts()).unwrap();
        let item = AddItem::Path { path: files.clone(), watch: true };
        library.add(&[item], &AddOptions::default(), true, &Cancel::new()).unwrap();
        library.wait_idle(&Cancel::new()).unwrap();
        assert_eq!(found(&library).len(), 2);
    }
    std::fs::remove_file(files.join("deleted.md")).unwrap();
    let library = Library::open(Path::new(&home), fakes.parts()).unwrap();
    let titles = found(&library);
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(titles[0].contains("kept"));
}

#[test]
fn the_lowest_score_is_taken_on_the_dense_leg() {
    let desk = Desk::with(&[
        ("near", "alpha beta gamma"),
        ("far", "alpha with a great many other words around it, of no use"),
    ]);
    let all = desk.search(&SearchRequest::new("alpha beta gamma"));
    assert_eq!(all.hits.len(), 2);
    let request = SearchRequest { min_score: Some(0.9), ..SearchRequest::new("alpha beta gamma") };
    assert_eq!(desk.ids(&request), ["near"]);
}

#[test]
fn a_cancelled_search_is_an_outcome() {
    let desk = Desk::with(&[("a", "alpha")]);
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome = search(&desk.libraries, &SearchRequest::new("alpha"), &*desk.fakes.models, &cancel);
    assert!(matches!(outcome, Err(carrel_engine::error::EngineError::Cancelled)));
}

#[test]
fn a_question_about_nothing_finds_nothing_and_what_has_its_word_stays() {
    let desk = Desk::with(&[
        ("turbine", "# Turbines\n\nThe turbine blade cracked at high temperature."),
        ("bread", "# Bread\n\nKnead the dough and let it rest for an hour."),
    ]);
    let for_people = |query: &str| SearchRequest { only_near: true, ..SearchRequest::new(query) };
    let by_meaning = |query: &str| SearchRequest { legs: vec![Leg::Dense], ..for_people(query) };
    for nothing in [for_people("xqzzv blorf"), by_meaning("xqzzv blorf")] {
        let response = desk.search(&nothing);
        assert_eq!(ids(&response), Vec::<String>::new(), "{response:?}");
        assert!(notes(&response).contains("not near in meaning"), "{}", notes(&response));
    }
    assert_eq!(
        desk.search(&SearchRequest::new("xqzzv blorf")).hits.len(),
        2,
        "the nearest, where they are wanted"
    );
    let diluted = "xqzzv blorf vrumm snarf quux plugh frotz gnusto turbine";
    let found = desk.search(&for_people(diluted));
    assert_eq!(ids(&found), ["turbine"]);
    assert!(found.evidence.dense.unwrap() < 0.35, "found by its word alone: {:?}", found.evidence.dense);
    assert_eq!(desk.ids(&by_meaning(diluted)), ["turbine"], "words count though they were not searched");
}
