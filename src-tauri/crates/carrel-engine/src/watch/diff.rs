//! What a scan means: new, changed, moved, back, gone. Pure, apart from hashing files whose size is that of a vanished one.
//!
//! Invariant: nothing is gone that could not be looked at, whose root or disk is absent, or that is part of a mass deletion
//! without the user's word.

use super::paths::name;
use super::walk::{Found, Listing, Scope, device_of};
use crate::domain::{DocumentState, Reason, Source, SourceId, SourceKind};
use crate::ledger::DocumentRow;
use crate::ledger::documents::{ContentHash, Known, Stat};
use crate::ledger::sources::Confirmation;
use std::collections::{HashMap, HashSet};

/// A deletion of more than half and of at least this many files at once waits for the user's word.
pub(crate) const MASS: usize = 20;

/// A source as it was seen and as it was known.
pub(crate) struct View {
    pub(crate) source: Source,
    pub(crate) scope: Scope,
    pub(crate) listing: Listing,
    /// Its documents within the scope, hidden ones included.
    pub(crate) known: Vec<Known>,
    /// Its visible documents in all.
    pub(crate) total: usize,
    pub(crate) exclusions: HashSet<Vec<u8>>,
    pub(crate) confirmation: Confirmation,
    /// The user's word is given: what vanished is deleted.
    pub(crate) confirmed: bool,
    /// What could not be read is tried again.
    pub(crate) retry: bool,
}

/// A file without a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct New {
    pub(crate) source: SourceId,
    pub(crate) path: Vec<u8>,
    pub(crate) stat: Stat,
    pub(crate) refused: Option<Reason>,
}

/// A document whose file lies elsewhere now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moved {
    pub(crate) row: DocumentRow,
    pub(crate) hidden: bool,
    pub(crate) source: SourceId,
    pub(crate) path: Vec<u8>,
    pub(crate) stat: Stat,
    /// Its name is that of another format.
    pub(crate) anew: bool,
}

/// A document that is not taken any more, or not yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refused {
    pub(crate) row: DocumentRow,
    pub(crate) stat: Stat,
    pub(crate) reason: Reason,
}

/// What a source turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceNews {
    pub(crate) id: SourceId,
    pub(crate) present: bool,
    pub(crate) confirmation: Confirmation,
}

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) sources: Vec<SourceNews>,
    pub(crate) new: Vec<New>,
    pub(crate) moved: Vec<Moved>,
    /// Perhaps changed: their bytes decide. `true` converts whatever they are.
    pub(crate) check: Vec<(DocumentRow, bool)>,
    /// Hidden, and there again as they were.
    pub(crate) back: Vec<(DocumentRow, bool)>,
    pub(crate) gone: Vec<DocumentRow>,
    pub(crate) refused: Vec<Refused>,
    /// As they were.
    pub(crate) unchanged: Vec<(DocumentRow, DocumentState)>,
}

/// What the diff asks about a file.
pub(crate) trait Judge {
    /// Why a file of this name and size is not taken.
    fn refuse(&self, name: &str, found: &Found) -> Option<Reason>;
    /// Whether two names belong to the same converter.
    fn same_format(&self, old: &str, new: &str) -> bool;
    /// BLAKE3 of a file's bytes; `None` where it cannot be read.
    fn hash(&self, source: &Source, path: &[u8]) -> Option<ContentHash>;
}

