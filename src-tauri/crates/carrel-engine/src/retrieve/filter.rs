//! Which documents and passages may be found.
//!
//! A filter is turned into sets of rows before the legs run, so that each leg searches only what is allowed and a small
//! folder still fills the results. Values of one field are OR, fields are AND. Words that must or must not stand in a passage
//! narrow both legs alike.

use super::{Filter, SearchRequest};
use crate::domain::{DocumentId, GenerationId, PassageId};
use crate::error::{EngineError, Result};
use crate::index::lexical::LexicalSnapshot;
use crate::text::{WordLanguage, fold_key, neighbours};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::Connection;
use std::collections::HashSet;
use std::path::Path;

/// What may be found in one library.
#[derive(Debug, Default)]
pub(crate) struct Narrowed {
    allowed: Option<Allowed>,
    required: Option<HashSet<PassageId>>,
    excluded: HashSet<PassageId>,
}

impl Narrowed {
    /// Reads what the request lets through.
    pub(crate) fn new(
        conn: &Connection,
        generation: GenerationId,
        snapshot: &LexicalSnapshot,
        request: &SearchRequest,
    ) -> Result<Self> {
        let mut narrowed = Self { allowed: allowed(conn, generation, &request.filter)?, ..Self::default() };
        for words in &request.required {
            let Some(holding) = holding(snapshot, words)? else { continue };
            narrowed.required = Some(match narrowed.required.take() {
                Some(before) => before.intersection(&holding).copied().collect(),
                None => holding,
            });
        }
        for words in &request.excluded {
            narrowed.excluded.extend(holding(snapshot, words)?.unwrap_or_default());
        }
        Ok(narrowed)
    }

    /// Whether everything may be found.
    pub(crate) fn is_whole(&self) -> bool {
        self.allowed.is_none() && self.required.is_none() && self.excluded.is_empty()
    }

    /// Whether a passage may be found.
    pub(crate) fn keeps(&self, passage: PassageId) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.passages.contains(&passage)) && self.holds(passage)
    }

    /// The same for a passage of the index of words, which may be ahead of the ledger's active versions.
    pub(crate) fn keeps_of(&self, passage: PassageId, document: i64) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.documents.contains(&document))
            && self.holds(passage)
    }

    fn holds(&self, passage: PassageId) -> bool {
        self.required.as_ref().is_none_or(|required| required.contains(&passage))
            && !self.excluded.contains(&passage)
    }
}

/// Passages that hold these words next to each other, as any of the languages of the library stems them. `None` where there is no word.
fn holding(snapshot: &LexicalSnapshot, words: &str) -> Result<Option<HashSet<PassageId>>> {
    let mut found = None;
    let mut tried = Vec::new();
    for language in [WordLanguage::English].iter().chain(snapshot.languages()) {
        let terms = neighbours(words, *language);
        if !terms.is_empty() && !tried.contains(&terms) {
            found.get_or_insert_with(HashSet::new).extend(snapshot.holding(&terms)?);
            tried.push(terms);
        }
    }
    Ok(found)
}

/// Documents and passages that a filter lets through in one library.
#[derive(Debug, Default)]
struct Allowed {
    documents: HashSet<i64>,
    passages: HashSet<PassageId>,
}

