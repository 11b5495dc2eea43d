//! C28 and its kind: damaged, missing and foreign index files and ledgers.

use crate::support::{add_texts, assert_healthy, by_words, closed_library, documents, nearest, put_text};
use carrel_engine::cancel::Cancel;
use carrel_engine::data_folder::DataFolder;
use carrel_engine::domain::DocumentState;
use carrel_engine::error::EngineError;
use carrel_engine::library::{AddItem, AddOptions, IndexState, Library};
use carrel_engine::retrieve::Leg;
use carrel_testkit::{Fakes, render_store};
use std::collections::BTreeMap;
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
    // One that is never made again is stopped by the runner.
    while library.doctor(false).unwrap().iter().any(|check| !check.ok) {
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
fn the_doctor_sees_who_waits_in_no_queue_and_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let text = AddItem::Text { id: "note".to_owned(), text: "a note about the boiler".to_owned() };
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    library.add(&[text], &AddOptions::default(), true, &Cancel::new()).unwrap();
    drop(library);
    {
        let conn = rusqlite::Connection::open(folder.path().join("ledger.db")).unwrap();
        conn.execute("UPDATE document SET state = 'waiting', queued = 0", []).unwrap();
    }
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    let queue = |repair| library.doctor(repair).unwrap().into_iter().find(|c| c.name == "queue").unwrap();
    let found = queue(false);
    assert!(!found.ok && found.message.contains("1 document waits"), "{found:?}");
    assert!(queue(true).mended);
    library.wait_idle(&Cancel::new()).unwrap();
    assert_eq!(library.find_document("note").unwrap().state, DocumentState::Ready);
    assert!(queue(false).ok);
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

const PAGE: usize = 8192;

/// A data folder with a library of `count` texts and a pasted one, closed; and the folder of that library.
fn closed_data_folder(folder: &Path, fakes: &Fakes, count: usize) -> PathBuf {
    let data = DataFolder::open(folder, fakes.parts()).unwrap();
    let library = data.library("default").unwrap();
    library.change_settings(&BTreeMap::from([("chunking".to_owned(), "64/8".to_owned())])).unwrap();
    add_texts(&library, count);
    put_text(&library, "pasted", "# Zebra\n\nA zebra has stripes.\n");
    library.folder().to_owned()
}

/// Damages a ledger, has the doctor mend it, and gives what the doctor says with the open data folder.
fn mended_ledger(
    folder: &Path,
    fakes: &Fakes,
    count: usize,
    damage: impl Fn(&Path),
) -> (String, DataFolder, PathBuf) {
    let home = closed_data_folder(folder, fakes, count);
    let ledger = home.join("ledger.db");
    damage(&ledger);
    let left = std::fs::read(&ledger).unwrap_or_default();
    fakes.embedder.reset();
    let data = DataFolder::open(folder, fakes.parts()).unwrap();
    data.create_library("other").unwrap();
    put_text(&data.library("other").unwrap(), "a", "# A\n\nAnother text.\n");

    let sick = match data.doctor("default", false, &Cancel::new()) {
        Ok(checks) => checks.iter().any(|check| check.name == "ledger" && !check.ok),
        Err(error) => matches!(error, EngineError::Damaged { .. }),
    };
    assert!(sick, "{:?}", data.doctor("default", false, &Cancel::new()));
    let checks = data.doctor("default", true, &Cancel::new()).unwrap();
    assert!(checks.iter().all(|check| check.ok || check.mended), "{checks:?}");
    let said = checks.into_iter().find(|check| check.mended && check.name == "ledger").unwrap().message;
    data.library("default").unwrap().wait_idle(&Cancel::new()).unwrap();
    assert_healthy(&data.library("default").unwrap());
    let aside: Vec<PathBuf> = files(&home, "Z")
        .into_iter()
        .filter(|p| p.to_string_lossy().contains("ledger.db.damaged-"))
        .collect();
    if left.is_empty() {
        assert!(aside.len() <= 1);
    } else {
        assert!(std::fs::read(&aside[0]).unwrap() == left, "the damaged file is kept as it was");
        assert!(said.contains(&aside[0].display().to_string()), "{said}");
    }
    assert_eq!(documents(&data.library("other").unwrap()).len(), 1, "others are left alone");
    (said, data, home)
}

fn overwrite(path: &Path, pages: impl IntoIterator<Item = usize>) {
    let mut bytes = std::fs::read(path).unwrap();
    for page in pages {
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xA7);
    }
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_ledger_without_its_first_page_is_mended_whole() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let (said, data, _) = mended_ledger(folder.path(), &fakes, 60, |ledger| overwrite(ledger, [0]));
    assert!(said.contains("61 documents") && said.contains("lost: nothing"), "{said}");
    let library = data.library("default").unwrap();
    assert_eq!(library.settings().unwrap()["chunking"], "64/8");
    assert_eq!(by_words(&library, &fakes, 17), ["Note 17"]);
    assert_eq!(nearest(&library, &fakes, 17), "Note 17");
    assert_eq!(fakes.embedder.passages_embedded(), 1, "nothing but the other library was embedded");
}