/// Compares what was seen with what was known. `missing` are the hidden documents of all sources.
pub(crate) fn diff(views: &[View], missing: Vec<Known>, judge: &dyn Judge) -> Plan {
    let mut plan = Plan::default();
    let mut fresh: Vec<(&View, &Found, Option<&Known>)> = Vec::new();
    let mut vanished: Vec<(usize, &Known)> = Vec::new();
    let mut returned: HashSet<DocumentRow> = HashSet::new();
    for (at, view) in views.iter().enumerate() {
        if absent(view) {
            continue;
        }
        let mut known: HashMap<&[u8], &Known> = view.known.iter().map(|k| (k.path.as_slice(), k)).collect();
        for found in &view.listing.files {
            match known.remove(found.path.as_slice()) {
                Some(known) if !known.hidden || known.stat == found.stat => {
                    returned.insert(known.row);
                    compare(view, known, found, judge, &mut plan);
                }
                // Another file may have come to the place of a hidden one.
                Some(known) => fresh.push((view, found, Some(known))),
                None if view.exclusions.contains(&found.path) => {}
                None => fresh.push((view, found, None)),
            }
        }
        let unseen = Scope::Places(view.listing.unreadable.iter().map(|(place, _)| place.clone()).collect());
        vanished.extend(known.into_values().filter(|k| !k.hidden && !unseen.holds(&k.path)).map(|k| (at, k)));
    }
    vanished.sort_unstable_by_key(|(_, known)| known.row);
    let mut candidates =
        Candidates::new(vanished.iter().map(|(_, known)| (*known).clone()).chain(missing), &returned);
    for (view, found, hidden) in fresh {
        place(view, found, hidden, &mut candidates, judge, &mut plan);
    }
    let moved: HashSet<DocumentRow> = plan.moved.iter().map(|moved| moved.row).collect();
    vanished.retain(|(_, known)| !moved.contains(&known.row));
    delete(views, &vanished, &mut plan);
    plan
}

/// Whether a source cannot be looked at now: its root is gone, or an empty folder is all that is left of its disk.
fn absent(view: &View) -> bool {
    let elsewhere = |known: &Known| match (known.stat.file_id, view.listing.device) {
        (Some(id), Some(now)) => device_of(id) != now,
        _ => false,
    };
    view.listing.absent
        || (view.source.kind == SourceKind::Folder
            && view.listing.files.is_empty()
            && view.listing.unreadable.is_empty()
            && !view.known.is_empty()
            && view.known.iter().all(elsewhere))
}

fn compare(view: &View, known: &Known, found: &Found, judge: &dyn Judge, plan: &mut Plan) {
    if known.stat == found.stat {
        match (known.hidden, known.state, known.code.as_deref()) {
            (true, ..) => plan.back.push((known.row, known.unread)),
            // What was in the way then may not be now.
            (_, DocumentState::Failed, Some("unreadable" | "converter_crashed" | "cancelled"))
                if view.retry =>
            {
                plan.check.push((known.row, true));
            }
            _ if known.queued || known.unread => plan.check.push((known.row, false)),
            _ => plan.unchanged.push((known.row, known.state)),
        }
        return;
    }
    match judge.refuse(&name(view.source.kind, &found.path), found) {
        // What it said before stays out of sight: the place is another's now.
        Some(_) if found.link && known.state != DocumentState::Skipped => plan.gone.push(known.row),
        Some(reason) => plan.refused.push(Refused { row: known.row, stat: found.stat, reason }),
        None => plan.check.push((known.row, known.state == DocumentState::Skipped)),
    }
}

/// A file at a place that was not known, or only of a hidden document: a moved document, or a new one.
fn place(
    view: &View,
    found: &Found,
    hidden: Option<&Known>,
    candidates: &mut Candidates,
    judge: &dyn Judge,
    plan: &mut Plan,
) {
    let file = name(view.source.kind, &found.path);
    let moved = if found.link {
        None
    } else {
        candidates.take(found, &file, || judge.hash(&view.source, &found.path))
    };
    if let Some(known) = moved.filter(|moved| hidden.is_none_or(|hidden| hidden.row != moved.row)) {
        let before = name(view.source.kind, &known.path);
        plan.moved.push(Moved {
            row: known.row,
            hidden: known.hidden,
            source: view.source.id,
            path: found.path.clone(),
            stat: found.stat,
            anew: known.unread || !judge.same_format(&before, &file),
        });
        return;
    }
    let refused = judge.refuse(&file, found);
    match hidden {
        Some(known) => {
            candidates.forget(known.row);
            if refused.is_none() {
                plan.check.push((known.row, false));
            }
        }
        None => {
            plan.new.push(New {
                source: view.source.id,
                path: found.path.clone(),
                stat: found.stat,
                refused,
            });
        }
    }
}

