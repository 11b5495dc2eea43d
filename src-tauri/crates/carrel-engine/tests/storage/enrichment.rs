//! Lines of context: written behind everything else, found like text, never lost and never shown as the document's own words.

use crate::support::{add_texts, assert_healthy, documents, put_text};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::Library;
use carrel_engine::retrieve::{Hit, Leg, SearchRequest, search};
use carrel_testkit::{Fakes, ScriptedModel};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const LEASE: &str = "# Lease of the flat in Elm Street\n\nIt is rented without a term.\n\n## Ending it\n\n\
                     Either of them may end it at the close of any quarter, three months before, in writing.\n";
const LINE: &str = "The flat in Elm Street may be given up with three months of notice.";

fn library(folder: &Path, fakes: &Fakes) -> Arc<Library> {
    Library::create(folder, fakes.parts()).unwrap()
}

fn model(fakes: &Fakes, lines: &[&str]) -> Arc<ScriptedModel> {
    let model = Arc::new(ScriptedModel::new(lines.iter().copied()));
    fakes.models.set_language_model(Some(model.clone()));
    model
}

fn enrich(library: &Library, word: &str) {
    library.change_settings(&BTreeMap::from([("enrichment".to_owned(), word.to_owned())])).unwrap();
    settled(library);
}

fn settled(library: &Library) {
    library.wait_idle(&Cancel::new()).unwrap();
    assert!(library.wait_enriched(&Cancel::new(), &mut |_| {}).unwrap());
}

fn hits(library: &Arc<Library>, fakes: &Fakes, query: &str, legs: &[Leg]) -> Vec<Hit> {
    let request = SearchRequest { legs: legs.to_vec(), ..SearchRequest::new(query) };
    search(&[Arc::clone(library)], &request, &*fakes.models, &Cancel::new()).unwrap().hits
}

#[test]
fn a_line_is_found_by_words_and_meaning_and_is_no_text_of_the_passage() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = library(folder.path(), &fakes);
    model(&fakes, &[LINE]);
    put_text(&library, "lease", LEASE);
    assert!(hits(&library, &fakes, "giving notice", &[Leg::Lexical]).is_empty());
    let before = hits(&library, &fakes, LINE, &[Leg::Dense])[0].score;

    enrich(&library, "on");
    let found = hits(&library, &fakes, "giving notice", &[Leg::Lexical]);
    assert_eq!(found[0].passage.context.as_deref(), Some(LINE));
    assert!(
        !found[0].passage.text.contains("notice")
            && found[0].snippet.iter().all(|run| !run.text.contains("notice"))
    );
    assert!(hits(&library, &fakes, LINE, &[Leg::Dense])[0].score > before, "it is embedded with its line");
    let state = library.enrichment().unwrap();
    assert!(state.on && state.lines == state.passages && state.waiting == 0, "{state:?}");
    assert_healthy(&library);
    library.rebuild_indexes().unwrap();
    assert_eq!(hits(&library, &fakes, "giving notice", &[Leg::Lexical]).len(), found.len());

    enrich(&library, "off");
    assert!(hits(&library, &fakes, "giving notice", &[Leg::Lexical]).is_empty());
    assert!((hits(&library, &fakes, LINE, &[Leg::Dense])[0].score - before).abs() < 1e-3);
    assert_healthy(&library);
}

#[test]
fn work_that_was_stopped_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let first = library(folder.path(), &fakes);
    let model = model(&fakes, &["This note lists words in an order that nothing explains."]);
    add_texts(&first, 60);
    first.change_settings(&BTreeMap::from([("enrichment".to_owned(), "on".to_owned())])).unwrap();
    first.wait_idle(&Cancel::new()).unwrap();
    drop(first);
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    settled(&library);
    let state = library.enrichment().unwrap();
    assert_eq!((state.lines, state.waiting), (state.passages, 0));
    // What was written and not yet in the ledger when it closed is at most one batch.
    let asked = model.asked().len();
    assert!((state.passages..=state.passages + 16).contains(&asked), "{asked} for {}", state.passages);
    assert_healthy(&library);
}