#[test]
fn of_a_ledger_with_pages_overwritten_what_can_be_read_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let damage = |ledger: &Path| {
        let pages = std::fs::metadata(ledger).unwrap().len() as usize / PAGE;
        overwrite(ledger, (44..pages).step_by(9));
    };
    let (said, data, _) = mended_ledger(folder.path(), &fakes, 200, damage);
    let library = data.library("default").unwrap();
    let count = documents(&library).len();
    assert!(count > 50, "{said}");
    assert!(said.contains(&format!("kept: 1 source, {count} documents")), "{said}");
    let embedded = fakes.embedder.passages_embedded();
    let vectors = library.status().unwrap().vectors;
    assert!(vectors > 50 && embedded < vectors, "{embedded} of {vectors} were embedded again: {said}");
    for document in documents(&library) {
        if document.state != DocumentState::Ready {
            // These texts were handed over converted: there is nothing to read them from.
            assert!(
                document.reason.as_ref().is_some_and(|r| r.message.contains("add it again")),
                "{document:?}"
            );
            continue;
        }
        let text = library.version_text(document.id, None).unwrap();
        assert!(text.markdown.contains(&document.title), "{document:?}");
    }
}

#[test]
fn a_ledger_of_which_nothing_can_be_read_begins_anew() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 4] = [
        ("empty", |ledger| std::fs::write(ledger, "").unwrap()),
        ("gone", |ledger| std::fs::remove_file(ledger).unwrap()),
        ("a text", |ledger| std::fs::write(ledger, "not a database, but long enough. ".repeat(500)).unwrap()),
        ("zeros", |ledger| {
            let length = std::fs::metadata(ledger).unwrap().len();
            std::fs::write(ledger, vec![0; length as usize]).unwrap();
        }),
    ];
    for (name, damage) in damages {
        let folder = tempfile::tempdir().unwrap();
        let fakes = Fakes::default();
        let (said, data, home) = mended_ledger(folder.path(), &fakes, 5, damage);
        assert!(said.contains("lost: everything") && said.contains("add your folders"), "{name}: {said}");
        let library = data.library("default").unwrap();
        assert!(home.ends_with(library.id().to_string()), "{name}: it is the same library");
        add_texts(&library, 5);
        assert_eq!(by_words(&library, &fakes, 3), ["Note 3"], "{name}");
        assert_healthy(&library);
    }
}

