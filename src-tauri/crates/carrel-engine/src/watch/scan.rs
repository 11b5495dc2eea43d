//! One scan: look, compare, write.

use super::apply::{Round, apply, uri};
use super::diff::{Judge, View, diff};
use super::walk::{self, Found, Listing, Scope};
use super::{paths, rules, unreadable};
use crate::cancel::{Cancel, Cancelled};
use crate::domain::{Reason, Source, SourceId, SourceKind};
use crate::error::Result;
use crate::fault;
use crate::ingest::{Core, hash_file};
use crate::ledger::documents::{self, ContentHash, Known};
use crate::ledger::sources::{self, Confirmation};
use crate::seams::{DocumentConverter, Limits};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// What a scan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Someone asked, or something happened.
    Asked,
    /// The user's word on a mass deletion of this source was given.
    Confirmed(SourceId),
    /// The time had come.
    Timer,
}

/// Looks at `targets` (empty: everything), compares with the ledger, writes what follows.
pub(super) fn round(
    core: &Arc<Core>,
    targets: &BTreeMap<SourceId, Scope>,
    cause: Cause,
    cancel: &Cancel,
) -> Result<Round> {
    let all = core.shared.reads.with(sources::all)?;
    let apart = apart(core, &all);
    let mut views = look_at(core, &all, targets, cause, &apart, cancel)?;
    if let Some(wider) = with_former_places(core, &all, targets, &views)? {
        views = look_at(core, &all, &wider, cause, &apart, cancel)?;
    }
    let unreadable = views
        .iter()
        .flat_map(|v| v.listing.unreadable.iter().map(|(path, why)| (uri(&v.source, path), why.clone())))
        .collect();
    unreadable::keep(core, &views)?;
    let missing = core.shared.reads.with(documents::missing)?;
    let judge = ByName { converter: core.shared.parts.converter.as_ref(), cancel };
    let plan = diff(&views, missing, &judge);
    cancel.check()?;
    drop(views);
    let mut round = apply(core, &all, plan)?;
    round.unreadable = unreadable;
    fault::point("ingest.after_scan");
    Ok(round)
}

fn look_at(
    core: &Core,
    all: &[Source],
    targets: &BTreeMap<SourceId, Scope>,
    cause: Cause,
    apart: &HashSet<PathBuf>,
    cancel: &Cancel,
) -> Result<Vec<View>> {
    let mut views = Vec::new();
    for source in all {
        let scope = match targets.get(&source.id) {
            Some(scope) => scope.clone(),
            None if targets.is_empty() => Scope::All,
            None => continue,
        };
        if let Some(view) = look(core, source, scope, cause, apart, cancel)? {
            views.push(view);
        }
    }
    Ok(views)
}

/// The event of a move may come in two parts, the new place first: then the place where the file was is looked at too.
fn with_former_places(
    core: &Core,
    all: &[Source],
    targets: &BTreeMap<SourceId, Scope>,
    views: &[View],
) -> Result<Option<BTreeMap<SourceId, Scope>>> {
    let mut ids: HashSet<[u8; 16]> = HashSet::new();
    let mut seen: HashSet<i64> = HashSet::new();
    for view in views {
        let known: HashSet<&[u8]> = view.known.iter().map(|known| known.path.as_slice()).collect();
        let fresh = view.listing.files.iter().filter(|found| !known.contains(found.path.as_slice()));
        ids.extend(fresh.filter_map(|found| found.stat.file_id));
        seen.extend(view.known.iter().map(|known| known.row));
    }
    if targets.is_empty() || ids.is_empty() {
        return Ok(None);
    }
    let mut wider = targets.clone();
    let mut found = false;
    for known in core.shared.reads.with(|conn| documents::with_file_ids(conn, &ids))? {
        let Some(source) = all.iter().find(|source| source.id == known.source) else { continue };
        let Some(path) = paths::absolute(source.kind, &source.root, &known.path) else { continue };
        if seen.contains(&known.row) || std::fs::symlink_metadata(path).is_ok() {
            continue;
        }
        match wider.entry(known.source).or_insert_with(|| Scope::Places(BTreeSet::new())) {
            Scope::All => {}
            Scope::Places(places) | Scope::Files(places) => found |= places.insert(known.path),
        }
    }
    Ok(found.then_some(wider))
}

