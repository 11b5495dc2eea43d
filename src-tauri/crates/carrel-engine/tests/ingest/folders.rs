//! Folders as a whole: adding, syncing, what is not taken, deletions.

use crate::fixture::Fixture;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::DocumentState;
use carrel_engine::error::EngineError;
use carrel_engine::library::{AddItem, AddOptions, DocumentQuery};
use carrel_engine::seams::{ConvertError, FilePart, Tag};
use std::time::Duration;

#[test]
fn a_folder_of_markdown_becomes_words_and_vectors() {
    let f = Fixture::new();
    f.write("pump.md", "# Pump\n\nThe pump runs at three bar.");
    f.write("sub/valve.md", "# Valve\n\nThe valve stays shut.");
    f.write("notes.txt", "A note about the boiler.");
    let report = f.add_folder(false);
    assert_eq!((report.added, report.failed.len(), report.skipped.len()), (3, 0, 0));
    assert_eq!(f.ready(), ["notes.txt", "pump.md", "sub/valve.md"]);
    let pump = f.find("pump.md");
    assert_eq!((pump.title.as_str(), pump.version, pump.passages), ("Pump", Some(1), 1));
    assert!(f.indexed("three bar"));
    let status = f.library().status().unwrap();
    assert_eq!((status.passages, status.vectors), (3, 3));
    f.until("listeners are told", |f| {
        [Tag::Documents, Tag::Sources].iter().all(|&tag| f.fakes.events.told_of(tag))
    });
    let progress = f.library().progress();
    assert_eq!((progress.converting, progress.embedding, progress.scanning), (0, 0, false));
}

#[test]
fn unchanged_files_cost_nothing() {
    let mut f = Fixture::new();
    for i in 0..30 {
        f.write(&format!("{i}.md"), &format!("# File {i}\n\nText number {i}."));
    }
    f.add_folder(false);
    let (conversions, embedded) = (f.conversions(), f.embedded());
    let report = f.sync();
    assert_eq!((report.unchanged, report.added, report.updated), (30, 0, 0));
    f.reopen();
    f.idle();
    let report = f.add_folder(false);
    assert_eq!(report.unchanged, 30);
    assert_eq!((f.conversions(), f.embedded()), (conversions, embedded));
}

#[test]
fn a_touched_file_is_read_but_not_converted() {
    let f = Fixture::new();
    f.write("a.md", "same");
    f.add_folder(false);
    let file = std::fs::File::options().append(true).open(f.path("a.md")).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(9)).unwrap();
    let report = f.sync();
    assert_eq!((report.unchanged, report.updated, f.conversions()), (1, 0, 1));
    assert_eq!(f.find("a.md").version, Some(1));
}

#[test]
fn an_edit_is_a_new_version_and_the_old_text_is_gone_from_the_indexes() {
    let f = Fixture::new();
    f.write("a.md", "The first text.");
    f.add_folder(false);
    f.write("a.md", "Quite another second text.");
    let report = f.sync();
    assert_eq!((report.updated, report.added), (1, 0));
    let document = f.find("a.md");
    assert_eq!((document.version, document.state), (Some(2), DocumentState::Ready));
    assert!(f.indexed("second") && !f.indexed("first"));
}

#[test]
fn what_cannot_be_read_is_listed_and_the_rest_goes_on() {
    let f = Fixture::new();
    f.fakes.converter.refuse("broken.md", ConvertError::Damaged { detail: "it ends early".to_owned() });
    f.fakes.converter.refuse("locked.md", ConvertError::NeedsPassword);
    f.fakes.converter.refuse("scan.md", ConvertError::NoText { detail: "3 pages".to_owned() });
    for name in ["good.md", "broken.md", "locked.md", "scan.md", "film.mkv"] {
        f.write(name, &format!("text of {name}"));
    }
    let report = f.add_folder(false);
    assert_eq!(report.added, 1);
    let codes: Vec<&str> = report.failed.iter().map(|file| file.code.as_str()).collect();
    assert_eq!(codes, ["damaged", "needs_password", "no_text"]);
    assert_eq!(report.skipped[0].code, "unsupported_format");
    assert_eq!(f.conversions(), 4, "a format that nothing reads is not tried");
    assert_eq!(
        f.shown().iter().map(|(_, state)| *state).collect::<Vec<_>>(),
        [
            DocumentState::Failed,
            DocumentState::Skipped,
            DocumentState::Ready,
            DocumentState::NeedsPassword,
            DocumentState::NoText,
        ]
    );
    // Said again, and not tried again.
    let again = f.sync();
    assert_eq!((again.failed.len(), again.skipped.len(), again.unchanged, f.conversions()), (3, 1, 1, 4));
    f.fakes.converter.accept("locked.md");
    // Somebody waits for it, also where all other work is halted.
    f.library().pause_ingest(true);
    f.write("later.md", "Read when the work goes on.");
    let changed = f.library().unlock(f.find("locked.md").id, "secret", &Cancel::new()).unwrap();
    assert!(changed && f.find("locked.md").state.is_searchable());
    f.library().pause_ingest(false);
    f.sync();
    assert_eq!(f.find("locked.md").state, DocumentState::Ready);
}

