//! The data folder: its lock, its list, its chats and jobs, and what it may delete.

use crate::support::put_text;
use carrel_engine::data_folder::{DataFolder, JobState};
use carrel_engine::error::EngineError;
use carrel_engine::seams::Tag;
use carrel_testkit::Fakes;
use std::sync::Arc;

#[test]
fn one_process_owns_it_until_it_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let first = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let second = DataFolder::open(folder.path(), fakes.parts());
    assert!(matches!(second, Err(EngineError::Locked { .. })));
    drop(first);
    DataFolder::open(folder.path(), fakes.parts()).unwrap();
}

#[test]
fn libraries_have_names_and_the_default_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    data.create_library("Work").unwrap();
    data.create_library("art").unwrap();
    assert!(matches!(data.create_library(" work "), Err(EngineError::Exists { .. })));
    assert!(data.create_library("  ").is_err());
    data.rename_library("WORK", "Arbeit").unwrap();
    let names = |data: &DataFolder| data.libraries().unwrap().into_iter().map(|l| l.name).collect::<Vec<_>>();
    assert_eq!(names(&data), ["default", "Arbeit", "art"]);
    assert!(data.rename_library("default", "x").is_err());
    assert!(data.remove_library("Default").is_err());
    assert!(matches!(data.library("work"), Err(EngineError::NotFound { .. })));
    assert!(fakes.events.told_of(Tag::Libraries));

    let library = data.library("art").unwrap();
    put_text(&library, "a", "# Colour\n\nultramarine\n");
    let document = crate::support::documents(&library).remove(0).id;
    assert_eq!(data.find_document(document).unwrap().unwrap().name, "art");
    assert_eq!(library.id(), data.libraries().unwrap()[2].id);
    drop(library);
    drop(data);
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    assert_eq!(names(&data), ["default", "Arbeit", "art"]);
    assert_eq!(data.find_document(document).unwrap().unwrap().name, "art", "also while it is closed");
}

#[test]
fn a_list_that_was_emptied_is_not_taken_for_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    put_text(
        &DataFolder::open(folder.path(), fakes.parts()).unwrap().library("default").unwrap(),
        "a",
        "# A\n\ntext\n",
    );
    for damage in ["", "not a database"] {
        std::fs::write(folder.path().join("carrel.db"), damage).unwrap();
        let error = DataFolder::open(folder.path(), fakes.parts()).map(|_| ()).unwrap_err();
        assert!(matches!(error, EngineError::ListDamaged { .. }), "{error:?}");
        let left = std::fs::read_to_string(folder.path().join("carrel.db")).unwrap();
        assert_eq!(left, damage, "it is left as it was");
    }
}

#[test]
fn removing_a_library_touches_only_its_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let (kept, gone) = (data.create_library("kept").unwrap(), data.create_library("gone").unwrap());
    for name in ["kept", "gone"] {
        put_text(&data.library(name).unwrap(), "a", "# A\n\ntext\n");
    }
    let home = |id| folder.path().join("libraries").join(format!("{id}"));
    std::fs::write(home(gone.id).join("my own notes.txt"), "mine").unwrap();
    std::fs::write(folder.path().join("libraries").join("stray"), "mine").unwrap();
    data.remove_library("gone").unwrap();
    assert!(home(kept.id).join("ledger.db").is_file());
    let left = folder.path().join("libraries").join(format!("removed-{}", gone.id));
    let names: Vec<_> =
        std::fs::read_dir(left).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, ["my own notes.txt"]);
    assert!(folder.path().join("libraries").join("stray").is_file());
    assert!(matches!(data.library("gone"), Err(EngineError::NotFound { .. })));
}

#[test]
fn at_most_eight_idle_libraries_stay_open() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let held = {
        data.create_library("held").unwrap();
        data.library("held").unwrap()
    };
    let mut weak = Vec::new();
    for n in 0..10 {
        let name = format!("library {n}");
        data.create_library(&name).unwrap();
        weak.push(Arc::downgrade(&data.library(&name).unwrap()));
    }
    let open = weak.iter().filter(|library| library.strong_count() > 0).count();
    assert!(open <= 8, "{open}");
    assert!(weak[0].upgrade().is_none() && weak[9].upgrade().is_some(), "the least recently used goes first");
    assert!(Arc::ptr_eq(&held, &data.library("held").unwrap()), "one in use stays");
}

#[test]
fn chats_settings_and_jobs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let (first, second) = (data.create_chat("first").unwrap(), data.create_chat("second").unwrap());
    assert_eq!(data.append_turn(first, "why?", "{\"answer\": 1}").unwrap(), 1);
    assert_eq!(data.append_turn(first, "and?", "{}").unwrap(), 2);
    data.rename_chat(second, "another").unwrap();
    data.set_setting("theme", Some("\"dark\"")).unwrap();
    data.set_setting("language", Some("\"zh\"")).unwrap();
    data.set_setting("language", None).unwrap();
    let (running, failed) =
        (data.begin_job("add", "/a", None).unwrap(), data.begin_job("sync", "", None).unwrap());
    data.end_job(failed, JobState::Failed, Some("no room")).unwrap();
    drop(data);

    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let titles: Vec<_> = data.chats().unwrap().into_iter().map(|c| (c.title, c.turns)).collect();
    assert_eq!(titles, [("first".to_owned(), 2), ("another".to_owned(), 0)]);
    let (_, turns) = data.chat(first).unwrap();
    assert_eq!(turns[0].question, "why?");
    data.remove_chat(first).unwrap();
    assert!(data.chat(first).is_err());
    assert_eq!(
        data.settings().unwrap().into_iter().collect::<Vec<_>>(),
        [("theme".to_owned(), "\"dark\"".to_owned())]
    );
    let jobs = data.jobs().unwrap();
    assert_eq!((jobs[0].id, jobs[0].state), (failed, JobState::Failed));
    assert_eq!((jobs[1].id, jobs[1].state), (running, JobState::Interrupted));
}
