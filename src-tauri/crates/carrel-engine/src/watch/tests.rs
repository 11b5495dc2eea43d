//! What scans mean, without a disk.

use super::diff::{Judge, MASS, Plan, View, diff};
use super::walk::{Found, Listing, Scope};
use crate::domain::{DocumentState, Reason, Source, SourceId, SourceKind};
use crate::ledger::documents::{ContentHash, Known, Stat};
use crate::ledger::sources::Confirmation;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

const SOURCE: SourceId = SourceId(1);

/// Contents by path; counts how many files are read.
#[derive(Default)]
struct Disk {
    contents: HashMap<Vec<u8>, &'static str>,
    read: Cell<usize>,
}

impl Judge for Disk {
    fn refuse(&self, name: &str, found: &Found) -> Option<Reason> {
        let no =
            |code: &str| Some(Reason { code: code.to_owned(), message: String::new(), retryable: false });
        if found.link {
            no("symlink")
        } else if name.contains(".png") {
            no("unsupported_format")
        } else {
            None
        }
    }

    fn same_format(&self, old: &str, new: &str) -> bool {
        old.rsplit('.').next() == new.rsplit('.').next()
    }

    fn hash(&self, _: &Source, path: &[u8]) -> Option<ContentHash> {
        self.read.set(self.read.get() + 1);
        self.contents.get(path).map(|text| *blake3::hash(text.as_bytes()).as_bytes())
    }
}

fn stat(id: u8, text: &str, time: i64) -> Stat {
    Stat { bytes: text.len() as u64, modified_ns: Some(time), file_id: Some([id; 16]) }
}

fn known(row: i64, path: &str, id: u8, text: &str) -> Known {
    Known {
        row,
        source: SOURCE,
        path: path.as_bytes().to_vec(),
        stat: stat(id, text, 1),
        hash: Some(*blake3::hash(text.as_bytes()).as_bytes()),
        state: DocumentState::Ready,
        code: None,
        hidden: false,
        queued: false,
        unread: false,
    }
}

fn found(path: &str, stat: Stat) -> Found {
    Found { path: path.as_bytes().to_vec(), stat, link: false }
}

fn view(known: Vec<Known>, files: Vec<Found>) -> View {
    View {
        source: Source {
            id: SOURCE,
            kind: SourceKind::Folder,
            root: "/r".into(),
            watched: true,
            present: true,
            needs_confirmation: false,
        },
        scope: Scope::All,
        listing: Listing { files, device: Some(u64::from_le_bytes([1; 8])), ..Listing::default() },
        total: known.iter().filter(|k| !k.hidden).count(),
        known,
        exclusions: HashSet::new(),
        confirmation: Confirmation::None,
        confirmed: false,
        retry: true,
    }
}

fn plan(view: View, missing: Vec<Known>, disk: &Disk) -> Plan {
    diff(&[view], missing, disk)
}

#[test]
fn what_is_as_it_was_is_not_read() {
    let disk = Disk::default();
    let plan =
        plan(view(vec![known(1, "a.md", 1, "x")], vec![found("a.md", stat(1, "x", 1))]), vec![], &disk);
    assert_eq!(plan, Plan { unchanged: vec![(1, DocumentState::Ready)], ..Plan::default() });
    assert_eq!(disk.read.get(), 0);
}

#[test]
fn a_rename_is_known_by_its_id_and_not_read() {
    let disk = Disk::default();
    let plan =
        plan(view(vec![known(1, "a.md", 1, "x")], vec![found("sub/b.md", stat(1, "x", 1))]), vec![], &disk);
    assert_eq!(plan.moved.len(), 1);
    assert_eq!(
        (plan.moved[0].row, plan.moved[0].path.as_slice(), plan.moved[0].anew),
        (1, b"sub/b.md".as_slice(), false)
    );
    assert!(plan.gone.is_empty() && plan.new.is_empty());
    assert_eq!(disk.read.get(), 0);
}

#[test]
fn a_copy_from_another_disk_is_known_by_its_content() {
    let mut disk = Disk::default();
    disk.contents.insert(b"b.md".to_vec(), "same");
    disk.contents.insert(b"c.md".to_vec(), "diff");
    let files = vec![
        found("b.md", stat(9, "same", 5)),
        found("c.md", stat(8, "diff", 5)),
        found("d.md", stat(7, "longer", 5)),
    ];
    let plan = plan(view(vec![known(1, "a.md", 1, "same")], files), vec![], &disk);
    assert_eq!(plan.moved.iter().map(|m| m.path.as_slice()).collect::<Vec<_>>(), [b"b.md"]);
    assert_eq!(plan.new.len(), 2);
    assert!(disk.read.get() <= 2, "only files of the same size are read");
}

#[test]
fn a_reused_inode_is_not_a_move() {
    let mut disk = Disk::default();
    disk.contents.insert(b"b.md".to_vec(), "other");
    let plan = plan(
        view(vec![known(1, "a.md", 1, "first")], vec![found("b.md", stat(1, "other", 7))]),
        vec![],
        &disk,
    );
    assert!(plan.moved.is_empty());
    assert_eq!((plan.new.len(), plan.gone.as_slice()), (1, [1].as_slice()));
}

#[test]
fn empty_files_are_not_each_other() {
    let mut disk = Disk::default();
    disk.contents.insert(b"b.md".to_vec(), "");
    let plan = plan(view(vec![known(1, "a.md", 1, "")], vec![found("b.md", stat(2, "", 7))]), vec![], &disk);
    assert!(plan.moved.is_empty());
}

