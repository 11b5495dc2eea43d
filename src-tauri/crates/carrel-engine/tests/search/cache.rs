//! What was found is not searched again, as long as it would be found again.

use super::{Desk, ids, notes};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{AddItem, AddOptions};
use carrel_engine::retrieve::{HitRate, Rerank, SearchRequest, SearchResponse};
use carrel_testkit::{Fakes, WordReranker};
use std::sync::Arc;

const TEXTS: &[(&str, &str)] = &[
    ("lease", "The notice period of the flat is three months, said in 2023."),
    ("garage", "The notice period of the garage is two weeks, said in 2024."),
];

fn again(query: &str) -> SearchRequest {
    SearchRequest { reuse: true, ..SearchRequest::new(query) }
}

fn is_kept(response: &SearchResponse) -> bool {
    response.trace.stages.iter().any(|stage| stage.name == "cache")
}

fn rate(desk: &Desk, name: &str) -> HitRate {
    let caches = desk.libraries[0].status().unwrap().caches;
    caches.into_iter().find(|(kind, _)| *kind == name).unwrap().1
}

#[test]
fn the_same_question_is_searched_once_until_something_changes() {
    let desk = Desk::with(TEXTS);
    let first = desk.search(&again("notice period of the flat"));
    let second = desk.search(&again("notice  period of the flat "));
    assert!(!is_kept(&first) && is_kept(&second));
    assert_eq!(first.hits, second.hits);
    assert_eq!(rate(&desk, "results"), HitRate { found: 1, asked: 2 });
    let fewer = SearchRequest { n: 1, ..again("notice period of the flat") };
    assert_eq!(desk.search(&fewer).hits.len(), 1, "other settings are another question");

    desk.add(0, &[("cellar", "The notice period of the cellar and the flat is a day.")]);
    let third = desk.search(&again("notice period of the flat"));
    assert!(!is_kept(&third) && ids(&third).contains(&"cellar".to_owned()));
    let gone = desk.libraries[0].find_document("text:cellar").unwrap().id;
    desk.libraries[0].remove_document(gone).unwrap();
    assert!(!ids(&desk.search(&again("notice period of the flat"))).contains(&"cellar".to_owned()));
    assert!(
        !is_kept(&desk.search(&SearchRequest::new("notice period of the flat"))),
        "only where it is asked for"
    );
}

#[test]
fn a_question_that_means_the_same_is_judged_once_and_another_year_is_another_question() {
    let desk = Desk::with(TEXTS);
    let judge = Arc::new(WordReranker::new("judge@1"));
    desk.fakes.models.install_reranker("judge", judge.clone());
    desk.fakes.models.choose_reranker(Some("judge"));
    let first = desk.search(&again("notice period said in 2023"));
    let judged = judge.judged();
    // The words of the fake's vectors are the same, and their order means nothing here.
    let same = desk.search(&again("period notice said in 2023"));
    assert!(is_kept(&same) && notes(&same).contains("“notice period said in 2023”"), "{same:?}");
    assert_eq!((ids(&first), judge.judged()), (ids(&same), judged));
    let other = desk.search(&again("notice period said in 2024"));
    assert!(!is_kept(&other) && ids(&other)[0] == "garage");
    assert_eq!(rate(&desk, "alike"), HitRate { found: 1, asked: 3 });
    let off = SearchRequest { rerank: Rerank::Off, ..again("period notice said in 2023") };
    assert!(!is_kept(&desk.search(&off)), "nothing is compared where it would cost more than it gains");
}

#[test]
fn what_a_failing_model_left_out_is_not_kept_and_typing_is_not() {
    let desk = Desk::with(TEXTS);
    desk.fakes.embedder.fail(1);
    assert!(notes(&desk.search(&again("notice period"))).contains("words alone"));
    let next = desk.search(&again("notice period"));
    assert!(!is_kept(&next) && next.evidence.dense.is_some());
    let typing = SearchRequest { prefix: true, ..again("notice peri") };
    desk.search(&typing);
    assert!(!is_kept(&desk.search(&typing)));
    assert_eq!(rate(&desk, "vectors").found, 1, "its vector is");
}

#[test]
fn a_file_that_went_is_not_shown_from_what_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kept.md"), "zebra crossing").unwrap();
    std::fs::write(folder.path().join("deleted.md"), "zebra stripes").unwrap();
    let desk = Desk::new(Fakes::default(), 1);
    let item = AddItem::Path { path: folder.path().to_owned(), watch: true };
    desk.libraries[0].add(&[item], &AddOptions::default(), true, &Cancel::new()).unwrap();
    desk.libraries[0].wait_idle(&Cancel::new()).unwrap();
    assert_eq!(desk.search(&again("zebra")).hits.len(), 2);
    std::fs::remove_file(folder.path().join("deleted.md")).unwrap();
    desk.libraries[0].sync(&Cancel::new()).unwrap();
    desk.libraries[0].wait_idle(&Cancel::new()).unwrap();
    assert_eq!(desk.search(&again("zebra")).hits.len(), 1);
}
