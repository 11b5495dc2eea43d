//! Disks that are full or may not be written, and damaged ledgers: what can still be done is done, and the rest is said.

use crate::support::{Carrel, Run, run};
use std::path::PathBuf;
use std::process::Command;

/// The ledger of the library that holds `text`.
fn ledger_with(carrel: &Carrel, text: &str) -> PathBuf {
    let found = std::fs::read_dir(carrel.data().join("libraries")).unwrap().flatten().find(|entry| {
        let file = std::fs::read(entry.path().join("ledger.db")).unwrap_or_default();
        file.windows(text.len()).any(|bytes| bytes == text.as_bytes())
    });
    found.unwrap().path().join("ledger.db")
}

#[test]
fn a_damaged_ledger_is_said_with_one_code_breaks_no_other_library_and_is_mended() {
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [(&str, Damage); 3] = [
        ("its head overwritten", |bytes| [&[0xA7; 8192], &bytes[8192..]].concat()),
        ("empty", |_| Vec::new()),
        ("no database", |_| b"a text in its place ".repeat(1_000)),
    ];
    for (name, damage) in damages {
        let carrel = Carrel::new();
        carrel.run(&["library", "create", "other"]).ended_with(0);
        let sick = carrel.file("sick/harbour.md", "# Harbour\n\nThe lantern burns.\n");
        let well = carrel.file("well/orchard.md", "# Orchard\n\nThe apples are ripe.\n");
        carrel.run(&["add", &sick]).ended_with(0);
        carrel.run(&["add", &well, "--library", "other"]).ended_with(0);
        let ledger = ledger_with(&carrel, "harbour.md");
        std::fs::write(&ledger, damage(&std::fs::read(&ledger).unwrap())).unwrap();

        for command in [&["status"][..], &["documents"], &["search", "lantern"], &["show", &sick]] {
            let refused = carrel.json(command).ended_with(1);
            assert_eq!(refused.code(), "ledger_failed", "{name}: {refused:?}");
            let problem = &refused.json()["problem"];
            assert!(
                problem["message"].as_str().unwrap().contains("ledger.db is damaged"),
                "{name}: {problem}"
            );
            assert!(problem["hint"].as_str().unwrap().contains("doctor --repair"), "{name}: {problem}");
        }
        let list = carrel.json(&["library", "list"]).ended_with(0).json();
        assert_eq!(list["libraries"][0]["problem"]["code"], "ledger_failed", "{name}: {list}");
        assert_eq!(list["libraries"][1]["documents"], 1, "{name}: {list}");
        let shown = carrel.run(&["library", "list"]).ended_with(0).stdout;
        assert!(shown.contains("default") && shown.contains("cannot be opened"), "{name}: {shown}");
        carrel.run(&["search", "apples", "--library", "*"]).ended_with(0);
        carrel.run(&["show", &well]).ended_with(0);

        carrel.run(&["doctor"]).ended_with(1);
        let mended = carrel.run(&["doctor", "--repair"]).ended_with(0).stdout;
        assert!(mended.contains("it was damaged; kept: "), "{name}: {mended}");
        if !mended.contains("harbour") && mended.contains("lost: everything") {
            carrel.run(&["add", &sick]).ended_with(0);
        }
        carrel.run(&["search", "lantern"]).ended_with(0);
        carrel.run(&["doctor"]).ended_with(0);
    }
}

/// Runs a script in which `$DATA` is a small disk of its own, mounted in a namespace that goes with it; `None` where this
/// system does not let people have one.
#[cfg(target_os = "linux")]
fn on_a_small_disk(carrel: &Carrel, script: &str) -> Option<Run> {
    let in_namespace = |script: &str| {
        let mut command = Command::new("unshare");
        let like = carrel.command(&[]);
        command.args(["--map-root-user", "--mount", "sh", "-c", script]);
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("DATA", carrel.data()).env("CARREL", like.get_program());
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command
    };
    let mount = "mkdir -p \"$DATA\" && mount -t tmpfs -o size=6m tmpfs \"$DATA\"";
    if !in_namespace(mount).output().is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: this system mounts no disk of one's own");
        return None;
    }
    Some(run(in_namespace(&format!("{mount} && {script}")), None))
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_can_be_read_and_what_needs_room_says_so() {
    let carrel = Carrel::new();
    let note = carrel.file("harbour.md", "# Harbour\n\nThe lantern burns.\n");
    let more = carrel.file("orchard.md", "# Orchard\n\nThe apples are ripe.\n");
    let script = format!(
        "$CARREL add {note} >/dev/null && {{ dd if=/dev/zero of=\"$DATA/fill\" bs=1k 2>/dev/null; \
         $CARREL search lantern && $CARREL status && $CARREL documents && $CARREL show {note} && $CARREL library list \
         || exit 9; $CARREL doctor; test $? = 1 || exit 8; $CARREL --json add {more}; test $? = 1 || exit 7; }}"
    );
    let Some(ran) = on_a_small_disk(&carrel, &script) else { return };
    let ran = ran.ended_with(0);
    assert!(ran.stdout.contains("disk") && ran.stdout.contains("0 MB are free"), "{ran:?}");
    assert!(ran.stdout.contains("\"disk_full\""), "{ran:?}");
    let said =
        ran.stderr.contains(&carrel.data().display().to_string()) && ran.stderr.contains("free some space");
    assert!(said, "{ran:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_folder_that_may_not_be_written_is_named_with_what_to_do() {
    let carrel = Carrel::new();
    let note = carrel.file("harbour.md", "# Harbour\n\nThe lantern burns.\n");
    let script = format!(
        "$CARREL add {note} >/dev/null && mount -o remount,ro \"$DATA\" && $CARREL --json search lantern; test $? = 1"
    );
    let Some(ran) = on_a_small_disk(&carrel, &script) else { return };
    let ran = ran.ended_with(0);
    assert_eq!(ran.code(), "file_access");
    let problem = &ran.json()["problem"];
    let path = carrel.data().display().to_string();
    assert!(problem["message"].as_str().unwrap().contains(&path), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("--data"), "{problem}");
}
