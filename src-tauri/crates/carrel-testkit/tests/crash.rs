//! Kills the process during a real ingest at each fault point and reopens: nothing acknowledged is lost, nothing stale or
//! double is found, what was embedded is not embedded again, and the indexes hold exactly what a rebuild gives.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Document, DocumentState};
use carrel_engine::fault::POINTS;
use carrel_engine::library::{DocumentQuery, Library};
use carrel_testkit::{Fakes, render_store};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const DOCUMENTS: usize = 12;

fn write_documents(folder: &Path) {
    for n in 0..DOCUMENTS {
        let text = format!(
            "# Document {n}\n\nthe first wording of document {n} speaks of iron and copper\n\n## More\n\n{}\n",
            format!("granite number{n} ").repeat(60)
        );
        std::fs::write(folder.join(format!("doc-{n}.md")), text).unwrap();
    }
}

/// What the child said before it ended, and whether it ended by itself.
fn run_child(library: &Path, documents: &Path, fault: &str) -> (Vec<String>, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_crash_child"))
        .args([library, documents])
        .env("CARREL_FAULT", fault)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    (said, output.status.success())
}

fn all(library: &Library) -> Vec<Document> {
    let query =
        DocumentQuery { states: DocumentState::ALL.to_vec(), limit: 1_000, ..DocumentQuery::default() };
    library.documents(&query).unwrap().0
}

/// The active text of each document by file name.
fn texts(library: &Library) -> BTreeMap<String, String> {
    let present =
        all(library).into_iter().filter(|d| d.version.is_some() && d.state != DocumentState::Missing);
    present
        .map(|document| {
            let name = document.uri.rsplit('/').next().unwrap_or_default().to_owned();
            (name, library.version_text(document.id, None).unwrap().markdown.to_string())
        })
        .collect()
}

fn on_disk(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// Hashes of the texts whose vectors are in the ledger.
fn embedded(library: &Path) -> BTreeSet<Vec<u8>> {
    let Ok(conn) = rusqlite::Connection::open(library.join("ledger.db")) else { return BTreeSet::new() };
    let Ok(mut statement) = conn.prepare("SELECT hash FROM vector") else { return BTreeSet::new() };
    let hashes = statement.query_map([], |row| row.get(0)).unwrap();
    hashes.collect::<Result<_, _>>().unwrap()
}

fn killed_at(point: &str, times: u32) {
    let home = tempfile::tempdir().unwrap();
    let (folder, documents) = (home.path().join("library"), home.path().join("documents"));
    std::fs::create_dir(&documents).unwrap();
    write_documents(&documents);
    let before = on_disk(&documents);

    let (said, ended) = run_child(&folder, &documents, &format!("{point}:{times}"));
    assert!(times > 1 || !ended, "the point {point} is never met (said: {said:?})");
    let present = embedded(&folder);

    let fakes = Fakes::default();
    let library = if folder.join("ledger.db").is_file() {
        Library::open(&folder, fakes.parts()).unwrap()
    } else {
        Library::create(&folder, fakes.parts()).unwrap()
    };
    if said.iter().any(|word| word == "synced") {
        assert_eq!(texts(&library), on_disk(&documents), "what was acknowledged is there");
    } else if said.iter().any(|word| word == "added") {
        let texts = texts(&library);
        for (name, text) in &before {
            // The child may have been killed in the middle of taking in what changed.
            let now = std::fs::read_to_string(documents.join(name)).ok();
            let known = texts.get(name);
            let moved = name == "doc-5.md" || name == "doc-6.md";
            assert!(moved || known == Some(text) || known == now.as_ref(), "{name}: {known:?}");
        }
    } else {
        let add = carrel_engine::library::AddItem::Path { path: documents.clone(), watch: false };
        library.add(&[add], &carrel_engine::library::AddOptions::default(), true, &Cancel::new()).unwrap();
    }
    library.sync(&Cancel::new()).unwrap();
    library.wait_idle(&Cancel::new()).unwrap();

    assert_eq!(texts(&library), on_disk(&documents));
    for document in all(&library) {
        assert!(
            matches!(document.state, DocumentState::Ready | DocumentState::Missing),
            "{} is {:?}: {:?}",
            document.uri,
            document.state,
            document.reason
        );
    }
    for check in library.doctor(false).unwrap() {
        assert!(check.ok, "{}: {}", check.name, check.message);
    }
    let again: Vec<_> =
        fakes.embedder.texts().into_iter().filter(|text| present.contains(&hash(text))).collect();
    assert!(again.is_empty(), "embedded twice: {again:?}");
    assert!(fakes.embedder.embedded_again().is_empty());

    let kept = render_store(&library).unwrap();
    assert!(!kept.contains("STALE"), "{kept}");
    library.rebuild_indexes().unwrap();
    assert_eq!(render_store(&library).unwrap(), kept, "the indexes hold what a rebuild gives");
}

fn hash(text: &str) -> Vec<u8> {
    blake3::hash(text.as_bytes()).as_bytes()[..16].to_vec()
}

macro_rules! kills {
    ($($name:ident: $point:literal,)*) => {
        $(
            #[test]
            fn $name() {
                for times in [1, 2, 4, 9] {
                    killed_at($point, times);
                }
            }
        )*

        #[test]
        fn every_fault_point_is_visited() {
            assert_eq!(POINTS, [$($point),*]);
        }
    };
}

kills! {
    after_scan: "ingest.after_scan",
    after_convert: "ingest.after_convert",
    before_commit: "writer.before_commit",
    after_commit: "writer.after_commit",
    after_version_written: "writer.after_version_written",
    after_vectors_written: "writer.after_vectors_written",
    after_activate: "writer.after_activate",
    before_lexical_commit: "lexical.before_commit",
    after_lexical_commit: "lexical.after_commit",
    before_dense_save: "dense.before_save",
    after_dense_temporary: "dense.after_temporary_written",
    after_dense_rename: "dense.after_rename",
}

#[test]
fn without_a_fault_the_child_says_everything() {
    let home = tempfile::tempdir().unwrap();
    let documents = home.path().join("documents");
    std::fs::create_dir(&documents).unwrap();
    write_documents(&documents);
    let (said, ended) = run_child(&home.path().join("library"), &documents, "none");
    assert!(ended);
    assert_eq!(said, ["added", "synced", "closed"]);
}