#[test]
fn a_passage_that_did_not_change_keeps_its_line_without_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = library(folder.path(), &fakes);
    let model = model(&fakes, &[LINE]);
    put_text(&library, "lease", LEASE);
    enrich(&library, "on");
    let asked = model.asked().len();
    let longer = format!("{LEASE}\n## Keys\n\n{}\n", "The keys are handed over at the gate. ".repeat(20));
    put_text(&library, "lease", &longer);
    settled(&library);
    let id = documents(&library)[0].id;
    let texts = |version| library.passages(id, Some(version)).unwrap().into_iter().map(|p| p.text);
    let before: Vec<String> = texts(1).collect();
    let new = texts(2).filter(|text| !before.contains(text)).count();
    assert!(new < texts(2).count());
    assert_eq!(model.asked().len(), asked + new, "only what is new is asked for");
    assert_eq!(hits(&library, &fakes, "giving notice", &[Leg::Lexical])[0].passage.version, 2);
    assert_healthy(&library);
}

#[test]
fn lines_that_say_what_the_document_does_not_are_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = library(folder.path(), &fakes);
    model(&fakes, &["The flat in Oak Avenue may be given up with nine months of notice since 1987."]);
    put_text(&library, "lease", LEASE);
    enrich(&library, "on");
    let state = library.enrichment().unwrap();
    assert_eq!((state.lines, state.waiting), (0, 0));
    assert!(hits(&library, &fakes, "Oak Avenue", &[Leg::Lexical]).is_empty());
    // Another model is asked again.
    let better = ScriptedModel::new([LINE]).named("better");
    fakes.models.set_language_model(Some(Arc::new(better)));
    put_text(&library, "other", "# Else\n\nNothing of interest is said in this one.\n");
    settled(&library);
    assert_eq!(
        hits(&library, &fakes, "giving notice", &[Leg::Lexical])[0].passage.context.as_deref(),
        Some(LINE)
    );
}

#[test]
fn what_the_model_does_not_speak_is_left_and_work_that_is_halted_asks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = library(folder.path(), &fakes);
    let english = Arc::new(ScriptedModel::new(["这一段讲的是退租的期限。"]).speaking(&["en"]));
    fakes.models.set_language_model(Some(english.clone()));
    put_text(&library, "zh", "# 租房合同\n\n双方均可在季度末提前三个月以书面形式终止。\n");
    enrich(&library, "on");
    assert_eq!((english.asked().len(), library.enrichment().unwrap().lines), (0, 0));

    let chinese = Arc::new(ScriptedModel::new(["这一段讲的是退租的期限。"]).named("chinese"));
    fakes.models.set_language_model(Some(chinese.clone()));
    library.pause_ingest(true);
    library.retry(None).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(chinese.asked().len(), 0);
    library.pause_ingest(false);
    library.retry(None).unwrap();
    settled(&library);
    assert_eq!(hits(&library, &fakes, "退租", &[Leg::Lexical]).len(), 1);
}

#[test]
fn the_cost_is_known_before_and_nothing_is_begun_without_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = library(folder.path(), &fakes);
    add_texts(&library, 10);
    let on = BTreeMap::from([("enrichment".to_owned(), "on".to_owned())]);
    assert!(library.change_settings(&on).is_err());
    assert!(library.change_settings(&BTreeMap::from([("enrichment".to_owned(), "yes".to_owned())])).is_err());
    assert_eq!(library.settings().unwrap()["enrichment"], "off");

    let model = model(&fakes, &["This note lists words in an order that nothing explains."]);
    let estimate = library.estimate_enrichment(3, &Cancel::new()).unwrap();
    assert_eq!((estimate.passages, estimate.samples.len()), (library.status().unwrap().passages, 3));
    assert_eq!(model.asked().len(), 3);
    assert!(estimate.tokens_read > estimate.tokens_written && estimate.tokens_written > 0);
    assert!(estimate.local && estimate.samples.iter().all(|(_, line)| line.is_some()));
    assert_eq!(library.enrichment().unwrap().lines, 0);
}
