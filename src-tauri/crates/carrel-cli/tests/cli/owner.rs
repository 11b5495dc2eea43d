//! Several programs on one data folder: one owns it, the others are served by it, and nobody waits for the dead.

use crate::support::{Carrel, name};
use serde_json::json;

#[test]
fn a_second_program_is_served_by_the_first() {
    let carrel = Carrel::new();
    let watcher = carrel.stay(&["--json", "watch"]);
    watcher.line(|l| l["event"] == "watching");
    let file = carrel.file("a.md", "The heron stands in the reeds.");
    assert_eq!(carrel.json(&["add", &file]).ended_with(0).json()["added"], 1);
    watcher.line(|l| l["event"] == "document" && name(&l["uri"]) == "a.md");
    assert_eq!(carrel.json(&["search", "heron"]).ended_with(0).json()["hits"].as_array().unwrap().len(), 1);
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(carrel.data().join("owner")).unwrap());
    assert_eq!(mode & 0o077, 0, "others may not enter");
    assert_eq!(watcher.terminate(), 130);
    assert!(!carrel.data().join("owner/socket").exists());
}

#[test]
fn a_killed_owner_leaves_nothing_to_wait_for() {
    let carrel = Carrel::new();
    let watcher = carrel.stay(&["--json", "watch"]);
    watcher.line(|l| l["event"] == "watching");
    let file = carrel.file("a.md", "The heron stands in the reeds.");
    carrel.json(&["add", &file]).ended_with(0);
    watcher.kill();
    assert!(carrel.data().join("owner/socket").exists(), "the dead leave their socket");
    let found = carrel.json(&["search", "heron"]).ended_with(0).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn a_client_takes_the_place_of_an_owner_that_ends() {
    let carrel = Carrel::new();
    let owner = carrel.stay(&["--json", "watch"]);
    owner.line(|l| l["event"] == "watching");
    let client = carrel.stay(&["--json", "watch"]);
    client.line(|l| l["event"] == "watching");
    assert_eq!(owner.terminate(), 130);
    client.line(|l| l["event"] == "watching");
    let file = carrel.file("b.md", "The bittern booms.");
    carrel.json(&["add", &file]).ended_with(0);
    client.line(|l| l["event"] == "document" && name(&l["uri"]) == "b.md");
}

#[test]
fn many_at_once_all_succeed() {
    let carrel = Carrel::new();
    std::thread::scope(|scope| {
        for n in 0..6 {
            let carrel = &carrel;
            scope.spawn(move || {
                let id = format!("note-{n}");
                let run = carrel
                    .with_stdin(&["--json", "add", "-", "--id", &id], &format!("kingfisher number {n}"));
                assert_eq!(run.ended_with(0).json()["failed"], json!([]));
            });
        }
    });
    let found = carrel.json(&["search", "kingfisher"]).ended_with(0).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 6);
}

#[test]
fn a_data_folder_with_a_long_path_has_a_socket_too() {
    let carrel = Carrel::new();
    let deep = carrel.files().join("a-rather-long-name-of-a-folder".repeat(6)).join("data");
    let deep = deep.to_str().unwrap();
    let watcher = carrel.stay(&["--json", "--data", deep, "watch"]);
    watcher.line(|l| l["event"] == "watching");
    let file = carrel.file("a.md", "words");
    assert_eq!(carrel.json(&["--data", deep, "add", &file]).ended_with(0).json()["added"], 1);
    watcher.line(|l| l["event"] == "document");
}

/// An owner that hangs is named, with its process, instead of being waited for without a word.
#[test]
fn nobody_waits_silently_for_a_hanging_owner() {
    let carrel = Carrel::new();
    let watcher = carrel.stay(&["--json", "watch"]);
    watcher.line(|l| l["event"] == "watching");
    let id = watcher.child.id().to_string();
    let signal = |name: &str| std::process::Command::new("kill").args([name, &id]).status().unwrap();
    assert!(signal("-STOP").success());
    let run = carrel.json(&["library", "list"]);
    assert!(signal("-CONT").success());
    assert_eq!(run.code(), "owner_not_answering");
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("waiting for the Carrel that owns") && run.stderr.contains(&id), "{run:?}");
}
