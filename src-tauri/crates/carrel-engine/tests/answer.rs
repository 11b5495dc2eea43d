//! Questions about the library as a whole, summaries, comparisons, verification and contradictions, over real libraries; models say what a
//! test tells them to.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use carrel_engine::answer::{
    Answer, AskEvent, AskRequest, Likely, NoAnswer, Order, Preferred, Verdict, Verify, ask,
};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{AddItem, AddOptions, Library};
use carrel_engine::retrieve::SearchRequest;
use carrel_testkit::{Fakes, ScriptedEntailment, ScriptedModel};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Desk {
    _folder: tempfile::TempDir,
    fakes: Fakes,
    library: Arc<Library>,
    model: Arc<ScriptedModel>,
}

fn desk(texts: &[(&str, &str)], answers: &[&str]) -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(&folder.path().join("library"), fakes.parts()).unwrap();
    let items: Vec<AddItem> = texts
        .iter()
        .map(|(id, text)| AddItem::Text { id: (*id).to_owned(), text: (*text).to_owned() })
        .collect();
    library.add(&items, &AddOptions::default(), true, &Cancel::new()).unwrap();
    library.wait_idle(&Cancel::new()).unwrap();
    let model = Arc::new(ScriptedModel::new(answers.iter().copied()));
    fakes.models.set_language_model(Some(model.clone()));
    Desk { _folder: folder, fakes, library, model }
}

impl Desk {
    fn ask(&self, question: &str) -> (Answer, Vec<AskEvent>) {
        self.ask_with(Self::request(question))
    }

    fn request(question: &str) -> AskRequest {
        AskRequest::new(SearchRequest { n: 5, ..SearchRequest::new(question) })
    }

    fn ask_with(&self, request: AskRequest) -> (Answer, Vec<AskEvent>) {
        let mut events = Vec::new();
        let libraries = [self.library.clone()];
        let models = &*self.fakes.models;
        let answer = ask(&libraries, &request, models, &Cancel::new(), &mut |e| events.push(e)).unwrap();
        for citation in &answer.citations {
            let version = Some(citation.hit.passage.version);
            let text = self.library.version_text(citation.hit.document.id, version).unwrap();
            assert_eq!(&text.markdown[citation.quote_start..citation.quote_end], citation.quote);
        }
        (answer, events)
    }

    fn prompts(&self) -> Vec<String> {
        let joined = |request: &carrel_engine::seams::GenerateRequest| {
            request.messages.iter().map(|m| m.content.clone()).collect::<Vec<_>>().join("\n")
        };
        self.model.asked().iter().map(joined).collect()
    }
}

fn tokens(events: &[AskEvent]) -> String {
    let text = |event: &AskEvent| if let AskEvent::Token(text) = event { Some(text.clone()) } else { None };
    events.iter().filter_map(text).collect()
}

const TOWER: &str = "# The tower\n\nThe Eiffel Tower stands in Paris.\n\n## Size\n\nThe tower is 330 metres tall and weighs \
    10,100 tonnes.\n\n## History\n\nIt was finished in March 1889. Its painters come every seven years.\n";