#[test]
fn the_list_of_libraries_is_made_anew_of_what_is_there() {
    for damage in ["zeroed", "empty", "gone", "gone, and the names too"] {
        let folder = tempfile::tempdir().unwrap();
        let fakes = Fakes::default();
        let home = closed_data_folder(folder.path(), &fakes, 5);
        let nameless = damage.ends_with("too");
        if nameless {
            std::fs::remove_file(home.join("name")).unwrap();
        }
        let now = jiff::Timestamp::now();
        assert_eq!(DataFolder::restore_list(folder.path(), now).unwrap(), None, "{damage}: it was whole");
        let list = folder.path().join("carrel.db");
        match damage {
            "zeroed" => std::fs::write(&list, vec![0; 40_000]).unwrap(),
            "empty" => std::fs::write(&list, "").unwrap(),
            _ => std::fs::remove_file(&list).unwrap(),
        }
        let refused = DataFolder::open(folder.path(), fakes.parts()).map(|_| ()).unwrap_err();
        assert!(matches!(refused, EngineError::ListDamaged { .. }), "{damage}: {refused:?}");
        let said = DataFolder::restore_list(folder.path(), now).unwrap().unwrap();
        assert!(said.contains("it has 1"), "{damage}: {said}");
        assert_eq!(said.contains("names were lost, they are now default"), nameless, "{damage}: {said}");
        let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
        assert_eq!(by_words(&data.library("default").unwrap(), &fakes, 3), ["Note 3"], "{damage}");
        assert_eq!(
            files(folder.path(), "Z").len(),
            usize::from(!damage.starts_with("gone")),
            "{damage}: it is kept"
        );
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_library_whose_folder_was_copied_is_taken_in_with_its_name() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let fakes = Fakes::default();
    let home = {
        let data = DataFolder::open(one.path(), fakes.parts()).unwrap();
        data.create_library("Work").unwrap();
        data.rename_library("Work", "Tax").unwrap();
        let library = data.library("Tax").unwrap();
        add_texts(&library, 5);
        one.path().join("libraries").join(library.id().to_string())
    };
    let names = |data: &DataFolder| -> Vec<String> {
        data.libraries().unwrap().into_iter().map(|entry| entry.name).collect()
    };
    for expected in ["Tax", "Tax 2"] {
        let data = DataFolder::open(other.path(), fakes.parts()).unwrap();
        if expected == "Tax 2" {
            data.remove_library("Tax").unwrap();
            data.create_library("Tax").unwrap();
        }
        drop(data);
        copy_folder(&home, &other.path().join("libraries").join(home.file_name().unwrap()));
        let data = DataFolder::open(other.path(), fakes.parts()).unwrap();
        assert!(names(&data).contains(&expected.to_owned()), "{:?}", names(&data));
        assert_eq!(by_words(&data.library(expected).unwrap(), &fakes, 3), ["Note 3"]);
        drop(data);
        let again = names(&DataFolder::open(other.path(), fakes.parts()).unwrap());
        assert_eq!(again.iter().filter(|name| *name == expected).count(), 1, "{again:?}");
    }
}

#[test]
fn a_library_whose_folder_is_gone_is_not_replaced_by_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let home = closed_data_folder(folder.path(), &fakes, 5);
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(&home, &elsewhere).unwrap();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let error = data.library("default").map(|_| ()).unwrap_err();
    assert!(matches!(error, EngineError::LibraryGone { .. }), "{error:?}");
    assert!(data.doctor("default", false, &Cancel::new()).is_err() && !home.exists());
    // Back in its place, it is whole.
    std::fs::rename(&elsewhere, &home).unwrap();
    assert_eq!(by_words(&data.library("default").unwrap(), &fakes, 3), ["Note 3"]);
    drop(data);
    // Only who asks for it gets an empty one.
    std::fs::rename(&home, &elsewhere).unwrap();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let checks = data.doctor("default", true, &Cancel::new()).unwrap();
    assert!(
        checks.iter().any(|check| check.mended && check.message.contains("lost: everything")),
        "{checks:?}"
    );
    assert!(documents(&data.library("default").unwrap()).is_empty());
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
    assert!(matches!(error, EngineError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains("ledger.db"), "{error}");
}
