//! C28 and its kind: damaged, missing and foreign index files.

use crate::support::{add_texts, assert_healthy, by_words, closed_library, nearest};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{IndexState, Library};
use carrel_engine::retrieve::Leg;
use carrel_testkit::{Fakes, render_store};
use std::path::{Path, PathBuf};

/// Enough that a rebuild is seen.
const TEXTS: usize = 600;

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Opens a library after `damage`: it says so, answers at once by what it has, mends itself without a model, and then holds
/// exactly what it held.
fn mended_after(damage: impl Fn(&Path), leg: Leg) {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    closed_library(folder.path(), &fakes, TEXTS);
    let before = {
        let library = Library::open(folder.path(), fakes.parts()).unwrap();
        render_store(&library).unwrap()
    };
    fakes.embedder.reset();

    // With so few texts it may be mended before anybody looks: then it is damaged again.
    let library = (0..20).find_map(|_| {
        damage(folder.path());
        let library = Library::open(folder.path(), fakes.parts()).unwrap();
        let status = library.status().unwrap();
        let state = if leg == Leg::Lexical { status.lexical } else { status.dense };
        (state != IndexState::Current).then_some(library)
    });
    assert!(library.is_some(), "it is said");
    let library = library.unwrap();
    let by = |leg: Leg| match leg {
        Leg::Lexical => by_words(&library, &fakes, 17).remove(0),
        Leg::Dense => nearest(&library, &fakes, 17),
    };
    let other = if leg == Leg::Lexical { Leg::Dense } else { Leg::Lexical };
    assert_eq!(by(other), "Note 17", "the other leg answers");
    library.wait_idle(&Cancel::new()).unwrap();
    let status = library.status().unwrap();
    assert_eq!((status.lexical, status.dense), (IndexState::Current, IndexState::Current));
    assert_eq!(by(leg), "Note 17");
    assert_eq!(render_store(&library).unwrap(), before);
    assert_eq!(fakes.embedder.passages_embedded(), 0, "no model runs");
    assert_healthy(&library);
}

#[test]
fn a_dense_file_one_byte_short() {
    mended_after(
        |folder| {
            for file in files(folder, ".usearch") {
                let bytes = std::fs::read(&file).unwrap();
                std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
            }
        },
        Leg::Dense,
    );
}

#[test]
fn the_dense_file_gone() {
    mended_after(
        |folder| files(folder, ".usearch").iter().for_each(|f| std::fs::remove_file(f).unwrap()),
        Leg::Dense,
    );
}

#[test]
fn a_death_inside_usearch() {
    mended_after(|folder| std::fs::write(folder.join("dense.in-use"), "1").unwrap(), Leg::Dense);
}

#[test]
fn a_segment_of_the_lexical_index_gone() {
    mended_after(
        |folder| std::fs::remove_file(&files(&folder.join("lexical"), ".idx")[0]).unwrap(),
        Leg::Lexical,
    );
}

#[test]
fn the_lexical_folder_gone() {
    mended_after(|folder| std::fs::remove_dir_all(folder.join("lexical")).unwrap(), Leg::Lexical);
}

#[test]
fn the_lexical_index_of_another_time() {
    mended_after(
        |folder| {
            let meta = files(&folder.join("lexical"), "meta.json").remove(0);
            let text = std::fs::read_to_string(&meta).unwrap();
            let at = text.find("\"payload\":").unwrap() + 10;
            let at = at + text[at..].find('"').unwrap() + 1;
            std::fs::write(&meta, format!("{}9{}", &text[..at], &text[at..])).unwrap();
        },
        Leg::Lexical,
    );
}

#[test]
fn an_index_that_vanishes_while_it_is_used_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 30);
    std::fs::remove_dir_all(folder.path().join("lexical")).unwrap();
    add_texts(&library, 60);
    let begun = std::time::Instant::now();
    while library.doctor(false).unwrap().iter().any(|check| !check.ok) {
        assert!(begun.elapsed().as_secs() < 120, "{:?}", library.doctor(false));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(by_words(&library, &fakes, 17), ["Note 17"]);
    assert_eq!(by_words(&library, &fakes, 47), ["Note 47"]);
    assert_eq!(
        fakes.embedder.passages_embedded(),
        library.status().unwrap().vectors,
        "nothing was embedded again"
    );
}

#[test]
fn a_folder_without_indexes_opens_elsewhere() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let fakes = Fakes::default();
    closed_library(folder.path(), &fakes, 50);
    let id = Library::open(folder.path(), fakes.parts()).unwrap().id();
    std::fs::copy(folder.path().join("ledger.db"), elsewhere.path().join("ledger.db")).unwrap();
    fakes.embedder.reset();
    let library = Library::open(elsewhere.path(), fakes.parts()).unwrap();
    library.wait_idle(&Cancel::new()).unwrap();
    assert_eq!(library.id(), id);
    assert_eq!(nearest(&library, &fakes, 3), "Note 3");
    assert_eq!(fakes.embedder.passages_embedded(), 0);
    assert_healthy(&library);
}

#[test]
fn the_doctor_mends_an_index_that_differs_and_counters_that_lie() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    closed_library(folder.path(), &fakes, 30);
    {
        // A change that no log tells of.
        let conn = rusqlite::Connection::open(folder.path().join("ledger.db")).unwrap();
        conn.execute("UPDATE generation SET passages = passages + 5", []).unwrap();
        conn.execute("UPDATE document SET hidden_ns = 1 WHERE row = 3", []).unwrap();
    }
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    let sick: Vec<String> =
        library.doctor(false).unwrap().into_iter().filter(|c| !c.ok).map(|c| c.name).collect();
    assert_eq!(sick, ["counts", "lexical", "dense"]);
    let mended = library.doctor(true).unwrap();
    assert!(mended.iter().all(|check| check.ok), "{mended:?}");
    assert_healthy(&library);
}

#[test]
fn a_ledger_of_a_newer_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    closed_library(folder.path(), &fakes, 3);
    let path = folder.path().join("ledger.db");
    {
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.execute("UPDATE meta SET value = '99' WHERE key = 'oldest_program'", []).unwrap();
    }
    let error = Library::open(folder.path(), fakes.parts()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("newer Carrel"), "{error}");
}

#[test]
fn a_file_that_is_no_ledger_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("ledger.db"),
        "this is not a database at all, but long enough to look".repeat(50),
    )
    .unwrap();
    let error = Library::open(folder.path(), Fakes::default().parts()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("ledger.db"), "{error}");
}
