//! Folders and tags by name: what a question can be narrowed to.

use super::Library;
use crate::domain::SourceKind;
use crate::error::Result;
use crate::ledger::sources;
use crate::text::fold_key;
use crate::watch::paths;
use std::collections::BTreeMap;

/// A folder or a tag, with the documents anywhere below it or with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// The absolute path of a folder, or the tag.
    pub value: String,
    /// Its last part, for display.
    pub name: String,
    /// How many documents.
    pub documents: usize,
}

impl Library {
    /// Folders whose name contains `words` at any depth, those with the shortest path first; without words the roots alone.
    pub fn folders_named(&self, words: &str, most: usize) -> Result<Vec<Narrowing>> {
        let words = fold_key(words.trim());
        self.shared.reads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT path FROM document WHERE source = ?1 AND state <> 'missing' ORDER BY path",
            )?;
            let mut found = Vec::new();
            for source in sources::all(conn)?.into_iter().filter(|s| s.kind == SourceKind::Folder) {
                let mut direct: Vec<(Vec<u8>, usize)> = Vec::new();
                let mut rows = statement.query([source.id.0])?;
                while let Some(row) = rows.next()? {
                    let above = parent(row.get_ref(0)?.as_blob()?);
                    match direct.last_mut() {
                        Some((last, count)) if last == above => *count += 1,
                        _ => direct.push((above.to_vec(), 1)),
                    }
                }
                let mut below: BTreeMap<&[u8], usize> = BTreeMap::new();
                for (folder, count) in &direct {
                    let mut folder = folder.as_slice();
                    while !folder.is_empty() {
                        *below.entry(folder).or_default() += count;
                        folder = parent(folder);
                    }
                    *below.entry(folder).or_default() += count;
                }
                for (folder, documents) in below {
                    let Some(path) = paths::absolute(source.kind, &source.root, folder) else { continue };
                    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                    let wanted =
                        if words.is_empty() { folder.is_empty() } else { fold_key(&name).contains(&words) };
                    if wanted {
                        // Joining the root with nothing leaves a slash at its end.
                        let value =
                            path.components().collect::<std::path::PathBuf>().to_string_lossy().into_owned();
                        found.push(Narrowing { value, name, documents });
                    }
                }
            }
            found.sort_by_cached_key(|folder| (folder.value.len(), folder.value.clone()));
            found.truncate(most);
            Ok(found)
        })
    }

    /// Tags that contain `words`, the most used first.
    pub fn tags_named(&self, words: &str, most: usize) -> Result<Vec<Narrowing>> {
        let words = fold_key(words.trim());
        self.shared.reads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT t.name, count(*) FROM tag t JOIN document d ON d.row = t.document WHERE d.state <> 'missing' \
                 GROUP BY t.name ORDER BY count(*) DESC, t.name",
            )?;
            let tags = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
            let tags = tags.collect::<rusqlite::Result<Vec<_>>>()?;
            let wanted = tags.into_iter().filter(|(name, _)| fold_key(name).contains(&words));
            let tag = |(name, documents): (String, i64)| Narrowing {
                value: name.clone(),
                name,
                documents: usize::try_from(documents).unwrap_or(0),
            };
            Ok(wanted.take(most).map(tag).collect())
        })
    }
}

/// The folder that a path lies in, relative to its source's root.
fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|&b| b == b'/').map_or(&[], |slash| &path[..slash])
}
