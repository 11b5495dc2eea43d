//! Other wordings of a question, written by a language model that says what a test tells it to.

use super::{Desk, ids, notes};
use carrel_engine::cancel::Cancel;
use carrel_engine::error::EngineError;
use carrel_engine::retrieve::{
    Leg, Preset, SearchRequest, SearchResponse, Stage, Switch, Transforms, search,
};
use carrel_engine::seams::{Message, Role};
use carrel_testkit::ScriptedModel;
use std::sync::Arc;

const TEXTS: &[(&str, &str)] = &[
    ("lease", "The notice period of the flat is three months."),
    ("boiler", "The heating appliance in the cellar is serviced in May."),
    ("bread", "Knead the dough and let it rest for an hour."),
    ("tower", "The Eiffel Tower was finished in March 1889."),
];

fn desk(model: ScriptedModel) -> (Desk, Arc<ScriptedModel>) {
    let desk = Desk::with(TEXTS);
    let model = Arc::new(model);
    desk.fakes.models.set_language_model(Some(model.clone()));
    (desk, model)
}

fn with(query: &str, transforms: Transforms) -> SearchRequest {
    SearchRequest { transforms, ..SearchRequest::new(query) }
}

fn mqe(switch: Switch) -> Transforms {
    Transforms { mqe: switch, ..Transforms::default() }
}

fn stage<'a>(response: &'a SearchResponse, name: &str) -> Option<&'a Stage> {
    response.trace.stages.iter().find(|stage| stage.name == name)
}

#[test]
fn another_wording_finds_what_the_question_does_not_and_is_shown() {
    let words =
        |query: &str| SearchRequest { legs: vec![Leg::Lexical], reuse: true, ..with(query, mqe(Switch::On)) };
    let (desk, model) = desk(ScriptedModel::new(["1. heating appliance service\n2. cellar"]));
    assert!(desk.ids(&SearchRequest { transforms: mqe(Switch::Off), ..words("furnace") }).is_empty());
    let response = desk.search(&words("furnace"));
    assert_eq!(ids(&response), ["boiler"]);
    let found = &response.hits[0];
    assert!(found.lexical.is_none() && found.expanded.iter().any(|e| e.number == 2 && e.leg == Leg::Lexical));
    let asked = stage(&response, "mqe").unwrap();
    assert_eq!((asked.candidates, asked.model.as_deref()), (Some(2), Some("scripted")));
    assert!(
        asked.tokens.unwrap() > 10 && notes(&response).contains("“heating appliance service” · “cellar”")
    );
    assert!(stage(&response, "lexical:2").is_some() && stage(&response, "lexical:3").is_some());
    // What a model said once, it is not asked again.
    let again = desk.search(&words("furnace"));
    assert_eq!((stage(&again, "mqe").unwrap().tokens, model.asked().len()), (Some(0), 1));
}

#[test]
fn the_question_itself_weighs_most() {
    let (desk, _) = desk(ScriptedModel::new(["knead the dough\nlet the dough rest\ndough for an hour"]));
    let response = desk.search(&with("notice period of the flat", mqe(Switch::On)));
    assert_eq!(ids(&response)[..2], ["lease", "bread"]);
    assert_eq!(response.hits[0].lexical.unwrap().rank, 1, "places of the question's own legs are kept");
}

#[test]
fn on_auto_a_word_that_is_nowhere_calls_for_other_wordings() {
    let (desk, model) = desk(ScriptedModel::new(["heating appliance"]));
    let response = desk.search(&with("When is the furnace serviced?", mqe(Switch::Auto)));
    assert!(stage(&response, "mqe").is_some());
    for known in ["When is the heating serviced?", "heating 4711"] {
        assert!(stage(&desk.search(&with(known, mqe(Switch::Auto))), "mqe").is_none(), "{known}");
    }
    assert_eq!(model.asked().len(), 1);
}

#[test]
fn on_auto_a_model_that_words_badly_is_not_asked() {
    let (desk, model) = desk(ScriptedModel::new(["heating appliance"]).clumsy());
    let thorough = SearchRequest::new("When is the furnace serviced?").with(Preset::Thorough);
    assert_eq!(stage(&desk.search(&thorough), "mqe"), None);
    assert!(model.asked().is_empty());
    desk.search(&with("When is the furnace serviced?", mqe(Switch::On)));
    assert_eq!(model.asked().len(), 1, "who switches it on knows what he does");
    desk.fakes.models.set_language_model(None);
    assert_eq!(notes(&desk.search(&thorough)).matches("left out").count(), 0);
    let missing = desk.search(&with("furnace", mqe(Switch::On)));
    assert!(notes(&missing).contains("left out"), "{}", notes(&missing));
}

