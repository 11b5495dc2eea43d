//! What keeps its identity, and what is kept apart.

use crate::fixture::Fixture;
use carrel_engine::domain::DocumentState;

#[test]
fn c9_a_moved_file_keeps_everything() {
    let f = Fixture::new();
    f.write("a.md", "# Alpha\n\nalpha text");
    f.add_folder(false);
    let before = f.find("a.md");
    f.rename("a.md", "deep/er/b.md");
    let report = f.sync();
    assert_eq!((report.moved, report.added, report.removed), (1, 0, 0));
    let after = f.find("deep/er/b.md");
    assert_eq!((after.id, after.version), (before.id, Some(1)));
    assert!(after.uri.ends_with("/deep/er/b.md"));
    assert_eq!((f.conversions(), f.embedded()), (1, 1));
}

#[test]
fn c9_a_renamed_folder_moves_its_files() {
    let f = Fixture::new();
    for i in 0..40 {
        f.write(&format!("old/{i}.md"), &format!("text {i}"));
    }
    f.add_folder(false);
    f.rename("old", "new");
    let report = f.sync();
    assert_eq!((report.moved, report.removed, report.added), (40, 0, 0));
    assert_eq!((f.conversions(), f.embedded()), (40, 40));
    assert!(!f.library().sources().unwrap()[0].needs_confirmation);
}

#[test]
fn c9_a_file_copied_away_and_deleted_is_known_by_its_content() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.add_folder(false);
    let before = f.find("a.md").id;
    std::fs::copy(f.path("a.md"), f.path("b.md")).unwrap();
    f.remove("a.md");
    assert_eq!(f.sync().moved, 1);
    assert_eq!(f.find("b.md").id, before);
}

#[test]
fn a_late_rename_is_recognised() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.add_folder(false);
    let before = f.find("a.md").id;
    f.rename("a.md", ".hidden-meanwhile");
    assert_eq!(f.sync().removed, 1);
    f.rename(".hidden-meanwhile", "b.md");
    assert_eq!(f.sync().moved, 1);
    assert_eq!(f.find("b.md").id, before);
    assert!(f.indexed("alpha"));
    assert_eq!((f.conversions(), f.embedded()), (1, 1));
}

#[test]
fn a_file_that_comes_back_changed_is_a_new_version() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.add_folder(false);
    let before = f.find("a.md").id;
    f.remove("a.md");
    f.sync();
    f.write("a.md", "other words");
    let report = f.sync();
    assert_eq!((report.updated, report.added), (1, 0));
    let after = f.find("a.md");
    assert_eq!((after.id, after.version, after.state), (before, Some(2), DocumentState::Ready));
    assert!(f.indexed("other words") && !f.indexed("alpha"));
}

#[test]
fn c11_names_that_look_alike_are_different_documents() {
    let f = Fixture::new();
    let names = [
        "my_file.md",
        "my-file.md",
        "my file.md",
        "README.md",
        "readme.md",
        "caf\u{e9}.md",
        "cafe\u{301}.md",
    ];
    for name in names {
        f.write(name, &format!("text of {}", name.escape_unicode()));
    }
    let on_disk = std::fs::read_dir(f.root()).unwrap().count();
    let report = f.add_folder(false);
    assert_eq!(report.added, on_disk);
    let mut uris: Vec<String> = f.all().into_iter().map(|d| d.uri).collect();
    uris.sort();
    uris.dedup();
    assert_eq!(uris.len(), on_disk);
    for document in f.all() {
        assert_eq!(f.library().find_document(&document.uri).unwrap().id, document.id);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_taken() {
    use std::os::unix::ffi::OsStrExt;
    let f = Fixture::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    std::fs::write(f.root().join(name), "latin text").unwrap();
    assert_eq!(f.add_folder(false).added, 1);
    assert_eq!(f.all()[0].path, b"caf\xe9.md");
    assert!(f.indexed("latin"));
}

#[test]
fn the_same_content_is_converted_and_embedded_once() {
    let f = Fixture::new();
    for name in ["a.md", "b.md", "sub/a copy.md"] {
        f.write(name, "# Same\n\nthe very same text");
    }
    f.add_folder(false);
    assert_eq!(f.ready().len(), 3);
    assert_eq!((f.conversions(), f.embedded()), (1, 1));
    assert_eq!(f.library().status().unwrap().passages, 3);
}

#[test]
fn a_folder_in_a_folder_gathers_its_documents() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write("sub/b.md", "beta text");
    f.add_folder(false);
    let before = f.find("sub/b.md").id;
    f.add(&f.path("sub"), true);
    let after = f.find("sub/b.md");
    assert_eq!((after.id, after.path.as_slice()), (before, b"b.md".as_slice()));
    assert_eq!(f.library().sources().unwrap().len(), 2);
    assert_eq!(f.sync().unchanged, 2);
    assert_eq!(f.all().len(), 2);
    // Moved from one to the other.
    f.rename("a.md", "sub/a.md");
    assert_eq!(f.sync().moved, 1);
    assert_eq!((f.conversions(), f.embedded()), (2, 2));
}
