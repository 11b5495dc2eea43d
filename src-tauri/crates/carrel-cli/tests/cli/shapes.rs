//! The JSON of each command, as CONTRACT promises it to scripts.

use crate::support::{Carrel, has, name};
use serde_json::{Value, json};

fn with_documents() -> Carrel {
    let carrel = Carrel::new();
    carrel.file(
        "docs/lease.md",
        "# Lease\n\n## Notice\n\nThe notice period is ninety days.\n\n## Pets\n\nDogs are welcome.\n",
    );
    carrel.file("docs/codes.txt", "The part ISO-27001 and version v2026.4.10 are named here.\n");
    carrel.file("docs/film.mkv", [0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 1]);
    carrel.file("docs/broken.pdf", "%PDF-1.7\nthis is no PDF\n");
    let folder = carrel.files().join("docs");
    let run = carrel.json(&["add", folder.to_str().unwrap()]).ended_with(0);
    let report = run.json();
    has(&report, &["added", "updated", "unchanged", "moved", "removed", "failed", "skipped", "seq"]);
    assert!(report["added"].as_u64().unwrap() >= 2, "{report}");
    carrel
}

#[test]
fn libraries() {
    let carrel = Carrel::new();
    let created = carrel.json(&["library", "create", "Research"]).ended_with(0).json();
    assert_eq!(created["name"], "Research");
    carrel.json(&["library", "create", "Research"]).ended_with(1);
    carrel.json(&["library", "rename", "Research", "Work"]).ended_with(0);
    let list = carrel.json(&["library", "list"]).ended_with(0).json();
    let names: Vec<&Value> = list["libraries"].as_array().unwrap().iter().map(|l| &l["name"]).collect();
    assert_eq!(names, [&json!("default"), &json!("Work")]);
    has(&list["libraries"][0], &["name", "documents", "passages", "bytes", "embedder"]);
    has(
        &carrel.json(&["library", "settings", "Work"]).ended_with(0).json()["settings"],
        &["chunking", "embedder"],
    );
    assert_eq!(carrel.json(&["library", "remove", "Work"]).ended_with(2).code(), "bad_request");
    carrel.json(&["library", "remove", "Work", "--yes"]).ended_with(0);
    assert_eq!(carrel.json(&["library", "list"]).json()["libraries"].as_array().unwrap().len(), 1);
}

#[test]
fn status_and_documents() {
    let carrel = with_documents();
    let status = carrel.json(&["status"]).ended_with(0).json();
    has(
        &status,
        &[
            "library",
            "documents",
            "passages",
            "vectors",
            "bytes",
            "embedder",
            "indexes",
            "not_ready",
            "sources",
        ],
    );
    has(&status["indexes"], &["lexical", "dense"]);
    assert_eq!(status["library"], "default");
    let by_state =
        |states: &[&str]| states.iter().filter_map(|s| status["documents"][s].as_u64()).sum::<u64>();
    assert_eq!(status["searchable"], by_state(&["ready", "words", "partial"]));
    let not_ready = status["not_ready"].as_array().unwrap();
    for row in not_ready {
        has(row, &["uri", "state", "code", "reason", "retryable"]);
    }
    let state =
        |file: &str| not_ready.iter().find(|r| name(&r["uri"]) == file).map(|r| r["state"].as_str().unwrap());
    assert_eq!(state("film.mkv"), Some("skipped"), "{status}");
    assert!(matches!(state("broken.pdf"), Some("failed" | "skipped")), "{status}");

    let list = carrel.json(&["documents"]).ended_with(0).json();
    let documents = list["documents"].as_array().unwrap();
    for document in documents {
        has(
            document,
            &["id", "uri", "title", "state", "version", "media_type", "bytes", "passages", "date", "tags"],
        );
    }
    let only = carrel.json(&["documents", "--state", "skipped"]).ended_with(0).json();
    assert!(only["documents"].as_array().unwrap().iter().all(|d| d["state"] == "skipped"));
    has(&carrel.json(&["source", "list"]).ended_with(0).json(), &["sources"]);
}

