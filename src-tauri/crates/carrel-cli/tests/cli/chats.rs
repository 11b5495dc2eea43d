//! Chats: kept with their sources, narrowed, branched, rated, found again.

use crate::support::Carrel;
use crate::support::endpoint::Endpoint;
use serde_json::{Value, json};

/// A lease, a bread and a garage, and a model that quotes them.
fn desk() -> (Carrel, Endpoint) {
    let carrel = Carrel::new();
    carrel.file("home/lease/flat.md", "# Flat\n\nThe notice period of the flat is ninety days.\n");
    carrel.file("home/lease/garage.md", "# Garage\n\nThe notice period of the garage is thirty days.\n");
    carrel.file("home/kitchen/bread.md", "# Bread\n\nKnead the dough for ten minutes and let it rest.\n");
    carrel.json(&["add", carrel.files().join("home").to_str().unwrap()]).ended_with(0);
    let endpoint = Endpoint::start(|asked| {
        let question = asked.rsplit('\n').find(|line| line.starts_with("Question: ")).unwrap_or_default();
        let said = match question {
            q if q.contains("away") => return None,
            q if q.contains("garage") => "The notice period of the garage is thirty days. [1]",
            _ => "The notice period of the flat is ninety days. [1]",
        };
        Some(said.to_owned())
    });
    endpoint.choose(&carrel);
    (carrel, endpoint)
}

fn ask(carrel: &Carrel, question: &str, more: &[&str]) -> Value {
    carrel.json(&[&["ask", question], more].concat()).ended_with(0).json()
}

fn show(carrel: &Carrel, chat: &str) -> Value {
    carrel.json(&["chats", "show", chat]).ended_with(0).json()
}

fn questions(view: &Value) -> Vec<&str> {
    view["turns"].as_array().unwrap().iter().map(|turn| turn["question"].as_str().unwrap()).collect()
}

#[test]
fn a_chat_is_listed_found_renamed_pinned_and_exported_with_its_sources() {
    let (carrel, _endpoint) = desk();
    let first = ask(&carrel, "What is the notice period of the flat?", &["--chat", "new"]);
    let chat = first["chat"].as_str().unwrap().to_owned();
    assert_eq!(first["turn"], 1);
    let other = ask(&carrel, "What is the notice period of the garage?", &["--chat", "new"]);
    let other = other["chat"].as_str().unwrap().to_owned();
    let ids = |args: &[&str]| -> Vec<String> {
        let list = carrel.json(args).json();
        list["chats"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["chats", "list"]), [other.clone(), chat.clone()]);
    assert_eq!(
        ids(&["chats", "search", "NINETY", "days"]),
        std::slice::from_ref(&chat),
        "words of the answer"
    );
    carrel.json(&["chats", "search", "zeppelin"]).ended_with(3);
    let found = carrel.json(&["chats", "search", "ninety"]).ended_with(0).json();
    assert!(found["chats"][0]["excerpt"].as_str().unwrap().contains("ninety days"), "{found}");

    carrel.json(&["chats", "rename", &chat, " Our  flat "]).ended_with(0);
    carrel.json(&["chats", "rename", &chat, "  "]).ended_with(2);
    carrel.json(&["chats", "pin", &chat]).ended_with(0);
    let list = carrel.json(&["chats", "list"]).json();
    assert_eq!((&list["chats"][0]["title"], &list["chats"][0]["pinned"]), (&json!("Our flat"), &json!(true)));
    carrel.json(&["chats", "pin", &chat, "--off"]).ended_with(0);
    assert_eq!(ids(&["chats", "list"]), [other, chat.clone()]);

    let exported = carrel.json(&["chats", "export", &chat]).json()["markdown"].as_str().unwrap().to_owned();
    for part in
        ["# Our flat", "## What is the notice period of the flat?", "[1]", "Flat", "ninety days", "flat.md"]
    {
        assert!(exported.contains(part), "{part}: {exported}");
    }
    carrel.run(&["chats", "export", &chat, "kept.md"]).ended_with(0);
    assert_eq!(std::fs::read_to_string(carrel.files().join("kept.md")).unwrap(), exported);
    let precious = carrel.file("precious.txt", "mine");
    carrel.json(&["chats", "export", &chat, &precious]).ended_with(2);
    assert_eq!(std::fs::read_to_string(precious).unwrap(), "mine", "only Markdown is written over");

    carrel.json(&["chats", "remove", &chat]).ended_with(0);
    assert_eq!(carrel.json(&["chats", "show", &chat]).ended_with(3).code(), "not_found");
}

