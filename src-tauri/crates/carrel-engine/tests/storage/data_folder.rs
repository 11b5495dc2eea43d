//! The data folder: its lock, its list, its chats and jobs, and what it may delete.

use crate::support::put_text;
use carrel_engine::data_folder::{DataFolder, JobState, NewTurn, Rating, Turn};
use carrel_engine::domain::ChatId;
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
    let (first, second) =
        (data.create_chat("first", "{}").unwrap(), data.create_chat("second", "{}").unwrap());
    assert_eq!(data.append_turn(first, &turn(None, "why?", "because")).unwrap(), 1);
    assert_eq!(data.append_turn(first, &turn(Some(1), "and?", "so")).unwrap(), 2);
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
    let (_, turns) = data.branch(first, None).unwrap();
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

fn turn<'a>(parent: Option<u32>, question: &'a str, said: &'a str) -> NewTurn<'a> {
    NewTurn { parent, question, answer: "{}", said }
}

/// The questions of a branch, with how many stand beside each.
fn questions((_, turns): (carrel_engine::data_folder::ChatEntry, Vec<Turn>)) -> Vec<(String, usize)> {
    turns.into_iter().map(|turn| (turn.question, turn.siblings.len())).collect()
}

#[test]
fn a_question_asked_again_is_a_branch_and_the_other_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::open(folder.path(), Fakes::default().parts()).unwrap();
    let chat = data.create_chat("lease", "{}").unwrap();
    data.append_turn(chat, &turn(None, "when?", "in May")).unwrap();
    data.append_turn(chat, &turn(Some(1), "where?", "in Kyoto")).unwrap();
    data.append_turn(chat, &turn(Some(2), "why?", "for work")).unwrap();
    let seen = |pairs: &[(&str, usize)]| pairs.iter().map(|(q, n)| ((*q).to_owned(), *n)).collect::<Vec<_>>();
    assert_eq!(
        questions(data.branch(chat, None).unwrap()),
        seen(&[("when?", 1), ("where?", 1), ("why?", 1)])
    );

    // What comes before the second question is the first alone, and the new one is in sight.
    assert_eq!(data.before(chat, Some(2)).unwrap().len(), 1);
    assert_eq!(data.append_turn(chat, &turn(Some(1), "where exactly?", "in Gion")).unwrap(), 4);
    assert_eq!(questions(data.branch(chat, None).unwrap()), seen(&[("when?", 1), ("where exactly?", 2)]));
    assert_eq!(data.before(chat, None).unwrap().last().unwrap().number, 4);

    // Looking at the other branch does not change which is in sight; choosing it does, to its end.
    assert_eq!(data.branch(chat, Some(2)).unwrap().1.last().unwrap().question, "why?");
    assert_eq!(data.chat(chat).unwrap().leaf, Some(4));
    data.show_branch(chat, 2).unwrap();
    assert_eq!(
        questions(data.branch(chat, None).unwrap()),
        seen(&[("when?", 1), ("where?", 2), ("why?", 1)])
    );

    // A first question has branches too.
    data.append_turn(chat, &turn(None, "how?", "by train")).unwrap();
    assert_eq!(questions(data.branch(chat, None).unwrap()), seen(&[("how?", 2)]));
    for result in [data.show_branch(chat, 9).err(), data.branch(chat, Some(9)).err()] {
        assert!(matches!(result, Some(EngineError::NotFound { kind: "turn", .. })), "{result:?}");
    }
    assert!(data.append_turn(chat, &turn(Some(9), "lost", "")).is_err());
}

#[test]
fn chats_are_pinned_bound_to_a_scope_and_rated() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|title| data.create_chat(title, "{}").unwrap());
    data.pin_chat(a, true).unwrap();
    data.append_turn(b, &turn(None, "q", "")).unwrap();
    let titles = |data: &DataFolder| data.chats().unwrap().into_iter().map(|c| c.title).collect::<Vec<_>>();
    assert_eq!(titles(&data), ["a", "b", "c"], "pinned first, then the last grown");
    data.scope_chat(c, "{\"tags\":[\"tax\"]}").unwrap();
    let rated = data.rate_turn(b, 1, Some(Rating::Bad), Some("the wrong year")).unwrap();
    assert_eq!((rated.rating, rated.note.as_deref()), (Some(Rating::Bad), Some("the wrong year")));
    drop(data);

    let data = DataFolder::open(folder.path(), fakes.parts()).unwrap();
    assert!(data.chat(a).unwrap().pinned);
    assert_eq!(data.chat(c).unwrap().scope, "{\"tags\":[\"tax\"]}");
    let bad: Vec<(ChatId, u32)> =
        data.rated_turns(Rating::Bad).unwrap().into_iter().map(|(chat, turn)| (chat, turn.number)).collect();
    assert_eq!(bad, [(b, 1)]);
    data.rate_turn(b, 1, None, None).unwrap();
    data.pin_chat(a, false).unwrap();
    assert!(data.rated_turns(Rating::Bad).unwrap().is_empty());
    assert_eq!(titles(&data), ["b", "c", "a"]);
    assert!(data.rate_turn(b, 2, None, None).is_err());
}

#[test]
fn chats_are_found_by_words_of_questions_answers_and_titles() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::open(folder.path(), Fakes::default().parts()).unwrap();
    let lease = data.create_chat("Lease questions", "{}").unwrap();
    data.append_turn(lease, &turn(None, "When is the rent due?", "On the third day.")).unwrap();
    data.append_turn(lease, &turn(Some(1), "And the deposit?", "It is two months' rent, Café included."))
        .unwrap();
    let channel = data.create_chat("頻道", "{}").unwrap();
    data.append_turn(channel, &turn(None, "怎么设置频道？", "在設定頁面。")).unwrap();
    let found = |words: &str| -> Vec<ChatId> {
        data.find_chats(words).unwrap().into_iter().map(|found| found.chat.id).collect()
    };
    for words in ["RENT", "deposit third", "cafe", "lease deposit"] {
        assert_eq!(found(words), [lease], "{words}");
    }
    assert_eq!(found("频道"), [channel]);
    assert_eq!(found("设定"), [channel], "also as it was answered, in the other script");
    assert_eq!(found("rent 频道"), [], "each word is wanted");
    assert_eq!(found("  ").len(), 2);
    let excerpt = |words: &str| data.find_chats(words).unwrap().remove(0).excerpt;
    assert!(excerpt("deposit").unwrap().starts_with("And the deposit? It is two months"));
    assert_eq!(excerpt("questions"), None, "the title says it");
}