#[test]
fn a_format_that_becomes_readable_is_taken_up_at_open() {
    let mut f = Fixture::new();
    f.write("a.rst", "Restructured text.");
    f.write("b.md", "Markdown.");
    f.add_folder(false);
    assert_eq!(f.find("a.rst").state, DocumentState::Skipped);
    f.close();
    f.fakes.converter.read_also(".rst");
    f.fakes.converter.raise_version();
    let before = f.conversions();
    f.open();
    f.idle();
    assert_eq!(f.ready(), ["a.rst", "b.md"]);
    assert_eq!(f.conversions(), before + 2);
    assert_eq!(f.find("b.md").version, Some(1), "equal text makes no new version");
    assert_eq!(f.fakes.embedder.embedded_again(), Vec::<String>::new());
    f.reopen();
    f.idle();
    assert_eq!(f.conversions(), before + 2, "once");
}

#[test]
fn what_waits_for_a_model_is_converted_when_it_comes() {
    let f = Fixture::new();
    let waits = ConvertError::NeedsModel { id: "reader".to_owned(), detail: "it is an image".to_owned() };
    f.fakes.converter.refuse("scan.md", waits);
    f.write("scan.md", "What stands in the image.");
    f.write("b.md", "Markdown.");
    f.add_folder(false);
    let waiting = f.find("scan.md");
    let code = waiting.reason.map(|reason| reason.code);
    assert_eq!((waiting.state, code.as_deref()), (DocumentState::Skipped, Some("needs_model")));
    f.fakes.converter.accept("scan.md");
    assert_eq!(f.library().convert_what_waited().unwrap(), 0, "nothing came");
    f.fakes.converter.bring("image");
    assert_eq!(f.library().convert_what_waited().unwrap(), 1);
    f.idle();
    assert_eq!(f.ready(), ["b.md", "scan.md"]);
    assert_eq!(f.library().convert_what_waited().unwrap(), 0, "once");
}

/// Waits for the part of a file that is being converted.
fn part(f: &Fixture) -> FilePart {
    let told = std::cell::RefCell::new(None);
    f.until_busy("no part is told", |f| {
        told.replace(f.library().progress().part);
        told.borrow().is_some()
    });
    told.into_inner().unwrap()
}

#[test]
fn a_long_file_says_how_far_it_is_and_halts_between_its_parts() {
    let f = Fixture::new();
    f.fakes.converter.divide("long.md", 20);
    f.write("long.md", "It takes long.");
    let item = AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    let told = part(&f);
    assert_eq!((told.unit.as_str(), told.of), ("page", 20));
    f.library().pause_ingest(true);
    std::thread::sleep(Duration::from_millis(200));
    let halted = part(&f);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(part(&f), halted);
    f.library().pause_ingest(false);
    f.idle();
    assert_eq!(f.ready(), ["long.md"]);
    assert_eq!(f.library().progress().part, None);
}

#[test]
fn a_long_file_that_is_removed_meanwhile_is_no_longer_converted() {
    let f = Fixture::new();
    // It would take hours: a test that waits for its end is stopped by the runner.
    f.fakes.converter.divide("long.md", 1_000_000);
    f.write("long.md", "It takes long.");
    let item = AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    part(&f);
    f.library().remove_document(f.find("long.md").id).unwrap();
    f.idle();
    assert!(f.ready().is_empty());
}

#[test]
fn c34_empty_extractions_are_not_duplicates() {
    let f = Fixture::new();
    f.write("a.md", "");
    f.write("b.md", "");
    f.write("c.md", " \n");
    f.add_folder(false);
    let documents = f.all();
    assert_eq!(documents.len(), 3);
    assert!(documents.iter().all(|d| d.state == DocumentState::NoText && d.passages == 0));
    f.remove("a.md");
    f.write("b.md", "Now there is text.");
    let report = f.sync();
    assert_eq!((report.removed, report.updated, report.moved), (1, 1, 0));
    assert_eq!(f.ready(), ["b.md"]);
}

