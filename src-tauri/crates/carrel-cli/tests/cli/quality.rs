//! The library's own questions in the terminal: asked, kept, compared, and settings tried by them.

use crate::support::{Carrel, has};
use serde_json::{Value, json};

/// A library of twelve short manuals, found by their words.
fn manuals() -> Carrel {
    let carrel = Carrel::new();
    let folder = write_manuals(&carrel);
    carrel.json(&["add", &folder]).ended_with(0);
    carrel
}

/// The manuals as files; returns their folder.
pub(crate) fn write_manuals(carrel: &Carrel) -> String {
    for (n, subject) in SUBJECTS.iter().enumerate() {
        let text = format!(
            "# {subject}\n\nThe {subject} is a device that is kept in cupboard {n} of the workshop, beside the other tools.\n\n\
             ## Care of the {subject}\n\nClean it every {} weeks with a dry cloth, and write down when that was done, so that \
             everybody who uses it later can see it.\n",
            n + 2
        );
        carrel.file(&format!("manuals/{subject}.md"), text);
    }
    carrel.files().join("manuals").to_str().unwrap().to_owned()
}

const SUBJECTS: [&str; 12] = [
    "anvil", "bellows", "chisel", "drill", "engraver", "file", "gouge", "hammer", "jigsaw", "kiln", "lathe",
    "mallet",
];

