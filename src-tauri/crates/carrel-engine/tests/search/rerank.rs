//! The best candidates judged again.

use super::{Desk, ids, notes};
use carrel_engine::cancel::Cancel;
use carrel_engine::error::EngineError;
use carrel_engine::retrieve::{Rerank, ScoreKind, SearchRequest, search};
use carrel_engine::seams::ModelError;
use carrel_testkit::WordReranker;
use std::sync::Arc;

const TEXTS: &[(&str, &str)] = &[
    ("lease", "The notice period of the flat is three months."),
    ("garage", "The notice period of the garage is two weeks, said the landlord of the garage."),
    ("bread", "Knead the dough and let it rest; no notice is needed."),
];

fn desk(rerankers: &[(&str, &str)]) -> (Desk, Vec<Arc<WordReranker>>) {
    let desk = Desk::with(TEXTS);
    let made = rerankers.iter().map(|(id, word)| {
        let reranker = Arc::new(WordReranker::new(&format!("{id}@1")).favouring(word));
        desk.fakes.models.install_reranker(id, reranker.clone());
        reranker
    });
    let made = made.collect();
    (desk, made)
}

fn by(ids: &[&str]) -> SearchRequest {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    SearchRequest { rerank: Rerank::By(ids), ..SearchRequest::new("notice period of the flat") }
}

#[test]
fn the_reranker_orders_and_where_it_stood_before_is_shown() {
    let (desk, _) = desk(&[("judge", "bread"), ("baker", "dough")]);
    let plain = desk.search(&by(&[]));
    assert_eq!(ids(&plain)[0], "lease");
    let response = desk.search(&by(&["baker"]));
    let first = &response.hits[0];
    assert_eq!((ids(&response)[0].as_str(), first.score_kind), ("bread", ScoreKind::Rerank));
    assert_eq!((first.rerank, first.fused_rank), (Some(first.score), Some(3)));
    assert_eq!(response.evidence.rerank, first.rerank);
    assert_eq!(response.judged.as_ref().unwrap().key, "baker@1");
    let stage = response.trace.stages.iter().find(|s| s.name == "rerank").unwrap();
    assert_eq!((stage.candidates, stage.model.as_deref()), (Some(3), Some("baker")));
}

#[test]
fn only_the_best_are_judged_and_the_rest_keeps_its_order_below() {
    let (desk, judges) = desk(&[("baker", "dough")]);
    let request = SearchRequest { rerank_depth: 2, ..by(&["baker"]) };
    let response = desk.search(&request);
    assert_eq!(ids(&response)[2], "bread", "it was not among the best two");
    assert_eq!(judges[0].judged(), 2);
    assert!(response.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(response.hits[2].rerank.is_none());
}

#[test]
fn what_was_judged_once_is_not_judged_again() {
    let (desk, judges) = desk(&[("baker", "dough")]);
    let again = SearchRequest { reuse: true, ..by(&["baker"]) };
    let first = desk.search(&again);
    assert_eq!(ids(&first), ids(&desk.search(&again)));
    assert_eq!(judges[0].judged(), 3);
    desk.add(0, &[("lease", "The notice period of the flat is now four months.")]);
    desk.search(&again);
    assert_eq!(judges[0].judged(), 4, "a changed text is judged anew");
}

#[test]
fn a_reranker_that_fails_costs_a_note_and_the_other_one_still_judges() {
    let (desk, judges) = desk(&[("baker", "dough"), ("host", "landlord")]);
    judges[0].fail(1);
    let response = desk.search(&by(&["baker"]));
    assert_eq!((ids(&response)[0].as_str(), response.hits[0].score_kind), ("lease", ScoreKind::Fused));
    assert!(notes(&response).contains("not reranked: the model failed"), "{}", notes(&response));
    judges[0].fail(1);
    let response = desk.search(&by(&["baker", "host"]));
    assert_eq!((ids(&response)[0].as_str(), response.judged.unwrap().key.as_str()), ("garage", "host@1"));
    assert_eq!(desk.search(&by(&["baker", "host"])).judged.unwrap().key, "baker@1 + host@1");
}

#[test]
fn the_chosen_reranker_judges_unless_it_is_switched_off() {
    let (desk, judges) = desk(&[("baker", "dough")]);
    desk.search(&SearchRequest::new("notice period"));
    assert_eq!(judges[0].judged(), 0);
    desk.fakes.models.choose_reranker(Some("baker"));
    desk.search(&SearchRequest { rerank: Rerank::Off, ..SearchRequest::new("notice period") });
    assert_eq!(judges[0].judged(), 0);
    assert_eq!(desk.ids(&SearchRequest::new("notice period"))[0], "bread");
}

#[test]
fn one_that_is_not_there_is_an_error_and_a_superseded_search_ends() {
    let (desk, _) = desk(&[("baker", "dough")]);
    let outcome = search(&desk.libraries, &by(&["nobody"]), &*desk.fakes.models, &Cancel::new());
    assert!(matches!(outcome, Err(EngineError::Model(ModelError::Unknown { .. }))));
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome = search(&desk.libraries, &by(&["baker"]), &*desk.fakes.models, &cancel);
    assert!(matches!(outcome, Err(EngineError::Cancelled)));
}

#[test]
fn the_lowest_score_is_taken_on_the_reranker_where_there_is_one() {
    let (desk, _) = desk(&[("baker", "dough")]);
    let request = SearchRequest { min_score: Some(0.55), ..by(&["baker"]) };
    assert_eq!(desk.ids(&request), ["bread"]);
}

#[test]
fn what_a_library_says_of_reranking_goes_before_what_the_user_chose() {
    let (desk, _) = desk(&[("judge", "bread"), ("baker", "dough")]);
    desk.fakes.models.choose_reranker(Some("baker"));
    let judged = |request: &SearchRequest| desk.search(request).judged.map_or(Vec::new(), |judged| judged.by);
    let set =
        |word: &str| desk.libraries[0].change_settings(&[("rerank".to_owned(), word.to_owned())].into());
    let request = SearchRequest::new("notice period of the flat");
    assert_eq!(
        (judged(&request), desk.libraries[0].settings().unwrap()["rerank"].as_str()),
        (vec!["baker".to_owned()], "auto")
    );
    set("judge").unwrap();
    assert_eq!(judged(&request), ["judge"]);
    assert_eq!(judged(&by(&["baker"])), ["baker"], "a search may say otherwise");
    set("none").unwrap();
    assert!(judged(&request).is_empty());
    set("judge,baker").unwrap();
    assert_eq!(judged(&request), ["judge", "baker"]);
    for bad in ["a,b,c", ","] {
        assert!(matches!(set(bad), Err(EngineError::Invalid(_))), "{bad}");
    }
    assert!(matches!(set("nobody"), Err(EngineError::Model(ModelError::Unknown { .. }))));
    assert_eq!(
        desk.libraries[0].settings().unwrap()["rerank"],
        "judge,baker",
        "what is refused changes nothing"
    );
}