/// Reads what `filter` lets through of the generation that answers. `None` for everything.
fn allowed(conn: &Connection, generation: GenerationId, filter: &Filter) -> Result<Option<Allowed>> {
    if filter.is_empty() {
        return Ok(None);
    }
    let (globs, no_globs) = (globs(&filter.paths)?, globs(&filter.except.paths)?);
    let fold = |tags: &[String]| -> Vec<String> { tags.iter().map(|t| fold_key(t)).collect() };
    let (tags, no_tags) = (fold(&filter.tags), fold(&filter.except.tags));
    let folders: Vec<String> = filter.folders.iter().map(|folder| slashes(folder)).collect();
    let is_narrowed = !filter.documents.is_empty() || !folders.is_empty();
    let is_named = |id: &DocumentId, root: &[u8], path: &[u8]| {
        filter.documents.contains(id) || (!folders.is_empty() && is_within(&folders, root, path))
    };
    let mut allowed = Allowed::default();
    let mut statement = conn.prepare_cached(
        "SELECT d.row, d.id, d.path, d.name, d.media_type, d.modified_ns, s.root FROM document d \
         JOIN source s ON s.id = d.source WHERE d.hidden_ns IS NULL",
    )?;
    let mut of_tag = conn.prepare_cached("SELECT name FROM tag WHERE document = ?1")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let document: i64 = row.get(0)?;
        let id = DocumentId(uuid::Uuid::from_bytes(row.get(1)?));
        if is_narrowed && !is_named(&id, row.get_ref(6)?.as_blob()?, row.get_ref(2)?.as_blob()?) {
            continue;
        }
        let (name, media_type): (String, String) = (row.get(3)?, row.get(4)?);
        let is_one = |types: &[String]| types.iter().any(|wanted| is_type(wanted, &media_type, &name));
        if (!filter.types.is_empty() && !is_one(&filter.types)) || is_one(&filter.except.types) {
            continue;
        }
        let modified: Option<i64> = row.get(5)?;
        if !in_time(modified, filter) {
            continue;
        }
        if globs.is_some() || no_globs.is_some() {
            let (path, root): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(6)?);
            let places = places(&String::from_utf8_lossy(&root), &String::from_utf8_lossy(&path));
            let is_one =
                |globs: &Gitignore, place| globs.matched_path_or_any_parents(place, false).is_ignore();
            let fits = |globs: &Gitignore| places.iter().any(|place| is_one(globs, Path::new(place)));
            if !globs.as_ref().is_none_or(fits) || no_globs.as_ref().is_some_and(fits) {
                continue;
            }
        }
        if !tags.is_empty() || !no_tags.is_empty() {
            let own = of_tag
                .query_map([document], |r| r.get::<_, String>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            let has_one = |tags: &[String]| own.iter().any(|t| tags.contains(&fold_key(t)));
            if (!tags.is_empty() && !has_one(&tags)) || has_one(&no_tags) {
                continue;
            }
        }
        allowed.documents.insert(document);
    }
    let wanted = serde_json::json!(allowed.documents).to_string();
    let mut statement = conn.prepare_cached(
        "SELECT p.id FROM version v JOIN passage p ON p.version = v.id AND p.generation = ?2 \
         WHERE v.state = 'active' AND v.document IN (SELECT value FROM json_each(?1))",
    )?;
    let passages =
        statement.query_map(rusqlite::params![wanted, generation.0], |r| r.get(0).map(PassageId))?;
    allowed.passages = passages.collect::<rusqlite::Result<_>>()?;
    Ok(Some(allowed))
}

impl Filter {
    /// Adds `key=value`: `type`, `path`, `tag`, `after` or `before`. The same key is OR, different keys are AND; `excluded` leaves out
    /// what fits instead. Fails for other keys and for what is no date.
    pub fn add(&mut self, key: &str, value: &str, excluded: bool) -> Result<()> {
        match (key, excluded) {
            ("type", false) => self.types.push(value.to_owned()),
            ("path", false) => self.paths.push(value.to_owned()),
            ("tag", false) => self.tags.push(value.to_owned()),
            ("type", true) => self.except.types.push(value.to_owned()),
            ("path", true) => self.except.paths.push(value.to_owned()),
            ("tag", true) => self.except.tags.push(value.to_owned()),
            // Of several bounds with OR between them the loosest holds.
            ("after", false) | ("before", true) => {
                let time = instant(value)?;
                self.after = Some(self.after.map_or(time, |t| t.min(time)));
            }
            ("before", false) | ("after", true) => {
                let time = instant(value)?;
                self.before = Some(self.before.map_or(time, |t| t.max(time)));
            }
            (other, _) => {
                let known = "use type, path, tag, after or before";
                return Err(EngineError::Invalid(format!("{other} is not a filter: {known}")));
            }
        }
        Ok(())
    }
}

/// An instant, or the beginning in UTC of a day, a month or a year.
fn instant(text: &str) -> Result<Timestamp> {
    let whole = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    let day = || format!("{}T00:00:00Z", whole.parse::<Date>().ok()?).parse().ok();
    text.parse().ok().or_else(day).ok_or_else(|| {
        EngineError::Invalid(format!(
            "{text} is not a date: write 2025, 2025-01, 2025-01-31 or 2025-01-31T09:00:00Z"
        ))
    })
}

fn in_time(modified_ns: Option<i64>, filter: &Filter) -> bool {
    if filter.after.is_none() && filter.before.is_none() {
        return true;
    }
    let Some(modified) = modified_ns.map(i128::from) else { return false };
    filter.after.is_none_or(|t| modified >= t.as_nanosecond())
        && filter.before.is_none_or(|t| modified < t.as_nanosecond())
}

/// Where a document lies, as people write it: below its source, below the name of that, and from the root of the disk.
fn places(root: &str, path: &str) -> [String; 3] {
    let path = path.trim_start_matches('/');
    let root = root.trim_matches('/');
    let name = root.rsplit('/').next().unwrap_or_default();
    let below = |above: &str| if above.is_empty() { path.to_owned() } else { format!("{above}/{path}") };
    [path.to_owned(), below(name), below(root)]
}