#[test]
fn a_scope_is_kept_with_the_chat_and_narrows_its_later_questions() {
    let (carrel, _endpoint) = desk();
    let answer = ask(&carrel, "What is the notice period?", &["--chat", "new"]);
    let chat = answer["chat"].as_str().unwrap();
    let titles = |answer: &Value| -> Vec<String> {
        let sources = answer["citations"].as_array().unwrap().iter();
        sources.map(|c| c["document"]["title"].as_str().unwrap().to_owned()).collect()
    };
    let kitchen = carrel.files().join("home/kitchen");
    carrel.json(&["chats", "scope", chat, "--folder", kitchen.to_str().unwrap()]).ended_with(0);
    let again = carrel.json(&["ask", "What is the notice period?", "--chat", chat]).ended_with(3).json();
    assert_eq!(again["reason"], "not_in_library", "the kitchen does not know it");

    carrel.json(&["chats", "scope", chat, "--clear", "--document", "garage.md"]).ended_with(0);
    let scope = show(&carrel, chat)["chat"]["scope"].clone();
    assert_eq!(scope["documents"][0]["title"], "Garage", "{scope}");
    assert_eq!(scope["folders"], json!([]));
    assert_eq!(
        titles(&ask(&carrel, "What is the notice period of the garage?", &["--chat", chat])),
        ["Garage"]
    );

    // What a question names itself stands in the place of what the chat has of its kind, for this question.
    let flat =
        ask(&carrel, "What is the notice period of the flat?", &["--chat", chat, "--document", "flat.md"]);
    assert_eq!(titles(&flat), ["Flat"]);
    assert_eq!(show(&carrel, chat)["chat"]["scope"], scope);

    for (option, value, status) in
        [("--folder", "/nowhere/at/all", 3), ("--document", "nowhere.md", 3), ("--library", "Nowhere", 2)]
    {
        let run = carrel.json(&["chats", "scope", chat, option, value]).ended_with(status);
        assert_eq!(run.code(), "not_found");
    }
    carrel.json(&["chats", "scope", chat, "--filter", "colour=red"]).ended_with(2);

    // A new chat takes what its first question names.
    let tagged =
        ask(&carrel, "What is the notice period?", &["--chat", "new", "--filter", "path=lease/flat*"]);
    let narrowed = show(&carrel, tagged["chat"].as_str().unwrap());
    assert_eq!(narrowed["chat"]["scope"]["filters"], json!(["path=lease/flat*"]));

    // A document that is gone is named, and can be taken out.
    std::fs::remove_file(carrel.files().join("home/lease/garage.md")).unwrap();
    carrel.json(&["remove", "garage.md"]).ended_with(0);
    let gone = carrel.json(&["ask", "What is the notice period?", "--chat", chat]).ended_with(3);
    assert!(gone.code() == "not_found" && gone.stderr.contains("Garage"), "{gone:?}");
    carrel.json(&["chats", "scope", chat, "--clear"]).ended_with(0);
    ask(&carrel, "What is the notice period of the flat?", &["--chat", chat]);
}