#[test]
fn a_deleted_file_is_hidden_at_once_and_purged_after_30_days() {
    let mut f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("b.md", "beta text");
    f.add_folder(false);
    f.remove("a.md");
    let report = f.sync();
    assert_eq!(report.removed, 1);
    assert!(!f.indexed("alpha") && f.indexed("beta"));
    assert_eq!(f.all().iter().filter(|d| d.state == DocumentState::Missing).count(), 1);
    f.fakes.clock.advance(jiff::SignedDuration::from_hours(24 * 31));
    f.reopen();
    f.idle();
    f.until("purged", |f| f.all().len() == 1);
}

#[test]
fn a_mass_deletion_waits_for_the_word() {
    let f = Fixture::new();
    for i in 0..30 {
        f.write(&format!("{i}.md"), &format!("text {i}"));
    }
    f.add_folder(false);
    for i in 0..25 {
        f.rename(&format!("{i}.md"), &format!(".away/{i}.md"));
    }
    assert_eq!(f.sync().removed, 0);
    assert!(f.library().sources().unwrap()[0].needs_confirmation);
    assert_eq!(f.ready().len(), 30);
    f.library().confirm_deletions(f.source(), false).unwrap();
    assert_eq!(f.sync().removed, 0);
    assert!(!f.library().sources().unwrap()[0].needs_confirmation, "asked once");
    f.library().confirm_deletions(f.source(), true).unwrap();
    assert_eq!(f.ready().len(), 5);
    let embedded = f.embedded();
    for i in 0..25 {
        f.rename(&format!(".away/{i}.md"), &format!("{i}.md"));
    }
    assert_eq!(f.sync().unchanged, 30);
    assert_eq!((f.ready().len(), f.embedded()), (30, embedded));
}

#[test]
fn a_root_that_vanished_deletes_nothing() {
    let f = Fixture::new();
    f.write("docs/a.md", "alpha text");
    f.add(&f.path("docs"), true);
    f.rename("docs", "elsewhere");
    assert_eq!(f.sync().removed, 0);
    assert!(!f.library().sources().unwrap()[0].present);
    assert!(f.indexed("alpha"));
    let document = f.all()[0].clone();
    assert!(f.library().hit_is_current(&document), "absent, not deleted");
    f.rename("elsewhere", "docs");
    f.sync();
    assert!(f.library().sources().unwrap()[0].present);
    assert_eq!(f.conversions(), 1);
}

#[test]
fn c7_what_was_deleted_while_closed_is_gone_before_the_first_answer() {
    let mut f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("b.md", "beta text");
    f.add_folder(true);
    let (gone, there) = (f.find("a.md"), f.find("b.md"));
    f.close();
    f.remove("a.md");
    f.open();
    assert!(!f.library().hit_is_current(&gone) || f.find_all("a.md").is_empty());
    assert!(f.library().hit_is_current(&there));
    f.idle();
    assert!(!f.indexed("alpha") && f.indexed("beta"));
}

#[test]
fn a_removed_document_stays_out_until_it_is_added_by_name() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("b.md", "beta text");
    f.add_folder(true);
    f.library().remove_document(f.find("a.md").id).unwrap();
    f.write("a.md", "alpha text, edited");
    assert_eq!(f.sync().added, 0);
    assert_eq!(f.ready(), ["b.md"]);
    assert_eq!(f.add(&f.path("a.md"), false).added, 1);
    assert_eq!(f.ready(), ["a.md", "b.md"]);
    assert_eq!(f.library().sources().unwrap().len(), 1);
}

#[test]
fn removing_a_source_keeps_or_drops_its_documents() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("b.md", "beta text");
    f.add_folder(true);
    let before = f.find("a.md").id;
    assert_eq!(f.library().remove_source(f.source(), true).unwrap(), 2);
    assert_eq!(f.find("a.md").id, before);
    assert!(f.indexed("alpha"));
    assert_eq!(f.sync().unchanged, 2);
    // The folder takes its documents back.
    f.add_folder(true);
    assert_eq!(f.find("a.md").id, before);
    assert_eq!(f.find("a.md").path, b"a.md");
    let folder = f.library().sources().unwrap().into_iter().find(|s| s.root == f.root()).unwrap();
    assert_eq!(f.library().remove_source(folder.id, false).unwrap(), 2);
    assert!(f.all().is_empty() && !f.indexed("alpha"));
    assert_eq!((f.conversions(), f.embedded()), (2, 2));
}

