//! With real models, where they are installed (`CARREL_MODELS`, or the platform's place): meaning, answers, measurements.

use crate::quality::{questions, write_manuals};
use crate::support::{Carrel, has};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Where models are installed on this machine.
pub(crate) fn installed() -> Option<PathBuf> {
    let carrel = Carrel::new();
    let mut command = carrel.command(&["--json", "models", "list"]);
    match std::env::var_os("CARREL_MODELS") {
        Some(folder) => command.env("CARREL_MODELS", folder),
        None => command.env_remove("CARREL_MODELS"),
    };
    let list = crate::support::run(command, None).json();
    let list = list["models"].as_array().unwrap();
    let there = |role: &str| list.iter().any(|m| m["role"] == role && m["state"] == "installed");
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".local/share")));
    let folder =
        std::env::var_os("CARREL_MODELS").map(PathBuf::from).or_else(|| Some(data?.join("carrel/models")));
    if !(there("embedder") && there("language_model")) {
        eprintln!("skipped: the default models are not installed");
        return None;
    }
    folder
}

fn with_models() -> Option<(Carrel, PathBuf)> {
    let folder = installed()?;
    Some((Carrel::new(), folder))
}

pub(crate) fn json(carrel: &Carrel, models: &PathBuf, args: &[&str]) -> crate::support::Run {
    let mut command = carrel.command(&[&["--json"], args].concat());
    command.env("CARREL_MODELS", models);
    crate::support::run(command, None)
}

#[test]
fn meaning_finds_what_words_do_not_and_answers_cite() {
    let Some((carrel, models)) = with_models() else { return };
    carrel.file(
        "docs/lease.md",
        "# Lease\n\nThe tenancy can be ended by either party. The notice period is ninety days.\n",
    );
    carrel.file("docs/bread.md", "# Bread\n\nKnead the dough for ten minutes and let it rest overnight.\n");
    let folder = carrel.files().join("docs");
    json(&carrel, &models, &["add", folder.to_str().unwrap()]).ended_with(0);
    let status = json(&carrel, &models, &["status"]).json();
    assert_eq!(status["documents"]["ready"], 2, "{status}");
    assert_eq!(status["vectors"], status["passages"]);

    let found = json(&carrel, &models, &["search", "cancelling a rental contract"]).ended_with(0).json();
    assert_eq!(found["hits"][0]["document"]["title"], "Lease", "{found}");
    assert_eq!(found["hits"][0]["ranks"]["dense"], 1);

    let run = json(&carrel, &models, &["ask", "What is the notice period?", "--stream"]);
    let lines: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let done = lines.last().unwrap();
    assert_eq!(done["event"], "done", "{run:?}");
    has(
        done,
        &["schema", "answer", "grounded", "reason", "mode", "citations", "claims", "conflicts", "trace"],
    );
    assert_eq!(done["grounded"], true, "{done}");
    assert!(lines.iter().any(|l| l["event"] == "token"));
    let citation = &done["citations"][0];
    has(citation, &["number", "document", "passage", "quote", "quote_start", "quote_end"]);
    assert_eq!(citation["document"]["title"], "Lease", "{done}");
    let shown = json(&carrel, &models, &["show", citation["document"]["id"].as_str().unwrap()]).json();
    let span =
        citation["quote_start"].as_u64().unwrap() as usize..citation["quote_end"].as_u64().unwrap() as usize;
    assert_eq!(shown["markdown"].as_str().unwrap()[span], *citation["quote"].as_str().unwrap());

    let run = json(&carrel, &models, &["ask", "Who painted the ceiling of the chapel?"]).ended_with(3);
    assert_eq!(run.json()["reason"], "not_in_library");
}