fn delete(views: &[View], vanished: &[(usize, &Known)], plan: &mut Plan) {
    for (at, view) in views.iter().enumerate() {
        let absent = absent(view);
        // Nothing is lost with what was never read: it neither asks nor waits.
        let here = vanished.iter().filter(|(v, _)| *v == at);
        let (unread, gone): (Vec<&Known>, Vec<&Known>) =
            here.map(|(_, known)| *known).partition(|known| known.unread);
        let mass = gone.len() >= MASS && gone.len() * 2 > view.total.saturating_sub(unread.len());
        let all = view.scope == Scope::All;
        let confirmation = match view.confirmation {
            kept if absent => kept,
            _ if view.confirmed => Confirmation::None,
            Confirmation::Kept if mass => Confirmation::Kept,
            _ if mass => Confirmation::Asked,
            before if !all => before,
            _ => Confirmation::None,
        };
        if !absent {
            plan.gone.extend(unread.iter().map(|known| known.row));
        }
        if !absent && (view.confirmed || !mass) {
            plan.gone.extend(gone.iter().map(|known| known.row));
        }
        let news = SourceNews { id: view.source.id, present: !absent, confirmation };
        if news.present != view.source.present || confirmation != view.confirmation {
            plan.sources.push(news);
        }
    }
}

/// Documents whose file is not at its place, waiting to be found elsewhere.
struct Candidates {
    known: Vec<Option<Known>>,
    by_row: HashMap<DocumentRow, usize>,
    by_id: HashMap<[u8; 16], usize>,
    by_hash: HashMap<ContentHash, Vec<usize>>,
    sizes: HashSet<u64>,
}

impl Candidates {
    fn new(known: impl Iterator<Item = Known>, returned: &HashSet<DocumentRow>) -> Self {
        let mut candidates = Self {
            known: Vec::new(),
            by_row: HashMap::new(),
            by_id: HashMap::new(),
            by_hash: HashMap::new(),
            sizes: HashSet::new(),
        };
        for known in known {
            let at = candidates.known.len();
            if returned.contains(&known.row) || candidates.by_row.contains_key(&known.row) {
                continue;
            }
            candidates.by_row.insert(known.row, at);
            if let Some(id) = known.stat.file_id {
                candidates.by_id.insert(id, at);
            }
            // Two empty files are not the same document.
            if let Some(hash) = known.hash.filter(|_| known.stat.bytes > 0) {
                candidates.by_hash.entry(hash).or_default().push(at);
                candidates.sizes.insert(known.stat.bytes);
            }
            candidates.known.push(Some(known));
        }
        candidates
    }

    /// The document that this file is: by id, size and time without reading it, else by its content.
    fn take(
        &mut self,
        found: &Found,
        file: &str,
        hash: impl FnOnce() -> Option<ContentHash>,
    ) -> Option<Known> {
        let by_id = found.stat.file_id.and_then(|id| self.by_id.get(&id)).copied();
        if let Some(at) = by_id
            && self.known[at].as_ref().is_some_and(|known| known.stat == found.stat)
        {
            return self.known[at].take();
        }
        if !self.sizes.contains(&found.stat.bytes) {
            return None;
        }
        let same = self.by_hash.get_mut(&hash()?)?;
        same.retain(|&at| self.known[at].is_some());
        let named =
            |at: usize| self.known[at].as_ref().is_some_and(|known| known.path.ends_with(file.as_bytes()));
        let chosen = same.iter().copied().find(|&at| named(at)).or_else(|| same.first().copied())?;
        self.known[chosen].take()
    }

    fn forget(&mut self, row: DocumentRow) {
        if let Some(&at) = self.by_row.get(&row) {
            self.known[at] = None;
        }
    }
}
