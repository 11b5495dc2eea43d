//! Ledgers of every schema that was ever released open, with everything in them.

use crate::support::{add_texts, assert_healthy, by_words, documents, found, put_text};
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::DocumentState;
use carrel_engine::library::Library;
use carrel_engine::retrieve::Leg;
use carrel_testkit::Fakes;
use std::path::{Path, PathBuf};

fn fixture(schema: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/ledger-{schema}.db"))
}

#[test]
fn a_ledger_of_schema_1_opens() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixture(1), folder.path().join("ledger.db")).unwrap();
    let fakes = Fakes::default();
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    library.wait_idle(&Cancel::new()).unwrap();
    let documents = documents(&library);
    assert_eq!(documents.len(), 6);
    assert!(documents.iter().all(|d| d.state == DocumentState::Ready));
    let changed = documents.iter().find(|d| d.uri.ends_with("changed")).unwrap();
    assert_eq!(library.versions(changed.id).unwrap().len(), 2);
    assert!(library.version_text(changed.id, Some(1)).unwrap().markdown.contains("heron"));
    assert_eq!(by_words(&library, &fakes, 2), ["Note 2"]);
    assert_eq!(
        found(&library, &fakes, "the kingfisher dives under the bridge", &[Leg::Dense])[0],
        changed.title
    );
    assert_eq!(fakes.embedder.passages_embedded(), 0, "its vectors are used");
    assert_healthy(&library);
}

/// Writes the fixture of the present schema: run it once when a schema is released, never for one that was.
#[test]
#[ignore = "writes a fixture where CARREL_WRITE_FIXTURES is set; run by hand when a schema is released"]
fn write_the_fixture_of_schema_1() {
    if std::env::var_os("CARREL_WRITE_FIXTURES").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 5);
    put_text(&library, "changed", "# Birds\n\nthe heron stands in the reeds\n");
    put_text(&library, "changed", "# Birds\n\nthe kingfisher dives under the bridge\n");
    drop(library);
    std::fs::copy(folder.path().join("ledger.db"), fixture(1)).unwrap();
}
