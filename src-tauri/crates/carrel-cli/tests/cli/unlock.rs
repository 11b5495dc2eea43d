//! Encrypted documents and their passwords.

use crate::support::Carrel;
use std::path::Path;

const LOCKED: &str = "testWORD_protected_passtika.docx";
const PASSWORD: &str = "tika";

/// A library with one encrypted document.
fn carrel() -> Carrel {
    let carrel = Carrel::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/documents");
    let path = carrel.file(LOCKED, std::fs::read(folder.join(LOCKED)).unwrap());
    carrel.run(&["add", &path]).ended_with(1);
    carrel
}

fn state(carrel: &Carrel) -> String {
    let list = carrel.json(&["documents"]).ended_with(0).json();
    list["documents"][0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_password_that_does_not_open_it_locks_nobody_out() {
    let carrel = carrel();
    assert_eq!(state(&carrel), "needs_password");
    let endless = "x".repeat(1_000_000);
    for (wrong, status) in [("wrong", 1), (endless.as_str(), 2), ("", 2)] {
        carrel.with_stdin(&["unlock", LOCKED, "--password-stdin"], wrong).ended_with(status);
        assert_eq!(state(&carrel), "needs_password", "{} bytes", wrong.len());
    }
    carrel.with_stdin(&["unlock", LOCKED, "--password-stdin"], PASSWORD).ended_with(0);
    assert!(matches!(state(&carrel).as_str(), "ready" | "words"));
}

#[test]
fn what_is_not_locked_needs_no_password() {
    let carrel = Carrel::new();
    carrel.run(&["add", &carrel.file("plain.md", "No secret.")]).ended_with(0);
    let run = carrel.with_stdin(&["unlock", "plain.md", "--password-stdin"], PASSWORD).ended_with(2);
    assert!(run.stderr.contains("needs no password"), "{run:?}");
    let run = carrel.run(&["unlock", "plain.md"]).ended_with(2);
    assert!(run.stderr.contains("plain.md needs no password"), "{run:?}");
    let run = carrel.run(&["unlock", "nowhere.md"]).ended_with(3);
    assert!(run.stderr.contains("nowhere.md") && !run.stderr.contains("password"), "{run:?}");
}

#[test]
fn a_file_that_cannot_be_converted_is_named() {
    let carrel = Carrel::new();
    let path = carrel.file("letter.wpd", b"\xffWPC\x10\x00\x00\x00\x01\x0a".as_slice());
    let run = carrel.run(&["convert", &path]).ended_with(1);
    assert!(run.stderr.contains("letter.wpd: WordPerfect files cannot be read yet"), "{run:?}");
}