#[test]
fn a_document_by_path_and_by_id() {
    let carrel = with_documents();
    let shown = carrel.json(&["show", "docs/lease.md"]).ended_with(0).json();
    has(&shown, &["document", "version", "markdown", "locations"]);
    assert!(shown["markdown"].as_str().unwrap().contains("ninety days"));
    let id = shown["document"]["id"].as_str().unwrap().to_owned();
    let text = carrel.run(&["show", &id]).ended_with(0).stdout;
    assert!(text.contains("ninety days"));

    let list = carrel.json(&["show", &id, "--passages"]).ended_with(0).json();
    has(&list, &["document", "version", "passages"]);
    let markdown = shown["markdown"].as_str().unwrap();
    for passage in list["passages"].as_array().unwrap() {
        has(passage, &["id", "text", "heading_path", "start", "end", "location", "tokens"]);
        let (start, end) =
            (passage["start"].as_u64().unwrap() as usize, passage["end"].as_u64().unwrap() as usize);
        assert_eq!(&markdown[start..end], passage["text"].as_str().unwrap());
    }
    let versions = carrel.json(&["versions", &id]).ended_with(0).json();
    has(
        &versions["versions"][0],
        &["number", "active", "created", "content_hash", "converter", "characters"],
    );
    carrel.json(&["remove", &id]).ended_with(0);
    assert_eq!(carrel.json(&["search", "ninety"]).ended_with(3).json()["hits"], json!([]));
}