#[test]
fn a_late_rename_takes_the_hidden_document_up() {
    let disk = Disk::default();
    let hidden = Known { hidden: true, state: DocumentState::Missing, ..known(1, "a.md", 1, "x") };
    let seen = view(vec![hidden.clone()], vec![found("b.md", stat(1, "x", 1))]);
    let plan = plan(seen, vec![hidden], &disk);
    assert!(plan.moved[0].hidden && plan.moved[0].row == 1);
}

#[test]
fn a_file_that_is_back_as_it_was_needs_no_reading() {
    let disk = Disk::default();
    let hidden = Known { hidden: true, state: DocumentState::Missing, ..known(1, "a.md", 1, "x") };
    let back =
        plan(view(vec![hidden.clone()], vec![found("a.md", stat(1, "x", 1))]), vec![hidden.clone()], &disk);
    assert_eq!(back.back, [(1, false)]);
    let changed =
        plan(view(vec![hidden.clone()], vec![found("a.md", stat(2, "xyz", 9))]), vec![hidden], &disk);
    assert_eq!(changed.check, [(1, false)]);
    assert_eq!(disk.read.get(), 0);
}

#[test]
fn a_mass_deletion_waits_for_the_word() {
    let disk = Disk::default();
    let many: Vec<Known> = (0..40).map(|i| known(i, &format!("{i}.md"), i as u8, "x")).collect();
    let left: Vec<Found> = (0..19).map(|i| found(&format!("{i}.md"), stat(i, "x", 1))).collect();
    let asked = plan(view(many.clone(), left.clone()), vec![], &disk);
    assert!(asked.gone.is_empty());
    assert_eq!(asked.sources[0].confirmation, Confirmation::Asked);
    let mut confirmed = view(many.clone(), left.clone());
    (confirmed.confirmed, confirmed.confirmation) = (true, Confirmation::Asked);
    let confirmed = plan(confirmed, vec![], &disk);
    assert_eq!((confirmed.gone.len(), confirmed.sources[0].confirmation), (21, Confirmation::None));
    let mut kept = view(many.clone(), left);
    kept.confirmation = Confirmation::Kept;
    assert!(plan(kept, vec![], &disk).gone.is_empty());
    let few: Vec<Found> =
        (0..40).skip(MASS - 1).map(|i| found(&format!("{i}.md"), stat(i, "x", 1))).collect();
    assert_eq!(plan(view(many, few), vec![], &disk).gone.len(), MASS - 1);
}

#[test]
fn what_was_never_read_goes_without_a_word() {
    let disk = Disk::default();
    let unread = (0..60).map(|i| Known {
        unread: true,
        queued: true,
        state: DocumentState::Waiting,
        ..known(i, &format!("{i}.md"), i as u8, "x")
    });
    let read = (60..70).map(|i| known(i, &format!("{i}.md"), i as u8, "x"));
    let left: Vec<Found> = (60..70).map(|i| found(&format!("{i}.md"), stat(i, "x", 1))).collect();
    let plan = plan(view(unread.chain(read).collect(), left), vec![], &disk);
    assert_eq!(plan.gone.len(), 60);
    assert!(plan.sources.is_empty(), "nobody is asked");
}

#[test]
fn what_was_in_the_way_of_a_file_may_be_gone() {
    let disk = Disk::default();
    for (code, again) in [("unreadable", true), ("converter_crashed", true), ("damaged", false)] {
        let failed =
            Known { state: DocumentState::Failed, code: Some(code.into()), ..known(1, "a.md", 1, "x") };
        let mut seen = view(vec![failed], vec![found("a.md", stat(1, "x", 1))]);
        seen.retry = true;
        assert_eq!(plan(seen, vec![], &disk).check.len(), usize::from(again), "{code}");
    }
}

#[test]
fn a_root_or_disk_that_is_absent_deletes_nothing() {
    let disk = Disk::default();
    let mut gone = view(vec![known(1, "a.md", 1, "x")], vec![]);
    gone.listing.absent = true;
    let plan_gone = plan(gone, vec![], &disk);
    assert!(plan_gone.gone.is_empty() && !plan_gone.sources[0].present);
    let mut unmounted = view(vec![known(1, "a.md", 2, "x")], vec![]);
    unmounted.listing.device = Some(77);
    let plan_unmounted = plan(unmounted, vec![], &disk);
    assert!(plan_unmounted.gone.is_empty() && !plan_unmounted.sources[0].present);
}

#[test]
fn what_cannot_be_looked_at_is_not_gone() {
    let disk = Disk::default();
    let mut seen = view(vec![known(1, "locked/a.md", 1, "x"), known(2, "b.md", 2, "x")], vec![]);
    seen.listing.unreadable.push((b"locked".to_vec(), "no".to_owned()));
    assert_eq!(plan(seen, vec![], &disk).gone, [2]);
}

#[test]
fn exclusions_and_unreadable_formats_stay_out() {
    let disk = Disk::default();
    let mut seen = view(vec![], vec![found("out.md", stat(1, "x", 1)), found("a.png", stat(2, "x", 1))]);
    seen.exclusions.insert(b"out.md".to_vec());
    let plan = plan(seen, vec![], &disk);
    assert_eq!(plan.new.len(), 1);
    assert_eq!(plan.new[0].refused.as_ref().map(|r| r.code.as_str()), Some("unsupported_format"));
}

#[test]
fn events_in_folders_that_are_never_entered_are_no_hints() {
    for path in [".git/index", "a/node_modules/b/c.js", "a/.cache/x.md"] {
        assert!(super::below_passed_over(path.as_bytes()), "{path}");
    }
    for path in ["a.md", "a/b/c.md", "a/.carrelignore"] {
        assert!(!super::below_passed_over(path.as_bytes()), "{path}");
    }
}