#[cfg(unix)]
#[test]
fn models_that_ended_the_program_twice_are_told_with_the_way_back() {
    let Some((carrel, models)) = with_models() else { return };
    let file = carrel.file("lease.md", "# Lease\n\nThe notice period is ninety days.\n");
    json(&carrel, &models, &["add", &file]).ended_with(0);
    let own = carrel.files().join("models");
    std::fs::create_dir(&own).unwrap();
    for entry in std::fs::read_dir(&models).unwrap().flatten().filter(|e| e.path().is_dir()) {
        std::os::unix::fs::symlink(entry.path(), own.join(entry.file_name())).unwrap();
    }
    let list = json(&carrel, &own, &["models", "list"]).json();
    let there = list["models"].as_array().unwrap().iter().filter(|m| m["state"] == "installed");
    for model in there {
        std::fs::write(own.join(format!(".crashed-{}", model["id"].as_str().unwrap())), "").unwrap();
    }
    let sentence = |id: &str| {
        format!(
            "{id} is left out, because Carrel ended twice while it was loading it; run `carrel models test {id}` \
             to try it again"
        )
    };
    let (embedder, model) = (sentence("all-minilm-l6-v2"), sentence("smollm2-135m-instruct"));
    let mut asked = carrel.command(&["ask", "What is the notice period?"]);
    asked.env("CARREL_MODELS", &own);
    let said = crate::support::run(asked, None).ended_with(1).stdout;
    assert!(said.contains(&model) && !said.contains("No language model is installed"), "{said}");
    let answer = json(&carrel, &own, &["ask", "What is the notice period?"]).ended_with(1).json();
    assert_eq!(answer["reason"], "no_model");
    let stages = answer["trace"]["stages"].as_array().unwrap();
    let note = |name: &str| stages.iter().find(|s| s["name"] == name).unwrap()["note"].as_str().unwrap();
    assert_eq!((note("model"), note("embed")), (model.as_str(), format!("words alone: {embedder}").as_str()));

    let doctor = json(&carrel, &own, &["doctor"]).ended_with(1).json();
    let checks = doctor["checks"].as_array().unwrap();
    for (name, sentence) in [("embedder", &embedder), ("language_model", &model)] {
        let said: Vec<&Value> = checks.iter().filter(|c| c["name"] == name).map(|c| &c["message"]).collect();
        assert!(said.contains(&&json!(sentence)), "{said:?}");
        assert!(said.iter().all(|said| !said.as_str().unwrap().contains("none is installed")), "{said:?}");
    }
    json(&carrel, &own, &["models", "test", "smollm2-135m-instruct"]).ended_with(0);
    json(&carrel, &own, &["ask", "What is the notice period?"]).ended_with(0);
}

#[test]
fn chats_are_kept() {
    let Some((carrel, models)) = with_models() else { return };
    let file = carrel.file("lease.md", "# Lease\n\nThe rent is due on the third day of each month.\n");
    json(&carrel, &models, &["add", &file]).ended_with(0);
    let first =
        json(&carrel, &models, &["ask", "When is the rent due?", "--chat", "new"]).ended_with(0).json();
    let chat = first["chat"].as_str().unwrap().to_owned();
    let list = json(&carrel, &models, &["chats", "list"]).json();
    assert_eq!(list["chats"][0]["title"], "When is the rent due?");
    let shown = json(&carrel, &models, &["chats", "show", &chat]).ended_with(0).json();
    assert_eq!(shown["turns"][0]["answer"]["answer"], first["answer"]);
    let export = json(&carrel, &models, &["chats", "export", &chat]).json();
    assert!(export["markdown"].as_str().unwrap().contains("lease.md"));
    json(&carrel, &models, &["chats", "remove", &chat]).ended_with(0);
    assert_eq!(json(&carrel, &models, &["chats", "list"]).json()["chats"], json!([]));
}

