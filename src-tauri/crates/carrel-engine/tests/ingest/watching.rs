//! With the watcher running.

use crate::fixture::Fixture;
use std::io::Write as _;
use std::time::Duration;

fn watched() -> Fixture {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("sub/b.md", "beta text");
    f.add_folder(true);
    f
}

#[test]
fn creation_change_rename_and_deletion_are_followed() {
    let f = watched();
    f.write("new/c.md", "gamma text");
    f.until("created", |f| f.ready() == ["a.md", "new/c.md", "sub/b.md"]);
    let id = f.find("a.md").id;
    f.write("a.md", "delta text instead");
    f.until("changed", |f| f.find("a.md").version == Some(2) && f.ready().len() == 3);
    assert!(f.indexed("delta") && !f.indexed("alpha"));
    f.rename("a.md", "renamed.md");
    f.until("renamed", |f| f.ready() == ["new/c.md", "renamed.md", "sub/b.md"]);
    assert_eq!(f.find("renamed.md").id, id);
    f.remove("sub/b.md");
    f.until("deleted", |f| f.ready() == ["new/c.md", "renamed.md"]);
    assert!(!f.indexed("beta"));
    assert_eq!(f.fakes.embedder.embedded_again(), Vec::<String>::new());
}

#[test]
fn the_ways_in_which_programs_save() {
    let f = watched();
    let id = f.find("a.md").id;
    // A temporary file renamed over the old one.
    f.write("a.md.new", "saved by rename");
    f.rename("a.md.new", "a.md");
    f.until("saved by rename", |f| f.indexed("saved by rename"));
    // Truncated, then written in pieces.
    let mut file = std::fs::File::create(f.path("a.md")).unwrap();
    for piece in ["saved ", "in ", "pieces"] {
        file.write_all(piece.as_bytes()).unwrap();
        file.flush().unwrap();
        std::thread::sleep(Duration::from_millis(40));
    }
    drop(file);
    f.until("saved in pieces", |f| f.indexed("saved in pieces"));
    // The old one kept as a backup beside the new one.
    f.rename("a.md", "a.md~");
    f.write("a.md", "saved with a backup");
    f.until("saved with a backup", |f| f.indexed("saved with a backup"));
    assert_eq!(f.find("a.md").id, id, "one document all along");
    assert_eq!(f.ready(), ["a.md", "sub/b.md"]);
}

#[test]
fn a_moved_folder_is_followed_to_its_new_place() {
    let f = watched();
    let id = f.find("sub/b.md").id;
    f.rename("sub", "other/place");
    f.until("moved", |f| f.ready() == ["a.md", "other/place/b.md"]);
    assert_eq!(f.find("other/place/b.md").id, id);
    f.write("other/place/b.md", "changed after the move");
    f.until("changed", |f| f.indexed("changed after the move"));
    f.write("other/place/c.md", "created after the move");
    f.until("created", |f| f.ready().len() == 3);
    // Out of the folder, and in again.
    let away = tempfile::tempdir().unwrap();
    std::fs::rename(f.path("other"), away.path().join("x")).unwrap();
    f.until("moved out", |f| f.ready() == ["a.md"]);
    std::fs::rename(away.path().join("x"), f.path("back")).unwrap();
    f.until("moved in", |f| f.ready() == ["a.md", "back/place/b.md", "back/place/c.md"]);
    assert_eq!(f.find("back/place/b.md").id, id);
    assert_eq!(f.fakes.embedder.embedded_again(), Vec::<String>::new());
}

#[test]
fn a_move_whose_new_place_is_seen_first_is_a_move() {
    let f = watched();
    let id = f.find("sub/b.md").id;
    // The new folder is quiet long before the rename.
    std::fs::create_dir(f.path("other")).unwrap();
    std::thread::sleep(Duration::from_millis(290));
    f.rename("sub", "other/place");
    f.until("moved", |f| f.ready() == ["a.md", "other/place/b.md"]);
    assert_eq!(f.find("other/place/b.md").id, id);
}

#[test]
fn a_changed_rule_hides_and_shows() {
    let f = watched();
    f.write(".carrelignore", "sub/\n");
    f.until("hidden", |f| f.ready() == ["a.md"]);
    f.remove(".carrelignore");
    f.until("shown", |f| f.ready() == ["a.md", "sub/b.md"]);
    assert_eq!(f.conversions(), 2);
}

#[test]
fn a_file_that_is_still_being_written_waits() {
    let f = watched();
    let conversions = f.conversions();
    let mut file = std::fs::File::create(f.path("long.md")).unwrap();
    for _ in 0..10 {
        file.write_all(b"one more line\n").unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(file);
    f.until("written", |f| f.ready().contains(&"long.md".to_owned()));
    assert!(f.conversions() - conversions <= 2, "{} conversions", f.conversions() - conversions);
    assert_eq!(f.text(&f.find("long.md")).lines().count(), 10);
}

#[test]
fn a_folder_that_is_not_watched_is_left_until_asked() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.add_folder(false);
    f.write("b.md", "beta text");
    std::thread::sleep(Duration::from_millis(1_200));
    assert_eq!(f.ready(), ["a.md"]);
    f.library().set_watched(f.source(), true).unwrap();
    f.until("looked at", |f| f.ready() == ["a.md", "b.md"]);
    f.write("c.md", "gamma text");
    f.until("followed", |f| f.ready().len() == 3);
    f.library().set_watched(f.source(), false).unwrap();
    f.write("d.md", "delta text");
    std::thread::sleep(Duration::from_millis(1_200));
    assert_eq!(f.ready().len(), 3);
}

#[test]
fn a_single_file_is_followed() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.add(&f.path("a.md"), false);
    assert!(f.indexed("alpha"));
    f.write("a.md", "beta text");
    f.until("followed", |f| f.indexed("beta"));
    f.write("other.md", "not asked for");
    f.sync();
    assert_eq!(f.all().len(), 1);
}

#[test]
fn a_root_that_comes_back_is_followed_again() {
    let f = Fixture::new();
    f.write("docs/a.md", "alpha text");
    f.add(&f.path("docs"), true);
    f.rename("docs", "away");
    f.until("absent", |f| !f.library().sources().unwrap()[0].present);
    assert_eq!(f.ready(), ["a.md"]);
    f.rename("away", "docs");
    f.until("present", |f| f.library().sources().unwrap()[0].present);
    f.write("docs/b.md", "beta text");
    f.until("followed again", |f| f.ready() == ["a.md", "b.md"]);
    assert_eq!(f.conversions(), 2);
}