#[test]
fn a_library_that_is_renamed_stays_in_the_scope() {
    let (carrel, _endpoint) = desk();
    carrel.json(&["library", "create", "Work"]).ended_with(0);
    let memo = carrel.file("memo.md", "# Memo\n\nThe notice period of the flat is ninety days.\n");
    carrel.json(&["add", &memo, "--library", "Work"]).ended_with(0);
    let answer =
        ask(&carrel, "What is the notice period of the flat?", &["--chat", "new", "--library", "Work"]);
    let chat = answer["chat"].as_str().unwrap();
    carrel.json(&["library", "rename", "Work", "Office"]).ended_with(0);
    let later = ask(&carrel, "What is the notice period of the flat?", &["--chat", chat]);
    assert_eq!(later["citations"][0]["document"]["library"], "Office");
}

#[test]
fn a_branch_has_its_own_past() {
    let (carrel, endpoint) = desk();
    let first = ask(&carrel, "What is the notice period of the flat?", &["--chat", "new"]);
    let chat = first["chat"].as_str().unwrap();
    ask(&carrel, "What is the notice period of the garage?", &["--chat", chat]);
    let told = |endpoint: &Endpoint| -> String {
        endpoint
            .asked()
            .last()
            .unwrap()
            .iter()
            .map(|m| m["content"].as_str().unwrap())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(told(&endpoint).contains("flat is ninety days"), "the turn before is told to the model");

    // Asked instead of the first: nothing comes before it.
    let branch =
        ask(&carrel, "How long is the notice period of the garage?", &["--chat", chat, "--instead", "1"]);
    assert_eq!(branch["turn"], 3);
    assert_eq!(endpoint.asked().last().unwrap().iter().filter(|m| m["role"] == "assistant").count(), 0);
    let view = show(&carrel, chat);
    assert_eq!(questions(&view), ["How long is the notice period of the garage?"]);
    assert_eq!(view["turns"][0]["siblings"], json!([1, 3]));

    carrel.json(&["chats", "branch", chat, "1"]).ended_with(0);
    assert_eq!(
        questions(&show(&carrel, chat)),
        ["What is the notice period of the flat?", "What is the notice period of the garage?"]
    );
    assert_eq!(carrel.json(&["chats", "branch", chat, "9"]).ended_with(3).code(), "not_found");
    carrel.json(&["ask", "What is the notice period?", "--chat", chat, "--instead", "9"]).ended_with(3);
    carrel.json(&["ask", "What is the notice period?", "--instead", "1"]).ended_with(2);
    let shown = carrel.run(&["chats", "show", chat]).ended_with(0).stdout;
    assert!(shown.contains("turn 1 · other branches: turn 3"), "{shown}");
}

#[test]
fn a_later_question_is_reworded_whatever_else_is_done_for_it() {
    let (carrel, _endpoint) = desk();
    let rewords = |answer: &Value| {
        answer["trace"]["stages"].as_array().unwrap().iter().any(|stage| stage["name"] == "rewrite")
    };
    let first =
        ask(&carrel, "What is the notice period of the flat?", &["--chat", "new", "--preset", "fast"]);
    assert!(!rewords(&first), "{first}");
    let chat = first["chat"].as_str().unwrap();
    let later = |more: &[&str]| {
        let asked = ["ask", "And how long is it for the garage?", "--chat", chat, "--preset", "fast"];
        carrel.json(&[&asked, more].concat()).json()
    };
    assert!(!rewords(&later(&["--rewrite=off"])));
    let answer = later(&[]);
    assert!(rewords(&answer), "{answer}");
}

#[test]
fn a_good_answer_becomes_a_question_with_its_source_and_goes_with_its_rating() {
    let (carrel, _endpoint) = desk();
    let answer = ask(&carrel, "What is the notice period of the garage?", &["--chat", "new"]);
    let chat = answer["chat"].as_str().unwrap();
    let set = || carrel.json(&["eval", "list"]).ended_with(0).json()["questions"].as_array().unwrap().clone();
    let rated = carrel.json(&["chats", "rate", chat, "1", "good"]).ended_with(0).json();
    assert_eq!(rated["libraries"], json!(["default"]));
    let questions = set();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0]["text"], "What is the notice period of the garage?");
    assert_eq!(questions[0]["kind"], "written");
    assert_eq!(questions[0]["answer"], "The notice period of the garage is thirty days.");
    let right = &questions[0]["right"][0];
    assert_eq!((&right["title"], &right["state"]), (&json!("Garage"), &json!("here")));
    assert_eq!(right["quote"], answer["citations"][0]["quote"]);
    carrel.json(&["chats", "rate", chat, "1", "good"]).ended_with(0);
    assert_eq!(set().len(), 1, "said twice, it is one question");

    carrel.json(&["chats", "rate", chat, "1", "bad", "--note", "the old lease"]).ended_with(0);
    assert!(set().is_empty(), "what was not good measures nothing");
    let turn = show(&carrel, chat)["turns"][0].clone();
    assert_eq!((&turn["rating"], &turn["note"]), (&json!("bad"), &json!("the old lease")));
    carrel.json(&["chats", "rate", chat, "1", "none"]).ended_with(0);
    assert_eq!(show(&carrel, chat)["turns"][0]["rating"], Value::Null);
    carrel.json(&["chats", "rate", chat, "1", "splendid"]).ended_with(2);
    carrel.json(&["chats", "rate", chat, "7", "good"]).ended_with(3);
}