#[test]
fn a_small_collection_is_evaluated_twice_alike() {
    let Some((carrel, models)) = with_models() else { return };
    let corpus = [
        ("d1", "Herons", "Herons hunt fish in shallow water."),
        ("d2", "Bread", "Bread is baked in an oven."),
    ];
    let line =
        |(id, title, text): &(&str, &str, &str)| json!({"_id": id, "title": title, "text": text}).to_string();
    carrel.file("tiny/corpus.jsonl", corpus.iter().map(line).collect::<Vec<_>>().join("\n"));
    carrel.file(
        "tiny/queries.jsonl",
        "{\"_id\":\"q1\",\"text\":\"what do wading birds eat\"}\n{\"_id\":\"q2\",\"text\":\"baked bread\"}",
    );
    carrel.file("tiny/qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n");
    let folder = carrel.files().join("tiny");
    let cache = carrel.files().join("cache");
    let run = || {
        let args = ["eval", "beir", folder.to_str().unwrap(), "--cache", cache.to_str().unwrap()];
        json(&carrel, &models, &args).ended_with(0).json()
    };
    let (first, second) = (run(), run());
    has(&first, &["collection", "documents", "passages", "queries", "settings", "metrics", "index_seconds"]);
    has(&first, &["passages_per_second", "query_ms", "peak_rss_mb", "index_bytes"]);
    has(
        &first["metrics"],
        &["ndcg@10", "recall@5", "recall@10", "recall@20", "recall@100", "mrr@10", "hit@5", "allgold@10"],
    );
    assert_eq!(first["collection"], "tiny");
    assert_eq!(first["metrics"]["ndcg@10"], 1.0, "{first}");
    assert_eq!(first["metrics"], second["metrics"]);
    assert!(std::fs::read_dir(&cache).unwrap().count() == 1);
    let words =
        json(&carrel, &models, &["eval", "beir", folder.to_str().unwrap(), "--legs", "lexical"]).json();
    assert_eq!(words["settings"]["legs"], json!(["lexical"]));
}

#[test]
fn late_interaction_is_tried_and_can_be_set() {
    let Some((carrel, models)) = with_models() else { return };
    json(&carrel, &models, &["add", &write_manuals(&carrel)]).ended_with(0);
    let file = carrel.file("questions.jsonl", questions());
    json(&carrel, &models, &["eval", "questions", &file, "--keep"]).ended_with(0);
    let present = json(&carrel, &models, &["library", "settings", "default"]).json()["settings"].clone();
    let (chunking, fusion) = (present["chunking"].as_str().unwrap(), present["fusion"].as_str().unwrap());
    let only = ["eval", "tune", "--chunking", chunking, "--fusion", fusion];
    let alone = json(&carrel, &models, &[&only[..], &["--estimate"]].concat()).ended_with(0).json();
    assert_eq!(alone["candidates"], 1, "rerankers only where they are asked for");
    let tuned = json(&carrel, &models, &[&only[..], &["--rerank", "all"]].concat()).ended_with(0).json();
    let candidates = tuned["candidates"].as_array().unwrap();
    assert_eq!(tuned["estimate"]["candidates"], candidates.len());
    let late = candidates.iter().find(|c| c["settings"]["rerank"] == "late-interaction").unwrap();
    assert!(late["difference"]["verdict"].is_string(), "{tuned}");

    let setting = "rerank=late-interaction";
    json(&carrel, &models, &["library", "settings", "default", setting]).ended_with(0);
    let found = json(&carrel, &models, &["search", "cupboard of the anvil"]).ended_with(0).json();
    assert_eq!(found["hits"][0]["score_kind"], "rerank", "{found}");
}