#[test]
fn a_model_that_says_nothing_usable_costs_nothing() {
    for said in ["", "When is the heating serviced?", "Sure! Here are the searches:", "取暖设备保养"] {
        let (desk, _) = desk(ScriptedModel::new([said]));
        let plain = desk.ids(&SearchRequest::new("When is the heating serviced?"));
        let response = desk.search(&with("When is the heating serviced?", mqe(Switch::On)));
        assert_eq!(ids(&response), plain, "{said}");
        assert!(notes(&response).contains("nothing that could be searched"), "{}", notes(&response));
    }
}

#[test]
fn a_question_is_worded_in_its_own_language_and_not_by_a_model_that_lacks_it() {
    let (desk, model) = desk(ScriptedModel::new(["供暖设备的保养"]));
    desk.search(&with("锅炉什么时候保养？", mqe(Switch::On)));
    assert!(model.asked()[0].messages[1].content.contains("问题：锅炉什么时候保养？"));
    let english = Arc::new(ScriptedModel::new(["x"]).speaking(&["en"]));
    desk.fakes.models.set_language_model(Some(english.clone()));
    let response = desk.search(&with("水管什么时候检查？", mqe(Switch::On)));
    assert!(
        english.asked().is_empty() && notes(&response).contains("does not speak"),
        "{}",
        notes(&response)
    );
}

#[test]
fn a_passage_is_searched_by_meaning_alone_and_a_question_in_parts() {
    let passage = "The heating appliance in the cellar is serviced in May, as every year.";
    let (desk, _) = desk(ScriptedModel::new([passage]));
    let hyde = Transforms { hyde: Switch::On, ..Transforms::default() };
    let response = desk.search(&with("When does the plumber come?", hyde));
    assert_eq!(ids(&response)[0], "boiler");
    assert!(stage(&response, "dense:2").is_some() && stage(&response, "lexical:2").is_none());
    let parts = Transforms { sub_queries: Switch::Auto, ..Transforms::default() };
    let (desk, model) = self::desk(ScriptedModel::new([
        "How long is the notice period?\nWhen was the Eiffel Tower finished?",
    ]));
    let response =
        desk.search(&with("What is the difference between the notice period and the tower?", parts));
    let mut first: Vec<String> = ids(&response)[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["lease", "tower"]);
    desk.search(&with("How long is the notice period?", parts));
    assert_eq!(model.asked().len(), 1, "one part is no reason to divide");
}

#[test]
fn a_superseded_search_stops_while_the_model_words() {
    let (desk, _) = desk(ScriptedModel::new(["a b c d e f"]));
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome = search(&desk.libraries, &with("furnace", mqe(Switch::On)), &*desk.fakes.models, &cancel);
    assert!(matches!(outcome, Err(EngineError::Cancelled)));
}

fn chat(query: &str, rewrite: Switch) -> SearchRequest {
    let said = |role, content: &str| Message { role, content: content.into() };
    let history = vec![
        said(Role::User, "Tell me about the Eiffel Tower"),
        said(Role::Assistant, "It stands in Paris."),
    ];
    SearchRequest { history, ..with(query, Transforms { rewrite, ..Transforms::default() }) }
}

#[test]
fn a_later_question_of_a_chat_is_reworded_and_keeps_its_words() {
    let (desk, model) = desk(ScriptedModel::new(["Rewritten question: When was the Eiffel Tower finished?"]));
    let response = desk.search(&chat("And when was it finished?", Switch::Auto));
    assert_eq!(ids(&response)[0], "tower");
    assert!(notes(&response).contains("searched as “When was the Eiffel Tower finished?”"));
    assert!(model.asked()[0].messages[1].content.contains("Q: Tell me about the Eiffel Tower"));
    desk.search(&chat("When is the heating appliance in the cellar serviced?", Switch::Auto));
    assert_eq!(model.asked().len(), 1, "it stands alone");

    let (desk, _) = self::desk(ScriptedModel::new(["When was the tower finished?"]));
    let response = desk.search(&chat("And when was it opened in 1889?", Switch::On));
    assert!(
        notes(&response).contains("tower finished? And when was it opened in 1889?"),
        "{}",
        notes(&response)
    );
}

#[test]
fn without_a_model_the_question_before_helps_one_that_says_too_little() {
    let (desk, _) = desk(ScriptedModel::new(["!"]));
    for switch in [Switch::Off, Switch::On] {
        let response = desk.search(&chat("And when?", switch));
        assert_eq!(ids(&response)[0], "tower");
        assert!(notes(&response).contains("searched with the question before"), "{}", notes(&response));
    }
}