/// Folders that a scan of another source does not enter: roots of sources below it, and Carrel's own data.
fn apart(core: &Core, all: &[Source]) -> HashSet<PathBuf> {
    let folder = &core.shared.folder;
    let mut apart: HashSet<PathBuf> =
        all.iter().filter(|s| s.kind == SourceKind::Folder).map(|s| s.root.clone()).collect();
    apart.insert(folder.clone());
    if let Some(data) = folder.parent().and_then(|libraries| libraries.parent())
        && data.join("carrel.db").is_file()
    {
        apart.insert(data.to_owned());
    }
    apart
}

/// A source as it is and as it was known; `None` for those that have no files.
fn look(
    core: &Core,
    source: &Source,
    scope: Scope,
    cause: Cause,
    apart: &HashSet<PathBuf>,
    cancel: &Cancel,
) -> Result<Option<View>> {
    let confirmation = core.shared.reads.with(|conn| sources::confirmation(conn, source.id))?;
    // Whether what vanished is back shows only in the whole of it.
    let scope = if confirmation == Confirmation::None { scope } else { Scope::All };
    let (known, total, exclusions) = core.shared.reads.with(|conn| {
        Ok((
            known(conn, source.id, &scope)?,
            documents::visible(conn, source.id)?,
            sources::exclusions(conn, source.id)?,
        ))
    })?;
    let listing: Listing = match source.kind {
        SourceKind::Folder => walk::walk(&source.root, &scope, apart, cancel)?,
        SourceKind::Files => single_files(&known, &scope, cancel)?,
        SourceKind::Texts | SourceKind::Pages => return Ok(None),
    };
    let (confirmed, retry) = (cause == Cause::Confirmed(source.id), cause != Cause::Timer);
    let source = source.clone();
    Ok(Some(View { source, scope, listing, known, total, exclusions, confirmation, confirmed, retry }))
}

fn known(conn: &Connection, source: SourceId, scope: &Scope) -> Result<Vec<Known>> {
    match scope {
        Scope::All => documents::of_source(conn, source, None),
        Scope::Places(places) | Scope::Files(places) => {
            let mut known: HashMap<i64, Known> = HashMap::new();
            for place in places {
                known
                    .extend(documents::of_source(conn, source, Some(place))?.into_iter().map(|k| (k.row, k)));
            }
            Ok(known.into_values().collect())
        }
    }
}

/// Single files: those that are known, and those that are asked for.
fn single_files(known: &[Known], scope: &Scope, cancel: &Cancel) -> Result<Listing, Cancelled> {
    let mut files: BTreeMap<&[u8], Option<[u8; 16]>> = BTreeMap::new();
    files.extend(known.iter().map(|k| (k.path.as_slice(), k.stat.file_id)));
    if let Scope::Files(asked) = scope {
        for path in asked {
            files.entry(path).or_insert(None);
        }
    }
    walk::look(files.into_iter(), cancel)
}

/// Judges by name and size.
struct ByName<'a> {
    converter: &'a dyn DocumentConverter,
    cancel: &'a Cancel,
}

impl Judge for ByName<'_> {
    fn refuse(&self, name: &str, found: &Found) -> Option<Reason> {
        let limit = Limits::default().input_bytes;
        if found.link {
            Some(rules::link())
        } else if found.stat.bytes > limit {
            Some(rules::too_large(found.stat.bytes, limit))
        } else if self.converter.converter_for(name).is_none() {
            Some(rules::unsupported(name))
        } else {
            None
        }
    }

    fn same_format(&self, old: &str, new: &str) -> bool {
        self.converter.converter_for(old) == self.converter.converter_for(new)
    }

    fn hash(&self, source: &Source, path: &[u8]) -> Option<ContentHash> {
        let path = paths::absolute(source.kind, &source.root, path)?;
        hash_file(&path, || self.cancel.is_cancelled()).ok().flatten()
    }
}