#[test]
fn spans_of_whole_documents_are_measured_for_several_ways_to_cut() {
    let carrel = Carrel::new();
    let filler = "Bread is baked in an oven and eaten with butter.\n\n".repeat(200);
    let right = "Herons hunt fish in shallow water.";
    let document = format!("# Birds\n\n{filler}{right}\n\n{filler}");
    let start = document.find(right).unwrap();
    carrel.file("whole/docs/birds.md", &document);
    let spans = json!([{"doc": "birds", "start": start, "end": start + right.len(), "text": right}]);
    let question = json!({"_id": "q1", "text": "Where do herons hunt?", "spans": spans});
    carrel.file("whole/spans.jsonl", question.to_string());
    let folder = carrel.files().join("whole");
    let no_models = carrel.files().join("no-models");
    let args = ["eval", "spans", folder.to_str().unwrap(), "--budget", "4000", "--chunking", "auto,fixed:64"];
    let report = json(&carrel, &no_models, &args).ended_with(0).json();
    has(&report, &["collection", "documents", "passages", "queries", "settings", "metrics", "strategies"]);
    has(&report["metrics"], &["span_recall", "span_precision", "iou", "full"]);
    assert_eq!(report["documents"], 1);
    for (strategy, chunking) in report["strategies"].as_array().unwrap().iter().zip(["auto", "fixed:64"]) {
        assert_eq!(strategy["settings"]["chunking"], chunking);
        assert_eq!(strategy["metrics"]["full"], 1.0, "{strategy}");
        assert!(strategy["returned_characters"].as_f64().unwrap() <= 4_000.0);
    }
    let bad = json(&carrel, &no_models, &["eval", "spans", folder.to_str().unwrap(), "--chunking", "no"]);
    assert!(bad.ended_with(2).json()["problem"]["message"].as_str().unwrap().contains("semantic:SIZE"));

    let said = || {
        let run = json(&carrel, &no_models, &["eval", "spans", folder.to_str().unwrap()]).ended_with(2);
        run.json()["problem"]["message"].as_str().unwrap().to_owned()
    };
    let other = json!({"_id": "q2", "text": "Who sings?", "spans": [{"doc": "songs", "start": 0, "end": 4}]});
    carrel.file("whole/spans.jsonl", format!("{question}\n{other}"));
    assert!(said().contains("names songs, and docs holds no file of that name"), "{}", said());
    carrel.file("whole/docs/songs.md", " \n");
    assert!(said().contains("songs.md could not be taken in: ") && said().contains("no text"), "{}", said());
    carrel.file("whole/docs/songs.md", "La");
    assert!(said().contains("the span 0 to 4 does not lie in songs"), "{}", said());
}

#[test]
fn speeds_are_measured_in_turn_with_a_peer() {
    let Some((carrel, models)) = with_models() else { return };
    let peer = "echo '{\"engine\": \"peer\", \"passages_per_s\": 1.0, \"passages_per_cpu_s\": 1.0}'";
    let args = ["bench", "embed", "--passages", "4", "--runs", "1", "--peer", peer];
    let report = json(&carrel, &models, &args).ended_with(0).json();
    has(
        &report,
        &["engine", "threads", "batch", "tokens", "passages", "passages_per_s", "passages_per_cpu_s"],
    );
    has(&report, &["peak_rss_mb", "peer", "ratio"]);
    assert_eq!(report["peer"]["engine"], "peer");
    assert_eq!(report["ratio"]["passages_per_s"], report["passages_per_s"]);
    let report =
        json(&carrel, &models, &["bench", "ingest", "--files", "8", "--runs", "1"]).ended_with(0).json();
    has(&report, &["files", "passages", "files_per_s", "passages_per_s", "index_bytes"]);
    assert_eq!(report["files"], 8);
    let report =
        json(&carrel, &models, &["bench", "search", "--files", "8", "--queries", "3", "--runs", "1"]).json();
    has(&report, &["queries_per_s", "query_ms_p50", "lexical_ms_p50", "dense_ms_p50"]);
    let peer = "echo '{\"decode_tokens_per_s\": 2.0}'";
    let args = ["bench", "answer", "--prompt", "24", "--tokens", "4", "--runs", "1", "--peer", peer];
    let report = json(&carrel, &models, &args).ended_with(0).json();
    has(
        &report,
        &[
            "engine",
            "threads",
            "prefill_tokens_per_s",
            "decode_tokens_per_s",
            "first_token_ms",
            "peak_rss_mb",
        ],
    );
    has(&report, &["estimated_mb", "peer", "ratio"]);
    assert_eq!((&report["prompt"], &report["tokens"]), (&json!(24), &json!(4)));
}