#[test]
fn of_many_small_documents_every_one_that_fits_is_counted_and_cited() {
    let texts: Vec<(String, String)> = (0..35)
        .map(|n| {
            let about =
                if n % 3 == 0 { "The lantern on the quay was lit." } else { "Nothing happened that day." };
            (format!("day-{n}"), format!("# Day {n}\n\n{about}\n"))
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    let desk = desk(&texts, &["should never be asked"]);
    for question in [
        "List all documents about the lantern",
        "How many documents mention the lantern?",
        "Which documents talk about lanterns?",
    ] {
        let (answer, events) = desk.ask(question);
        assert_eq!(
            (answer.mode, answer.grounded, answer.citations.len()),
            ("exhaustive", true, 12),
            "{question}"
        );
        assert!(answer.text.starts_with("12 of 35 documents"), "{}", answer.text);
        assert!(answer.citations.iter().all(|citation| citation.quote.contains("lantern")));
        assert_eq!(tokens(&events), answer.text);
        for claim in &answer.claims {
            assert_eq!(&answer.text[claim.start..claim.end], claim.text);
        }
    }
    let (answer, _) = desk.ask("How many documents mention the lighthouse?");
    assert_eq!((answer.reason, answer.grounded), (Some(NoAnswer::NotInLibrary), false));
    assert!(answer.text.starts_with("0 of 35 documents mention “lighthouse”."), "{}", answer.text);
    assert!(desk.model.asked().is_empty());

    let mut request = Desk::request("How many documents mention the lantern?");
    request.search.filter.documents = vec![desk.library.find_document("text:day-0").unwrap().id];
    let (answer, _) = desk.ask_with(request);
    assert!(
        answer.text.starts_with("1 of 1 document "),
        "only what the search is narrowed to: {}",
        answer.text
    );
}

#[test]
fn a_long_document_is_summarised_part_by_part_and_cited_from_its_own_words() {
    let sections: String = (1..=40)
        .map(|n| {
            format!(
                "## Year {n}\n\nIn year {n} the mill ground {n} sacks of wheat. {}\n\n",
                "It rained a lot. ".repeat(25)
            )
        })
        .collect();
    let text = format!("# The mill\n\n{sections}");
    let desk = desk(&[("mill", &text), ("tower", TOWER)], &["In year 7 the mill ground 7 sacks of wheat."]);
    let mill = desk.library.find_document("text:mill").unwrap().id;
    for request in [
        AskRequest { documents: vec![mill], ..Desk::request("Summarise this document") },
        Desk::request("Summarise the mill"),
        Desk::request("Give me a summary of @mill"),
    ] {
        let before = desk.model.asked().len();
        let (answer, events) = desk.ask_with(request);
        assert_eq!((answer.mode, answer.grounded), ("summary", true), "{answer:?}");
        assert_eq!(answer.citations[0].quote, "In year 7 the mill ground 7 sacks of wheat.");
        let progress: Vec<(usize, usize)> = events
            .iter()
            .filter_map(
                |e| if let AskEvent::Progress { done, total } = e { Some((*done, *total)) } else { None },
            )
            .collect();
        let total = progress[0].1;
        assert!(
            total > 2 && progress.first() == Some(&(0, total)) && progress.last() == Some(&(total, total))
        );
        assert!(desk.model.asked().len() - before > total, "each part, and the whole");
        assert!(!desk.prompts()[before..].iter().any(|prompt| prompt.contains("Eiffel")));
    }
}

#[test]
fn what_fits_is_summarised_from_its_whole_text() {
    let desk = desk(&[("tower", TOWER)], &["The tower is 330 metres tall."]);
    let (answer, events) = desk.ask("Summarise the tower");
    assert_eq!((answer.mode, answer.citations.len()), ("summary", 1));
    assert!(desk.prompts()[0].contains("painters") && desk.prompts().len() == 1);
    assert!(!events.iter().any(|event| matches!(event, AskEvent::Progress { .. })));
    // Nothing is called so.
    let (answer, _) = desk.ask("Summarise the theory of relativity");
    assert_eq!((answer.mode, answer.reason), ("top-k", Some(NoAnswer::NotInLibrary)));
}

#[test]
fn things_are_compared_by_passages_about_each() {
    let bridge =
        "# The bridge\n\nThe Golden Gate Bridge stands in San Francisco. The bridge is 227 metres tall.\n";
    let desk = desk(&[("tower", TOWER), ("bridge", bridge)], &["The tower is 330 metres tall."]);
    let (answer, events) = desk.ask("Compare the Eiffel Tower and the Golden Gate Bridge");
    assert!(answer.grounded, "{answer:?}");
    let prompt = &desk.prompts()[0];
    assert!(prompt.contains("330 metres") && prompt.contains("227 metres"));
    let hops = events.iter().filter(|event| matches!(event, AskEvent::Hop { .. })).count();
    assert_eq!(hops, 2);
    let (answer, _) = desk.ask("Compare the Eiffel Tower and the enzyme lactase");
    assert_eq!(answer.reason, Some(NoAnswer::NotInLibrary), "there is nothing to compare with");
}

#[test]
fn a_model_of_entailment_finds_what_code_cannot() {
    let desk = desk(&[("tower", TOWER)], &["The tower is 330 metres tall. It was finished in March 1889."]);
    let judge = Arc::new(ScriptedEntailment::default().contradicting("finished"));
    desk.fakes.models.set_entailment(Some(judge.clone()));
    let (answer, events) = desk.ask("How tall is the Eiffel Tower, and when was it finished?");
    let verdicts: Vec<Verdict> = answer.claims.iter().map(|claim| claim.verdict).collect();
    assert_eq!(verdicts, [Verdict::Supported, Verdict::Contradicted]);
    assert_eq!(answer.faithfulness, Some(0.5));
    assert!(judge.asked()[0].0.contains("330 metres tall"));
    let told = events
        .iter()
        .rev()
        .find_map(|e| if let AskEvent::Claim(claim) = e { Some(claim.verdict) } else { None });
    assert_eq!(told, Some(Verdict::Contradicted), "who watches is told");
    let asked = judge.asked().len();
    desk.ask_with(AskRequest { verify: Verify::Code, ..Desk::request("How tall is the Eiffel Tower?") });
    assert_eq!(judge.asked().len(), asked, "by code alone no model is asked");
}

#[test]
fn thorough_work_takes_out_or_writes_anew_what_no_source_says() {
    let made_up = "The tower is 330 metres tall. It belongs to a secret society of painters.";
    let supported = "{\"verdict\": \"supported\"}";
    for (mended, wanted) in [
        ("NONE", "The tower is 330 metres tall. [1]"),
        (
            "Its painters come every seven years.",
            "The tower is 330 metres tall. [1] Its painters come every seven years. [2]",
        ),
    ] {
        let desk = desk(&[("tower", TOWER)], &[made_up, supported, mended]);
        let request =
            AskRequest { verify: Verify::Thorough, ..Desk::request("How tall is the Eiffel Tower?") };
        let (answer, events) = desk.ask_with(request);
        assert_eq!(answer.text, wanted);
        assert_eq!(tokens(&events), answer.text, "what was taken out was never shown");
        assert_eq!(answer.faithfulness, Some(1.0));
    }
    let desk = desk(&[("tower", TOWER)], &["It belongs to a secret society of chess players.", "NONE"]);
    let request = AskRequest { verify: Verify::Thorough, ..Desk::request("How tall is the Eiffel Tower?") };
    let (answer, _) = desk.ask_with(request);
    assert_eq!((answer.reason, answer.text.as_str()), (Some(NoAnswer::NotInLibrary), ""));
    assert!(!answer.nearest.is_empty());
}

#[test]
fn the_order_of_reading_is_a_setting() {
    let bread = "# Bread\n\nKnead the dough for ten minutes and let it rest for an hour.\n";
    let question = "How tall is the tower, in metres, how much does it weigh, and does bread rest?";
    for (order, best_first) in [(Order::Ends, false), (Order::Descending, true)] {
        let desk = desk(&[("tower", TOWER), ("bread", bread)], &["The tower is 330 metres tall."]);
        desk.ask_with(AskRequest { order, ..Desk::request(question) });
        let prompt = &desk.prompts()[0];
        let (best, next) = (prompt.find("330 metres").unwrap(), prompt.find("Knead").unwrap());
        assert_eq!(best < next, best_first, "{prompt}");
    }
}

#[test]
fn sources_without_dates_are_preferred_by_the_users_trust() {
    let one = "# Terms\n\nThe notice period of the flat is three months.\n";
    let other = "# Terms of somebody\n\nThe notice period of the flat is six months.\n";
    let desk =
        desk(&[("drafts", one), ("signed", other)], &["The notice period of the flat is three months."]);
    let question = "What is the notice period of the flat?";
    let (answer, events) = desk.ask(question);
    assert_eq!(answer.conflicts.len(), 1, "{answer:#?}");
    assert!(events.iter().any(|event| matches!(event, AskEvent::Conflict(_))));
    assert_eq!((answer.conflicts[0].preferred, answer.conflicts[0].likely), (None, Likely::Unknown));
    desk.library
        .change_settings(&BTreeMap::from([("trust".to_owned(), "signed,drafts".to_owned())]))
        .unwrap();
    let (answer, _) = desk.ask(question);
    let conflict = &answer.conflicts[0];
    assert_eq!(conflict.preferred, Some(Preferred::Rank));
    assert!(conflict.sides[0].quote.contains("six months"));
}

#[test]
fn ordinary_pairs_are_no_contradiction() {
    let pairs = [
        (
            "What did the audit cost?",
            "In 2024 the audit cost 9,000 euros.",
            "In 2025 the audit cost 9,500 euros.",
        ),
        (
            "What is the rent of the flat?",
            "The rent of the flat in Lind Street is 900 euros.",
            "The rent of the flat in Oak Road is 1,100 euros.",
        ),
        (
            "How tall is the tower?",
            "The tower is 330 metres tall and weighs 10,100 tonnes.",
            "The tower is 330 m tall and was painted in 1907.",
        ),
        (
            "When is the meeting of the team?",
            "The meeting of the team is on 12 March 2026.",
            "The meeting of the team is on 2026-03-12.",
        ),
        (
            "Who is responsible for the backup?",
            "Li Wei is responsible for the backup test.",
            "Ines Ferreira is responsible for the new wall list.",
        ),
        ("预算是多少？", "二〇二五年的预算为四十万元。", "二〇二六年的预算为四十八万元。"),
        ("预算是多少？", "项目的预算为四十八万元。", "项目的预算为 480,000 元。"),
    ];
    for (question, one, other) in pairs {
        let desk = desk(&[("a", one), ("b", other)], &["I don't know."]);
        let (answer, _) = desk.ask(question);
        assert!(answer.conflicts.is_empty(), "{question}: {:#?}", answer.conflicts);
    }
}

#[test]
fn pairs_that_contradict_each_other_are_found() {
    let pairs = [
        (
            "What is the notice period of the flat?",
            "The notice period of the flat is three months.",
            "The notice period of the flat is 6 months.",
        ),
        ("When does the shop open?", "The shop opens on 3 May 2026.", "The shop opens on 10 May 2026."),
        (
            "Who is responsible for the backup test?",
            "Since then Li Wei is responsible for the backup test.",
            "Since then Tomasz Nowak is responsible for the backup test.",
        ),
        (
            "Are dogs allowed in the garden?",
            "Dogs are allowed in the garden of the house.",
            "Dogs are not allowed in the garden of the house.",
        ),
        ("项目的预算是多少？", "项目的预算为四十八万元。", "项目的预算为 52 万元。"),
        ("系统什么时候上线？", "系统于 2026 年 9 月 1 日上线。", "系统于 2026 年 10 月 15 日上线。"),
    ];
    for (question, one, other) in pairs {
        let desk = desk(&[("a", one), ("b", other)], &["I don't know."]);
        let (answer, _) = desk.ask(question);
        assert_eq!(answer.conflicts.len(), 1, "{question}: {answer:#?}");
    }
}
