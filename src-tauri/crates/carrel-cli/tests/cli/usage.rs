//! Exit statuses, problems and wrong usage, as scripts rely on them.

use crate::support::Carrel;

#[test]
fn wrong_usage_ends_with_2() {
    let carrel = Carrel::new();
    for args in [
        &["search"][..],
        &["frobnicate"],
        &["search", "x", "--no-such-option"],
        &["search", "x", "--legs", "smell"],
        &["search", "x", "--filter", "colour=red"],
        &["search", "x", "-n", "0"],
        &["search", "x", "--rerank", "a,b,c"],
        &["search", "x", "--rerank-depth", "101"],
        &["search", "x", "--preset", "quick"],
        &["search", "x", "--mqe", "9"],
        &["search", "x", "--hyde=maybe"],
        &["search", ""],
        &["documents", "--state", "happy"],
        &["library", "remove", "default"],
        &["library", "remove", "default", "--yes"],
        &["search", "x", "--library", "nowhere"],
        &["library", "settings", "default", "colour=red"],
        &["add", "x", "--id", "name"],
        &["ask", "x", "--stream"],
    ] {
        let run = carrel.run(args).ended_with(2);
        assert!(run.stdout.is_empty(), "{run:?}");
        assert!(run.stderr.contains("error"), "{run:?}");
    }
}

#[test]
fn problems_are_json_on_stdout_and_words_on_stderr() {
    let carrel = Carrel::new();
    let run = carrel.json(&["search", "x", "--legs", "smell"]).ended_with(2);
    assert_eq!(run.code(), "bad_request");
    assert!(run.stderr.contains("smell"), "{run:?}");
    // What the parser refuses as well.
    let run = carrel.json(&["search"]).ended_with(2);
    assert_eq!(run.code(), "bad_request");
    assert!(run.json()["problem"]["message"].as_str().unwrap().contains("<QUERY>"), "{run:?}");
    assert!(run.stderr.contains("Usage: carrel search <QUERY>"), "{run:?}");
}

#[test]
fn what_is_not_built_yet_is_refused_and_never_ignored() {
    let carrel = Carrel::new();
    for args in [
        &["graph", "entities"][..],
        &["serve", "--port", "1"],
        &["mcp"],
        &["export", "default", "file"],
        &["diff", "doc", "1", "2"],
    ] {
        let run = carrel.json(args).ended_with(2);
        assert_eq!(run.code(), "not_available", "{args:?}");
        let run = carrel.run(&[args, &["--json"]].concat()).ended_with(2);
        assert_eq!(run.code(), "not_available", "{args:?} with --json at the end");
    }
}

#[test]
fn a_reranker_that_is_not_there_is_named() {
    let carrel = Carrel::new();
    let run = carrel.json(&["search", "x", "--rerank", "no-such-model"]).ended_with(1);
    assert_eq!(run.code(), "model_unknown");
    carrel.run(&["search", "x", "--rerank", "none"]).ended_with(3);
}

#[test]
fn help_and_version_are_results() {
    let carrel = Carrel::new();
    assert!(carrel.run(&["--version"]).ended_with(0).stdout.starts_with("carrel "));
    let help = carrel.run(&["--help"]).ended_with(0).stdout;
    for word in ["EXAMPLES", "EXIT STATUS", "search", "CARREL_MODELS"] {
        assert!(help.contains(word), "{help}");
    }
    assert!(!help.contains("rollback"), "what is not built yet is not offered");
    assert!(carrel.run(&["ask", "--help"]).ended_with(0).stdout.contains("EXAMPLES"));
}

#[test]
fn nothing_found_is_3() {
    let carrel = Carrel::new();
    let said = carrel.run(&["search", "zyzzyva"]).ended_with(3);
    assert!(said.stderr.contains("nothing in the library yet"), "{said:?}");
    assert_eq!(carrel.json(&["search", "zyzzyva"]).ended_with(3).json()["hits"], serde_json::json!([]));
    assert_eq!(carrel.json(&["show", "/nowhere/at/all.md"]).ended_with(3).code(), "not_found");
    assert_eq!(carrel.json(&["show", "nowhere.md"]).ended_with(3).code(), "not_found");
    assert_eq!(carrel.json(&["chats", "show", "nonsense"]).ended_with(3).code(), "not_found");
}

#[test]
fn two_dashes_end_the_options() {
    let carrel = Carrel::new();
    assert_eq!(carrel.json(&["search", "--", "--hyde"]).ended_with(3).json()["query"], "--hyde");
}

#[test]
fn no_colour_in_a_pipe() {
    let carrel = Carrel::new();
    let file = carrel.file("a.md", "# Lease\n\nThe notice period is ninety days.\n");
    carrel.run(&["add", &file]).ended_with(0);
    for args in
        [&["status"][..], &["documents"], &["search", "notice"], &["library", "list"], &["models", "list"]]
    {
        let run = carrel.run(args).ended_with(0);
        assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run:?}");
        assert!(!run.stdout.is_empty());
    }
}