pub(crate) fn questions() -> String {
    let line = |(n, subject): (usize, &&str)| {
        json!({
            "question": format!("In which cupboard is the {subject}?"),
            "document": format!("{subject}.md"),
            "quote": format!("kept in cupboard {n} of the workshop"),
        })
        .to_string()
    };
    SUBJECTS.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn questions_of_a_file_are_asked_and_what_fails_is_blamed() {
    let carrel = manuals();
    let lost = json!({"question": "Who built the anvil?", "document": "letter.pdf", "quote": "my uncle"});
    let moved = json!({"question": "Where was the drill?", "document": "drill.md", "quote": "in the cellar"});
    let whole = json!({"question": "How do I care for the kiln?", "documents": ["kiln.md"]});
    let file = carrel.file("mine.jsonl", format!("{}\n{lost}\n{moved}\n\n{whole}\n", questions()));
    let run = carrel.json(&["eval", "questions", &file]).ended_with(0).json();
    has(
        &run,
        &[
            "id",
            "library",
            "created",
            "settings",
            "documents",
            "passages",
            "questions",
            "metrics",
            "outcomes",
        ],
    );
    has(
        &run["metrics"],
        &[
            "ndcg@10",
            "recall@5",
            "recall@10",
            "mrr@10",
            "hit@5",
            "precision@5",
            "context_precision",
            "context_recall",
        ],
    );
    assert_eq!((&run["questions"], &run["outcomes"]["gone"]), (&json!(15), &json!(2)), "{run}");
    let found = run["outcomes"]["found"].as_u64().unwrap();
    assert!(found >= 12, "{run}");
    let result = &run["results"][0];
    has(result, &["text", "outcome", "rank", "lexical", "dense", "metrics", "ms", "right"]);
    assert_eq!(result["right"][0]["title"], "anvil");
    assert_eq!(
        carrel.json(&["eval", "list"]).ended_with(0).json()["questions"],
        json!([]),
        "nothing is kept unasked"
    );

    let words = carrel.run(&["eval", "questions", &file]).ended_with(0).stdout;
    assert!(
        words.contains("not in the library any more") && words.contains("Who built the anvil?"),
        "{words}"
    );
    let bad = carrel.file("bad.jsonl", "{\"question\": \"And?\"");
    let problem = carrel.json(&["eval", "questions", &bad]).ended_with(2).json();
    assert!(problem["problem"]["message"].as_str().unwrap().contains("line 1"), "{problem}");
    let bare = carrel.file("bare.jsonl", "{\"question\": \"And?\"}");
    carrel.json(&["eval", "questions", &bare]).ended_with(2);
    assert_eq!(carrel.json(&["eval", "questions", &file, "--answers"]).ended_with(2).code(), "not_available");
    assert_eq!(
        carrel.json(&["eval", "questions", &file, "--fusion", "sum"]).ended_with(2).code(),
        "bad_request"
    );
}

#[test]
fn the_set_is_kept_and_runs_over_it_are_compared() {
    let carrel = manuals();
    let empty = carrel.json(&["eval", "questions"]).ended_with(2).json();
    assert!(empty["problem"]["hint"].as_str().unwrap().contains("eval generate"), "{empty}");
    let file = carrel.file("mine.jsonl", questions());
    let first = carrel.json(&["eval", "questions", &file, "--keep"]).ended_with(0).json();
    let list = carrel.json(&["eval", "list"]).ended_with(0).json();
    let kept = list["questions"].as_array().unwrap();
    assert_eq!(kept.len(), 12);
    has(&kept[0], &["id", "text", "kind", "right", "created"]);
    assert_eq!((&kept[0]["kind"], &kept[0]["right"][0]["state"]), (&json!("written"), &json!("here")));
    carrel.json(&["eval", "questions", &file, "--keep"]).ended_with(0);
    assert_eq!(carrel.json(&["eval", "list"]).json()["questions"].as_array().unwrap().len(), 12, "each once");

    let last = carrel.json(&["eval", "questions", "--legs", "lexical"]).ended_with(0).json();
    assert_eq!(last["settings"]["legs"], "lexical");
    let runs = carrel.json(&["eval", "runs", "list"]).ended_with(0).json();
    let ids: Vec<&Value> = runs["runs"].as_array().unwrap().iter().map(|run| &run["id"]).collect();
    assert_eq!((ids.len(), ids[0], ids[2]), (3, &first["id"], &last["id"]));
    let compared = carrel.json(&["eval", "runs", "compare", "previous", "last"]).ended_with(0).json();
    has(&compared, &["first", "second", "questions", "metrics", "changed", "verdict"]);
    assert_eq!(compared["questions"], 12);
    has(&compared["metrics"][0], &["metric", "first", "second", "difference", "low", "high", "p", "verdict"]);
    assert!(compared["verdict"].as_str().unwrap().contains("alike"), "words alone answered both: {compared}");
    let shown = carrel.json(&["eval", "runs", "show", "last"]).ended_with(0).json();
    assert_eq!(shown["results"].as_array().unwrap().len(), 12);
    carrel.json(&["eval", "runs", "remove", first["id"].as_str().unwrap()]).ended_with(0);
    assert_eq!(
        carrel.json(&["eval", "runs", "show", first["id"].as_str().unwrap()]).ended_with(3).code(),
        "not_found"
    );

    let id = kept[0]["id"].as_str().unwrap();
    carrel.json(&["eval", "remove", id]).ended_with(0);
    assert_eq!(carrel.json(&["eval", "list"]).json()["questions"].as_array().unwrap().len(), 11);
    let jobs = carrel.json(&["jobs", "list"]).json();
    assert!(jobs["jobs"].as_array().unwrap().iter().any(|job| job["kind"] == "evaluation"), "{jobs}");
}

#[test]
fn without_a_model_questions_are_made_by_code_and_settings_are_tried_by_them() {
    let carrel = manuals();
    let few = carrel.json(&["eval", "tune"]).ended_with(2).json();
    assert!(few["problem"]["message"].as_str().unwrap().contains("at least 10"), "{few}");
    let made = carrel.json(&["eval", "generate", "-n", "12"]).ended_with(0).json();
    has(&made, &["questions", "tried", "refused", "model"]);
    assert_eq!(made["model"], Value::Null);
    let questions = made["questions"].as_array().unwrap();
    assert!(questions.len() >= 10, "{made}");
    assert!(questions.iter().all(|q| q["kind"] == "made" && q["right"][0]["state"] == "here"), "{made}");
    assert_eq!(carrel.json(&["eval", "generate", "-n", "51"]).ended_with(2).code(), "bad_request");

    let args = ["eval", "tune", "--chunking", "none,256/25"];
    let estimate = carrel.json(&[&args[..], &["--estimate"]].concat()).ended_with(0).json();
    has(&estimate, &["questions", "candidates", "documents", "tokens", "seconds", "bytes"]);
    assert_eq!(
        (&estimate["candidates"], &estimate["tokens"]),
        (&json!(3), &json!(0)),
        "by words: nothing to embed"
    );
    let all = carrel.json(&[&args[..], &["--rerank", "all", "--estimate"]].concat()).ended_with(0).json();
    assert_eq!(all["candidates"], 3, "no reranker is here, and none is used: {all}");
    let unknown = carrel.json(&[&args[..], &["--rerank", "nobody", "--estimate"]].concat());
    assert!(unknown.ended_with(1).json()["problem"]["message"].as_str().unwrap().contains("nobody"));
    let before = carrel.json(&["library", "settings", "default"]).json();
    let tuned = carrel.json(&[&args[..], &["--apply"]].concat()).ended_with(0).json();
    has(&tuned, &["created", "questions", "candidates", "winner", "verdict", "estimate", "applied"]);
    let candidates = tuned["candidates"].as_array().unwrap();
    assert_eq!(
        candidates[0]["settings"]["chunking"], before["settings"]["chunking"],
        "the present ones first"
    );
    assert_eq!(candidates[0]["difference"], Value::Null);
    assert!(candidates[1..].iter().all(|c| c["difference"]["verdict"].is_string()), "{tuned}");
    let whole = candidates.iter().find(|c| c["settings"]["chunking"] == "none").unwrap();
    assert!(whole["passages"].as_u64() < candidates[0]["passages"].as_u64(), "{tuned}");
    let after = carrel.json(&["library", "settings", "default"]).json();
    let chosen = tuned["winner"].as_u64().map(|at| &candidates[at as usize]["settings"]["chunking"]);
    assert_eq!(&after["settings"]["chunking"], chosen.unwrap_or(&before["settings"]["chunking"]));
}

#[test]
fn the_fusion_and_the_reranker_of_a_library_are_settings() {
    let carrel = manuals();
    let settings = carrel.json(&["library", "settings", "default", "fusion=rrf"]).ended_with(0).json();
    assert_eq!(settings["settings"]["fusion"], "rrf");
    carrel.json(&["search", "anvil"]).ended_with(0);
    assert_eq!(
        carrel.json(&["library", "settings", "default", "fusion=sum"]).ended_with(2).code(),
        "invalid"
    );
    assert_eq!(settings["settings"]["rerank"], "auto");
    let settings = carrel.json(&["library", "settings", "default", "rerank=none"]).ended_with(0).json();
    assert_eq!(settings["settings"]["rerank"], "none");
}