/// A path with the slashes of paths in a ledger, and none at its ends.
fn slashes(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    path.trim_matches('/').to_owned()
}

/// Whether a document lies anywhere in one of these folders.
fn is_within(folders: &[String], root: &[u8], path: &[u8]) -> bool {
    let places = places(&slashes(&String::from_utf8_lossy(root)), &String::from_utf8_lossy(path));
    folders.iter().any(|folder| {
        let below =
            |place: &String| place.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        folder.is_empty() || places.iter().any(below)
    })
}

fn globs(patterns: &[String]) -> Result<Option<Gitignore>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        builder
            .add_line(None, pattern)
            .map_err(|e| EngineError::Invalid(format!("the path filter {pattern} is not a pattern: {e}")))?;
    }
    builder
        .build()
        .map(Some)
        .map_err(|e| EngineError::Invalid(format!("the path filters are not patterns: {e}")))
}

/// Short names of media types, as people say them.
const SHORT: &[(&str, &str)] = &[
    ("pdf", "application/pdf"),
    ("markdown", "text/markdown"),
    ("md", "text/markdown"),
    ("text", "text/plain"),
    ("txt", "text/plain"),
    ("html", "text/html"),
    ("csv", "text/csv"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("epub", "application/epub+zip"),
];

/// Whether a document is of the type wanted: a media type, a short name, a file extension, or `code`.
fn is_type(wanted: &str, media_type: &str, name: &str) -> bool {
    let wanted = wanted.trim_start_matches('.').to_lowercase();
    let media_type = media_type.to_lowercase();
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase());
    media_type == wanted
        || SHORT.iter().any(|(short, of)| *short == wanted && *of == media_type)
        || media_type.strip_prefix("text/x-") == Some(&wanted)
        || (wanted == "code" && media_type.starts_with("text/x-"))
        || extension.as_deref() == Some(&wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_go_by_media_type_short_name_or_extension() {
        assert!(is_type("pdf", "application/pdf", "a"));
        assert!(is_type("application/pdf", "application/pdf", "a"));
        assert!(is_type("rust", "text/x-rust", "main.rs"));
        assert!(is_type("code", "text/x-rust", "main.rs"));
        assert!(is_type(".RS", "text/x-rust", "main.rs"));
        assert!(!is_type("pdf", "text/plain", "a.txt"));
    }

    #[test]
    fn filters_join_within_a_key() {
        let mut filter = Filter::default();
        for (key, value) in [
            ("type", "pdf"),
            ("type", "markdown"),
            ("tag", "tax"),
            ("after", "2025-01-31"),
            ("before", "2026"),
        ] {
            filter.add(key, value, false).unwrap();
        }
        filter.add("path", "drafts/**", true).unwrap();
        assert_eq!((filter.types.len(), filter.tags.len()), (2, 1));
        assert_eq!(filter.after.unwrap().to_string(), "2025-01-31T00:00:00Z");
        assert_eq!(filter.before.unwrap().to_string(), "2026-01-01T00:00:00Z");
        assert_eq!(filter.except.paths, ["drafts/**"]);
        for (key, value) in [("after", "tomorrow"), ("after", "2025-13"), ("colour", "red")] {
            assert!(filter.add(key, value, false).is_err(), "{key} {value}");
        }
    }

    #[test]
    fn a_path_may_be_given_from_its_source_or_from_the_root() {
        assert_eq!(
            places("/home/ada/notes", "tax/a.md"),
            ["tax/a.md", "notes/tax/a.md", "home/ada/notes/tax/a.md"]
        );
        assert_eq!(places("", "text-1"), ["text-1", "text-1", "text-1"]);
    }

    #[test]
    fn a_folder_holds_what_lies_anywhere_below_it_and_no_more() {
        let within =
            |folder: &str, path: &str| is_within(&[slashes(folder)], b"/home/ada/[notes]", path.as_bytes());
        assert!(within("/home/ada/[notes]/tax", "tax/2025/a.md"), "its name is no pattern");
        assert!(
            within("/home/ada/[notes]/", "a.md") && within("tax", "tax/a.md") && within("[notes]", "a.md")
        );
        assert!(!within("/home/ada/[notes]/tax", "taxes/a.md") && !within("/home/bob", "a.md"));
    }

    #[test]
    fn globs_match_at_any_depth_and_whole_folders() {
        let globs = globs(&["*.pdf".to_owned(), "notes/**".to_owned()]).unwrap().unwrap();
        let hit = |path: &str| globs.matched_path_or_any_parents(Path::new(path), false).is_ignore();
        assert!(hit("a/b/c.pdf") && hit("notes/x/y.md"));
        assert!(!hit("a/notes.md"));
    }
}