#[test]
fn a_document_by_its_name_or_title() {
    let carrel = with_documents();
    carrel.file("docs/new/list.txt", "A list.\n");
    carrel.file("docs/old/list.txt", "An older list.\n");
    carrel.json(&["sync"]).ended_with(0);
    for word in ["lease.md", "Lease", "LEASE.MD", "docs/lease.md"] {
        let shown = carrel.json(&["show", word]).ended_with(0).json();
        assert_eq!(name(&shown["document"]["uri"]), "lease.md", "{word}");
    }
    let run = carrel.json(&["show", "list.txt"]).ended_with(2);
    assert_eq!(run.code(), "ambiguous");
    let candidates = &run.json()["problem"]["details"]["candidates"];
    assert_eq!(candidates.as_array().unwrap().len(), 2, "{candidates}");
    assert!(run.stderr.contains("docs/old/list.txt ("), "{run:?}");
    carrel.json(&["show", "old/list.txt"]).ended_with(0);

    std::fs::remove_file(carrel.files().join("docs/lease.md")).unwrap();
    carrel.json(&["sync"]).ended_with(0);
    let path = carrel.files().join("docs/lease.md");
    for name in ["lease.md", "docs/lease.md", path.to_str().unwrap()] {
        let versions = carrel.json(&["versions", name]).ended_with(0).json();
        assert_eq!(versions["versions"].as_array().unwrap().len(), 1, "{name} is missing, and has a name");
    }
    carrel.json(&["remove", "lease.md"]).ended_with(0);
    carrel.json(&["versions", "lease.md"]).ended_with(3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let carrel = Carrel::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9 menu.md");
    std::fs::write(carrel.files().join(name), "The soup of the day.").unwrap();
    for args in [&["--json", "add"][..], &["--json", "show"], &["--json", "convert"], &["--json", "remove"]] {
        let mut command = carrel.command(args);
        command.arg(name);
        crate::support::run(command, None).ended_with(0);
    }
}

#[test]
fn what_is_said_of_files_is_what_their_state_is_called() {
    let carrel = Carrel::new();
    carrel.file("docs/good.md", "words");
    carrel.file("docs/empty.txt", "");
    carrel.file("docs/broken.pdf", "%PDF-1.7\nthis is no PDF\n");
    let said = carrel.run(&["add", "docs"]).ended_with(0).stdout;
    let status = carrel.json(&["status"]).json();
    for (state, count) in status["documents"].as_object().unwrap() {
        let listed = carrel.json(&["documents", "--state", state]).json();
        assert_eq!(listed["documents"].as_array().unwrap().len() as u64, count.as_u64().unwrap(), "{state}");
        if state != "ready" && state != "words" {
            assert!(said.contains(&format!("{count} {state}")), "{state}: {said}");
        }
    }
}

#[test]
fn what_changed_while_nobody_followed_is_taken_up_before_it_is_searched() {
    let carrel = Carrel::new();
    let file = carrel.file("docs/fund.md", "# Fund\n\nThe pelican fund holds 1234 euros.\n");
    carrel.run(&["add", "docs", "--watch"]).ended_with(0);
    for amount in ["98765", "5555"] {
        std::fs::write(&file, format!("# Fund\n\nThe pelican fund holds {amount} euros.\n")).unwrap();
        let hits = carrel.json(&["search", "pelican fund"]).ended_with(0).json()["hits"].to_string();
        assert!(hits.contains(amount), "{hits}");
    }
    std::fs::write(&file, "# Fund\n\nThe pelican fund is closed.\n").unwrap();
    assert!(carrel.run(&["show", &file]).ended_with(0).stdout.contains("is closed"));
}

#[test]
fn a_sync_counts_what_the_opening_of_its_library_saw_first() {
    let carrel = Carrel::new();
    let files: Vec<String> =
        ["a", "b", "c"].iter().map(|n| carrel.file(&format!("docs/{n}.md"), n)).collect();
    carrel.run(&["add", "docs"]).ended_with(0);
    for round in ["one", "two"] {
        std::fs::write(&files[0], format!("{round} changed")).unwrap();
        carrel.file(&format!("docs/{round}.md"), round);
        let counts = carrel.json(&["sync"]).ended_with(0).json();
        assert_eq!((&counts["updated"], &counts["added"]), (&1.into(), &1.into()), "{counts}");
    }
    carrel.file("docs/empty.txt", "");
    let counts = carrel.json(&["sync", "--strict"]).ended_with(1).json();
    assert_eq!(counts["failed"].as_array().unwrap().len(), 1, "{counts}");
    assert_eq!(carrel.json(&["sync"]).ended_with(0).json()["updated"], 0);
}

#[test]
fn a_document_without_text_says_why_when_it_is_to_be_shown() {
    let carrel = Carrel::new();
    let empty = carrel.file("docs/empty.txt", "");
    let broken = carrel.file("docs/broken.docx", "PK\u{3}\u{4} this is no document");
    carrel.file("docs/good.txt", "words");
    carrel.run(&["add", "docs"]).ended_with(0);
    for (file, code) in [(empty, "no_text"), (broken, "damaged")] {
        let shown = carrel.json(&["show", &file]).ended_with(1);
        assert_eq!(shown.code(), code);
        assert!(shown.json()["problem"]["message"].as_str().unwrap().contains("has no text to show"));
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused() {
    let carrel = Carrel::new();
    let socket = carrel.files().join("socket");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for place in ["/dev/null", socket.to_str().unwrap()] {
        let run = carrel.json(&["add", place]).ended_with(1);
        let failed = &run.json()["failed"][0];
        assert_eq!(failed["code"], "unreadable", "{failed}");
        assert!(failed["reason"].as_str().unwrap().contains("not a file"), "{failed}");
    }
}

#[test]
fn files_by_their_uri_and_jobs_that_failed() {
    let carrel = Carrel::new();
    let file = carrel.file("my lease.md", "# Lease\n\nNinety days.\n");
    let uri = format!("file://{}", file.replace(' ', "%20"));
    assert_eq!(carrel.json(&["add", &uri]).ended_with(0).json()["added"], 1);
    assert_eq!(carrel.json(&["documents"]).json()["documents"][0]["uri"], uri);
    let shown = carrel.run(&["documents"]).ended_with(0).stdout;
    assert!(shown.contains(&file), "people read a path: {shown}");
    carrel.json(&["show", &format!("file://{file}")]).ended_with(0);

    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    carrel.json(&["add", &format!("http://{closed}/page")]).ended_with(1);
    let job = carrel.json(&["jobs", "list"]).json()["jobs"][0].clone();
    assert_eq!(job["state"], "failed", "{job}");
    assert!(job["message"].as_str().unwrap().contains("could not be fetched"), "{job}");
}

#[test]
fn what_is_no_model_is_not_imported() {
    let carrel = Carrel::new();
    let notes = carrel.file("notes.txt", "no model");
    let run = carrel.json(&["models", "import", &notes]).ended_with(1);
    assert_eq!(run.code(), "model_failed");
    assert!(run.stderr.lines().count() <= 2 && run.stderr.contains("GGUF"), "{run:?}");
}

#[test]
fn hits_and_their_reasons() {
    let carrel = with_documents();
    let found = carrel.json(&["search", "notice period"]).ended_with(0).json();
    has(&found, &["query", "hits", "trace"]);
    has(&found["trace"], &["stages", "total_ms"]);
    has(&found["trace"]["stages"][0], &["name", "ms"]);
    let hit = &found["hits"][0];
    has(hit, &["rank", "score", "score_kind", "document", "passage", "ranks", "scores", "matched_terms"]);
    has(&hit["document"], &["id", "uri", "title", "library", "version", "media_type"]);
    has(&hit["passage"], &["id", "text", "heading_path", "start", "end", "location", "tokens"]);
    assert_eq!(hit["rank"], 1);
    assert_eq!(hit["ranks"]["lexical"], 1);
    assert!(hit["passage"]["text"].as_str().unwrap().contains("ninety"));
    assert!(hit.get("snippet").is_none(), "snippets are the window's");
    assert_eq!(
        name(&carrel.json(&["search", "ISO-27001"]).json()["hits"][0]["document"]["uri"]),
        "codes.txt"
    );
    carrel.json(&["search", "notice", "--filter", "type=text"]).ended_with(3);
    let text = carrel.run(&["search", "notice", "--explain"]).ended_with(0).stdout;
    assert!(text.contains("by words 1") && text.contains("ms"), "{text}");
}

#[test]
fn a_preset_says_how_much_is_done_and_the_trace_tells_it() {
    let carrel = with_documents();
    let stages = |args: &[&str]| -> Vec<String> {
        let found = carrel.json(&[&["search", "notice period"], args].concat()).ended_with(0).json();
        let stages = found["trace"]["stages"].as_array().unwrap();
        stages.iter().map(|stage| stage["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!stages(&[]).contains(&"hops".to_owned()));
    assert!(!stages(&["--preset", "fast"]).contains(&"hops".to_owned()));
    assert!(stages(&["--preset", "thorough"]).contains(&"hops".to_owned()), "without any language model");
    // What is asked for by name and cannot be done is said, and the search goes on.
    let said = carrel.run(&["search", "notice period", "--mqe", "2", "--hyde"]).ended_with(0);
    assert_eq!(said.stderr.matches("left out").count(), 2, "{said:?}");
    has(&carrel.json(&["status"]).ended_with(0).json()["caches"]["results"], &["found", "asked"]);
}

#[test]
fn the_terminal_shows_words_and_json_the_text_itself() {
    let carrel = Carrel::new();
    let text =
        "## Costs\n\n| Item | Cost |\n| --- | ---: |\n| **Deposit** | 2,360 |\n\n```sh\npay deposit\n```\n";
    let file = carrel.file("costs.md", text);
    carrel.json(&["add", &file]).ended_with(0);
    let shown = carrel.run(&["search", "deposit"]).ended_with(0).stdout;
    assert!(shown.contains("Item · Cost; Deposit · 2,360 pay deposit"), "{shown}");
    let found = carrel.json(&["search", "deposit"]).ended_with(0).json();
    let passage = found["hits"][0]["passage"]["text"].as_str().unwrap();
    assert!(passage.contains("| **Deposit** | 2,360 |"), "{passage}");
}

#[test]
fn the_name_of_a_sheet_cannot_steer_the_terminal() {
    let carrel = Carrel::new();
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |kind: &str, target: &str| {
        let relation = format!("<Relationship Id=\"r1\" Type=\"{office}/{kind}\" Target=\"{target}\"/>");
        format!("<Relationships>{relation}</Relationships>")
    };
    let sheet = "<sheet name=\"S&#x9b;31m&#x202e;\" sheetId=\"1\" r:id=\"r1\"/>";
    let parts = [
        ("[Content_Types].xml", "<Types/>".to_owned()),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", format!("<workbook xmlns:r=\"r\"><sheets>{sheet}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        (
            "xl/worksheets/sheet1.xml",
            "<worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>walrus</t></is></c></row>\
             </sheetData></worksheet>"
                .to_owned(),
        ),
    ];
    let mut book = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in &parts {
        book.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut book, text.as_bytes()).unwrap();
    }
    let file = carrel.file("book.xlsx", book.finish().unwrap().into_inner());
    carrel.json(&["add", &file]).ended_with(0);
    for args in [&["search", "walrus"][..], &["show", &file, "--passages"], &["ask", "Where is the walrus?"]]
    {
        let shown = carrel.run(args).stdout;
        assert!(shown.contains("sheet S�31m�"), "{args:?}: {shown}");
        assert!(!shown.contains(['\u{9b}', '\u{202e}']), "{args:?}: {shown}");
    }
    let found = carrel.json(&["search", "walrus"]).json();
    assert_eq!(found["hits"][0]["passage"]["location"]["sheet"], "S\u{9b}31m\u{202e}");
}

#[test]
fn a_question_without_a_model() {
    let carrel = with_documents();
    let run = carrel.json(&["ask", "How long is the notice period?"]).ended_with(1);
    let answer = run.json();
    has(&answer, &["answer", "grounded", "reason", "mode", "citations", "claims", "conflicts", "trace"]);
    assert_eq!((&answer["grounded"], &answer["reason"]), (&json!(false), &json!("no_model")));
    let stream = carrel.json(&["ask", "Who invented the zyzzyva engine?", "--stream"]);
    let last: Value = serde_json::from_str(stream.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "done");
    assert_eq!(last["grounded"], false);
}

#[test]
fn texts_get_versions() {
    let carrel = Carrel::new();
    let add = |text: &str| {
        carrel.with_stdin(&["--json", "add", "-", "--id", "note", "--title", "A note", "--tag", "t"], text)
    };
    assert_eq!(add("The first draft mentions walruses.").ended_with(0).json()["added"], 1);
    assert_eq!(add("The second draft mentions otters.").ended_with(0).json()["updated"], 1);
    assert_eq!(add("The second draft mentions otters.").ended_with(0).json()["unchanged"], 1);
    let hit = &carrel.json(&["search", "otters"]).ended_with(0).json()["hits"][0];
    assert_eq!((&hit["document"]["uri"], &hit["document"]["version"]), (&json!("text:note"), &json!(2)));
    assert_eq!(hit["document"]["title"], "A note");
    carrel.json(&["search", "walruses"]).ended_with(3);
    let versions = carrel.json(&["versions", "text:note"]).json();
    let active: Vec<&Value> = versions["versions"].as_array().unwrap().iter().map(|v| &v["active"]).collect();
    assert_eq!(active, [&json!(false), &json!(true)]);
}

#[test]
fn adding_what_is_not_there() {
    let carrel = Carrel::new();
    let run = carrel.json(&["add", "nowhere.md"]).ended_with(1);
    assert_eq!(run.json()["failed"][0]["code"], "not_found");
    let address = carrel.json(&["add", "ftp://example.org/a.md"]).ended_with(1).json();
    assert_eq!(address["failed"][0]["uri"], "ftp://example.org/a.md");
    let reason = address["failed"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("only files, folders and web pages"), "{reason}");
    let good = carrel.file("good.md", "words");
    carrel.json(&["add", &good, "nowhere.md"]).ended_with(0);
    carrel.json(&["add", &good, "nowhere.md", "--strict"]).ended_with(1);
}

#[test]
fn a_file_is_converted_without_any_library() {
    let carrel = Carrel::new();
    let file = carrel.file("table.csv", "name,price\npear,3\n");
    let converted = carrel.json(&["convert", &file]).ended_with(0).json();
    has(&converted, &["markdown", "media_type", "title", "complete", "warnings", "locations"]);
    assert!(converted["markdown"].as_str().unwrap().contains("pear"));
    assert!(!carrel.data().exists(), "no data folder is made");
    assert_eq!(carrel.json(&["convert", "nowhere.pdf"]).ended_with(1).code(), "unreadable");
}

#[test]
fn a_device_that_cannot_be_had_is_the_processor_and_said() {
    let carrel = Carrel::new();
    let of = |place: &[&str]| carrel.json(&[&["models", "device"], place].concat()).ended_with(0).json();
    assert_eq!((&of(&[])["device"], &of(&[])["device_note"]), (&json!("cpu"), &Value::Null));
    // No machine has that many cards.
    let chosen = of(&["cuda:99"]);
    assert_eq!(chosen["device"], "cpu");
    assert!(chosen["device_note"].as_str().unwrap().contains("processor"), "{chosen}");
    assert_eq!(of(&[])["device_note"], chosen["device_note"], "it is kept");
    carrel.json(&["doctor"]).ended_with(0);
    assert_eq!(of(&["auto"])["device_note"], Value::Null);
    carrel.json(&["models", "device", "toaster"]).ended_with(2);
}

#[test]
fn the_rest_of_the_lists() {
    let carrel = Carrel::new();
    let file = carrel.file("a.md", "words");
    carrel.json(&["add", &file]).ended_with(0);
    let jobs = carrel.json(&["jobs", "list"]).ended_with(0).json();
    assert_eq!((&jobs["jobs"][0]["kind"], &jobs["jobs"][0]["state"]), (&json!("add"), &json!("done")));
    assert_eq!(carrel.json(&["chats", "list"]).ended_with(0).json()["chats"], json!([]));
    let models = carrel.json(&["models", "list"]).ended_with(0).json();
    has(&models["models"][0], &["id", "role", "state", "bytes", "memory", "licence", "languages"]);
    assert!(models["models"].as_array().unwrap().iter().all(|m| m["state"] == "absent"), "{models}");
    assert_eq!(carrel.json(&["models", "get", "no-such-model"]).ended_with(1).code(), "model_unknown");
    let added = carrel
        .json(&["models", "endpoint", "add", "http://localhost:9/v1", "--role", "language_model"])
        .ended_with(0)
        .json();
    assert_eq!(carrel.json(&["models", "endpoint", "list"]).json()["endpoints"][0]["id"], added["id"]);
    carrel.json(&["models", "endpoint", "remove", added["id"].as_str().unwrap()]).ended_with(0);
    for role in ["embedder", "reranker"] {
        let add = ["models", "endpoint", "add", "http://localhost:9/v1", "--role", role, "--window", "256"];
        let added = carrel.json(&add).ended_with(0).json();
        assert_eq!((&added["role"], &added["window"]), (&role.into(), &256.into()));
        carrel.json(&["models", "endpoint", "remove", added["id"].as_str().unwrap()]).ended_with(0);
    }
    carrel.json(&["models", "endpoint", "add", "http://localhost:9/v1", "--role", "painter"]).ended_with(2);
    let doctor = carrel.json(&["doctor"]).ended_with(0).json();
    assert_eq!(doctor["healthy"], true, "{doctor}");
    has(&doctor["checks"][0], &["name", "ok", "message", "mended"]);
    let none = doctor["checks"].as_array().unwrap().iter().filter(|c| c["absent"] == true).count();
    assert_eq!(
        none, 4,
        "no embedder, no language model, nothing that reads images or hears recordings: {doctor}"
    );
    let words = carrel.run(&["doctor"]).ended_with(0).stdout;
    let embedder = words.lines().find(|line| line.contains("embedder")).unwrap();
    assert!(embedder.starts_with("none"), "{embedder}");
    assert!(doctor["checks"].as_array().unwrap().iter().any(|c| c["name"] == "converter"));
}
