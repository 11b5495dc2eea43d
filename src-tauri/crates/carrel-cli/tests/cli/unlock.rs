//! Encrypted documents and their passwords.

use crate::support::Carrel;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use std::fmt::Write as _;
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

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/documents");
    std::fs::read(folder.join(name)).unwrap()
}

/// A mail with these files.
fn mail(names: &[&str]) -> String {
    let mut mail = "From: a@example.org\r\nSubject: The minutes\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nAttached are the minutes.\r\n"
        .to_owned();
    for name in names {
        let head = "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment";
        let file = BASE64.encode(fixture(name));
        let _ = write!(mail, "--b\r\n{head}; filename={name}\r\n\r\n{file}\r\n");
    }
    mail + "--b--\r\n"
}

#[test]
fn a_password_closes_nothing_that_another_opened() {
    let carrel = Carrel::new();
    carrel
        .run(&["add", &carrel.file("minutes.eml", mail(&[LOCKED, "zh_encrypted_userpw.pdf"]))])
        .ended_with(0);
    let unlock = |passwords: &str, status| {
        carrel.with_stdin(&["unlock", "minutes.eml", "--password-stdin"], passwords).ended_with(status)
    };
    let show = || carrel.run(&["show", "minutes.eml"]).ended_with(0).stdout;
    let run = unlock(PASSWORD, 0);
    assert!(format!("{run:?}").contains("zh_encrypted_userpw.pdf was not read"), "{run:?}");
    for other in ["wrong", "geheim"] {
        unlock(other, 1);
        assert!(show().contains("encrypted Word"), "{other}");
    }
    unlock(&format!("{PASSWORD}\ngeheim\n"), 0);
    assert!(show().contains("encrypted Word"));
    assert_eq!(
        carrel.json(&["documents"]).ended_with(0).json()["documents"][0]["code"],
        serde_json::Value::Null
    );
}

#[test]
fn an_endless_password_is_not_waited_for() {
    let carrel = carrel();
    let endless = "y\n".repeat(1 << 20);
    carrel.with_stdin(&["unlock", LOCKED, "--password-stdin"], &endless).ended_with(2);
}

#[test]
fn the_locked_attachment_of_a_mail_is_read_with_its_password() {
    let carrel = Carrel::new();
    let mail = mail(&[LOCKED]);
    carrel.run(&["add", &carrel.file("minutes.eml", mail)]).ended_with(0);
    let show = || carrel.run(&["show", "minutes.eml"]).ended_with(0).stdout;
    assert!(!show().contains("encrypted Word"));
    let run = carrel.with_stdin(&["unlock", "minutes.eml", "--password-stdin"], "wrong").ended_with(1);
    assert!(run.stderr.contains("the password does not open"), "{run:?}");
    carrel.with_stdin(&["unlock", "minutes.eml", "--password-stdin"], PASSWORD).ended_with(0);
    assert!(show().contains("encrypted Word"), "{}", show());
    assert!(matches!(state(&carrel).as_str(), "ready" | "words"));
    let run = carrel.with_stdin(&["unlock", "minutes.eml", "--password-stdin"], PASSWORD).ended_with(2);
    assert!(run.stderr.contains("needs no password"), "{run:?}");
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
