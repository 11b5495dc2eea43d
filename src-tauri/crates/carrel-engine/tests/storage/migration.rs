//! Ledgers and data folders of every schema that was ever released open, with everything in them.

use crate::support::{add_texts, assert_healthy, by_words, documents, found, put_text};
use carrel_engine::cancel::Cancel;
use carrel_engine::data_folder::DataFolder;
use carrel_engine::domain::DocumentState;
use carrel_engine::library::Library;
use carrel_engine::retrieve::Leg;
use carrel_testkit::Fakes;
use std::path::{Path, PathBuf};

fn fixture(schema: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/ledger-{schema}.db"))
}

/// The schema that this program writes.
const NOW: u32 = 2;

#[test]
fn ledgers_of_every_schema_open() {
    for schema in 1..=NOW {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(fixture(schema), folder.path().join("ledger.db")).unwrap();
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
        drop(library);
        assert_eq!(shape(&folder.path().join("ledger.db")), new_shape(), "schema {schema}");
    }
}

#[test]
fn data_folders_of_every_schema_open_with_their_chats() {
    let folder = tempfile::tempdir().unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/carrel-1.db");
    std::fs::copy(old, folder.path().join("carrel.db")).unwrap();
    let data = DataFolder::open(folder.path(), Fakes::default().parts()).unwrap();
    let titles: Vec<_> = data.chats().unwrap().into_iter().map(|c| (c.title, c.turns, c.pinned)).collect();
    assert_eq!(
        titles,
        [
            ("Who painted the ceiling of the chapel?".to_owned(), 1, false),
            ("When is the rent due?".to_owned(), 2, false)
        ]
    );
    let found = data.find_chats("third day").unwrap();
    assert_eq!(found.len(), 1, "what was answered then is found");
    let (chat, turns) = data.branch(found[0].chat.id, None).unwrap();
    assert_eq!((chat.leaf, chat.scope.as_str()), (Some(2), "{}"));
    let chain: Vec<_> = turns.iter().map(|turn| (turn.number, turn.parent)).collect();
    assert_eq!(chain, [(1, None), (2, Some(1))]);
    assert!(turns[0].answer.contains("\"quote\":\"The rent is due on the third day of each month.\""));
    assert!(turns.iter().all(|turn| turn.rating.is_none() && turn.siblings.len() == 1));
    drop(data);

    let new = tempfile::tempdir().unwrap();
    drop(DataFolder::open(new.path(), Fakes::default().parts()).unwrap());
    assert_eq!(shape(&folder.path().join("carrel.db")), shape(&new.path().join("carrel.db")));
}

/// Tables with their columns, and indexes, as SQLite knows them.
fn shape(path: &Path) -> Vec<String> {
    let conn = rusqlite::Connection::open(path).unwrap();
    let mut shape: Vec<String> = conn
        .prepare(
            "SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' || coalesce(c.dflt_value, '') \
             FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' \
             UNION ALL SELECT coalesce(sql, name) FROM sqlite_schema WHERE type = 'index'",
        )
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    shape.sort();
    shape
}

fn new_shape() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    drop(Library::create(folder.path(), Fakes::default().parts()).unwrap());
    shape(&folder.path().join("ledger.db"))
}

/// Writes the fixture of the present schema: run it once when a schema is released, never for one that was.
#[test]
#[ignore = "writes a fixture where CARREL_WRITE_FIXTURES is set; run by hand when a schema is released"]
fn write_the_fixture_of_the_present_schema() {
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
    std::fs::copy(folder.path().join("ledger.db"), fixture(NOW)).unwrap();
}