#[cfg(unix)]
#[test]
fn links_and_unreadable_files_are_listed() {
    use std::os::unix::fs::PermissionsExt;
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    std::os::unix::fs::symlink(f.path("a.md"), f.path("link.md")).unwrap();
    let report = f.add_folder(false);
    assert_eq!((report.added, report.skipped.len(), report.skipped[0].code.as_str()), (1, 1, "symlink"));
    f.write("secret.md", "no");
    std::fs::set_permissions(f.path("secret.md"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(f.path("secret.md")).is_ok() {
        return; // This user may read everything.
    }
    let report = f.sync();
    assert_eq!(report.failed[0].code, "unreadable");
    std::fs::set_permissions(f.path("secret.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(f.sync().updated, 1);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_told_until_it_can() {
    use std::os::unix::fs::PermissionsExt;
    let mut f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("shut/b.md", "beta text");
    let mode = |bits| {
        std::fs::set_permissions(f.path("shut"), std::fs::Permissions::from_mode(bits)).unwrap();
    };
    mode(0o000);
    if std::fs::read_dir(f.path("shut")).is_ok() {
        return; // This user may read everything.
    }
    f.add_folder(false);
    f.reopen();
    let told = f.library().status().unwrap().unreadable;
    assert_eq!((told.len(), told[0].code.as_str()), (1, "unreadable"));
    assert!(told[0].uri.ends_with("/shut"), "{told:?}");
    assert_eq!(told[0].reason, "it could not be looked at: Permission denied (os error 13)");
    std::fs::set_permissions(f.path("shut"), std::fs::Permissions::from_mode(0o755)).unwrap();
    f.sync();
    assert_eq!(f.library().status().unwrap().unreadable, []);
    assert_eq!(f.ready(), ["a.md", "shut/b.md"]);
}

#[cfg(unix)]
#[test]
fn a_source_that_cannot_be_read_is_not_well() {
    use std::os::unix::fs::PermissionsExt;
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.add_folder(false);
    let root = f.path("a.md").parent().unwrap().to_owned();
    let mode = |bits| std::fs::set_permissions(&root, std::fs::Permissions::from_mode(bits)).unwrap();
    mode(0o000);
    let anyway = std::fs::read_dir(&root).is_ok();
    let checks = f.library().doctor(false);
    mode(0o755);
    if anyway {
        return; // This user may read everything.
    }
    let check = checks.unwrap().into_iter().find(|check| check.name == "sources").unwrap();
    assert!(!check.ok && check.message.contains(root.to_str().unwrap()), "{check:?}");
}

#[test]
fn a_document_is_found_by_whatever_tells_it_from_the_others() {
    let f = Fixture::new();
    for name in ["notes/lease.md", "notes/Plan.md", "old/Plan.md", "lone.md"] {
        f.write(name, &format!("text of {name}"));
    }
    f.add_folder(false);
    f.remove("lone.md");
    f.sync();
    let found =
        |name: &str| f.library().find_document(name).map(|d| String::from_utf8_lossy(&d.path).into_owned());
    for name in ["lease.md", "LEASE.md", "notes/lease.md"] {
        assert_eq!(found(name).unwrap(), "notes/lease.md", "{name}");
    }
    assert_eq!(found("old/Plan.md").unwrap(), "old/Plan.md");
    match found("plan.md").unwrap_err() {
        EngineError::Ambiguous { candidates, .. } => {
            assert!(
                candidates.len() == 2 && candidates.iter().all(|c| c.contains("Plan.md")),
                "{candidates:?}"
            );
        }
        other => panic!("{other}"),
    }
    for name in ["lone.md".to_owned(), f.path("lone.md").display().to_string()] {
        assert_eq!(found(&name).unwrap(), "lone.md", "what is missing has a name too: {name}");
    }
    for name in ["ease.md", "md", "Plan", "/notes/lease.md"] {
        assert!(matches!(found(name), Err(EngineError::NotFound { .. })), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_unicode_is_found_by_its_uri() {
    use std::os::unix::ffi::OsStrExt;
    let f = Fixture::new();
    let path = f.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9 one.md"));
    std::fs::write(&path, "text").unwrap();
    f.add_folder(false);
    let uri = carrel_engine::library::file_uri(&path);
    assert_eq!(f.library().find_document(&uri).unwrap().path, b"caf\xe9 one.md");
    let as_shown = uri.replace("%20", " ");
    assert_eq!(f.library().find_document(&as_shown).unwrap().path, b"caf\xe9 one.md");
}

#[test]
fn documents_and_folders_are_listed() {
    let f = Fixture::new();
    for name in ["a.md", "x/b.md", "x/y/c.md", "x/y/Über.md", "xz/d.md"] {
        f.write(name, &format!("text of {name}"));
    }
    f.add_folder(false);
    let roots = f.library().folders(None).unwrap();
    assert_eq!((roots.len(), roots[0].documents, roots[0].has_folders), (1, 5, true));
    let source = roots[0].source;
    let below = |path: &[u8]| {
        let folders = f.library().folders(Some((source, path))).unwrap();
        folders.into_iter().map(|f| (f.name, f.documents, f.has_folders)).collect::<Vec<_>>()
    };
    assert_eq!(below(b""), [("x".to_owned(), 3, true), ("xz".to_owned(), 1, false)]);
    assert_eq!(below(b"x"), [("y".to_owned(), 2, false)]);
    let names = |query: DocumentQuery| {
        let (documents, total) = f.library().documents(&query).unwrap();
        (documents.iter().map(|d| String::from_utf8_lossy(&d.path).into_owned()).collect::<Vec<_>>(), total)
    };
    let query = DocumentQuery { limit: 10, ..DocumentQuery::default() };
    assert_eq!(names(DocumentQuery { below: Some((source, b"x".to_vec())), ..query.clone() }).1, 3);
    assert_eq!(
        names(DocumentQuery { name: Some("uber".to_owned()), ..query.clone() }),
        (vec!["x/y/Über.md".to_owned()], 1)
    );
    let page = names(DocumentQuery { offset: 1, limit: 2, ..query });
    assert_eq!(page, (vec!["x/b.md".to_owned(), "x/y/c.md".to_owned()], 5));
    let by_relative = f.library().find_document("x/b.md").unwrap();
    assert_eq!(f.library().find_document(&by_relative.uri).unwrap().id, by_relative.id);
    assert_eq!(f.library().document(by_relative.id).unwrap(), by_relative);
    let named = |words: &str| -> Vec<(String, usize)> {
        let folders = f.library().folders_named(words, 9).unwrap();
        assert!(folders.iter().all(|folder| std::path::Path::new(&folder.value).starts_with(f.root())));
        folders.into_iter().map(|folder| (folder.name, folder.documents)).collect()
    };
    assert_eq!(named("X"), [("x".to_owned(), 3), ("xz".to_owned(), 1)]);
    assert_eq!(named("y"), [("y".to_owned(), 2)]);
    assert_eq!(named("").iter().map(|(_, documents)| *documents).collect::<Vec<_>>(), [5], "the root alone");
}

#[test]
fn without_waiting_the_report_says_what_is_queued() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.library().pause_ingest(true);
    let item = AddItem::Path { path: f.root(), watch: false };
    let report = f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    assert_eq!(report.added, 1);
    assert_eq!(f.shown(), [("a.md".to_owned(), DocumentState::Waiting)]);
    let progress = f.library().progress();
    assert_eq!((progress.converting, progress.paused), (1, true));
    f.library().pause_ingest(false);
    f.idle();
    assert_eq!(f.ready(), ["a.md"]);
}

#[test]
fn a_file_renamed_before_it_is_read_is_read_at_its_new_place() {
    let f = Fixture::new();
    f.write("old.md", "alpha text");
    f.add_folder(false);
    f.library().pause_ingest(true);
    f.write("new.md", "beta text");
    f.write("old.md", "gamma text, another length");
    let item = AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    f.rename("new.md", "newer.md");
    f.rename("old.md", "older.md");
    f.library().pause_ingest(false);
    f.idle();
    f.sync();
    assert_eq!(f.ready(), ["newer.md", "older.md"]);
    assert!(f.indexed("beta text") && f.indexed("gamma text") && !f.indexed("alpha text"));
    // Gone when it was to be read, and back as it was.
    f.library().pause_ingest(true);
    f.write("more.md", "delta text");
    let item = AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    let aside = f.path("../aside.md");
    std::fs::rename(f.path("more.md"), &aside).unwrap();
    f.library().pause_ingest(false);
    f.idle();
    std::fs::rename(&aside, f.path("more.md")).unwrap();
    f.sync();
    assert!(f.indexed("delta text"));
}