#[test]
fn what_failed_is_kept_as_that() {
    let (carrel, endpoint) = desk();
    let run = carrel.json(&["ask", "Is the notice period of the flat away?", "--chat", "new"]).ended_with(1);
    let chat = run.json()["problem"]["details"]["chat"].as_str().unwrap().to_owned();
    let turn = show(&carrel, &chat)["turns"][0].clone();
    assert_eq!(turn["answer"]["reason"], "failed");
    assert_eq!(turn["answer"]["problem"]["code"], run.code());
    assert_eq!(turn["answer"]["answer"], "");
    let exported = carrel.json(&["chats", "export", &chat]).json();
    assert!(exported["markdown"].as_str().unwrap().contains("*Failed: "), "{exported}");

    // The next question is not told of an answer that never was.
    ask(&carrel, "What is the notice period of the flat?", &["--chat", &chat]);
    let told = endpoint.asked().last().unwrap().clone();
    assert!(told.iter().all(|m| m["role"] != "assistant"), "{told:?}");

    // Neither is the lack of a model masked by anything.
    let bare = Carrel::new();
    let file = bare.file("flat.md", "# Flat\n\nThe notice period of the flat is ninety days.\n");
    bare.json(&["add", &file]).ended_with(0);
    let answer = bare.json(&["ask", "What is the notice period?", "--chat", "new"]).ended_with(1).json();
    let kept = show(&bare, answer["chat"].as_str().unwrap())["turns"][0].clone();
    assert_eq!((&kept["answer"]["reason"], &kept["answer"]["answer"]), (&json!("no_model"), &json!("")));
}

#[test]
fn an_old_answer_leads_to_the_version_that_it_was_made_from() {
    let (carrel, _endpoint) = desk();
    let answer = ask(&carrel, "What is the notice period of the garage?", &["--chat", "new"]);
    let chat = answer["chat"].as_str().unwrap();
    carrel
        .file("home/lease/garage.md", "# Garage\n\nNew rules.\n\nThe notice of the garage is a fortnight.\n");
    carrel.json(&["sync"]).ended_with(0);

    let citation = show(&carrel, chat)["turns"][0]["answer"]["citations"][0].clone();
    assert_eq!(citation["document"]["version"], 1);
    let quote = citation["quote"].as_str().unwrap();
    assert_eq!(citation["quote_hash"].as_str().unwrap().len(), 64);
    let span =
        citation["quote_start"].as_u64().unwrap() as usize..citation["quote_end"].as_u64().unwrap() as usize;
    let document = citation["document"]["id"].as_str().unwrap();
    let text = |version: &[&str]| {
        let shown = carrel.json(&[&["show", document], version].concat()).ended_with(0).json();
        shown["markdown"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(&["--version", "1"])[span], *quote, "as it stood when it was cited");
    assert!(!text(&[]).contains("thirty days"), "while another version answers now");
}
