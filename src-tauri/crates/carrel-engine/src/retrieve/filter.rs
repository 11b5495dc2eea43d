//! Which documents a filter lets through.
//!
//! A filter is turned into sets of rows before the legs run, so that each leg searches only what is allowed and a small
//! folder still fills the results. Values of one field are OR, fields are AND.

use super::Filter;
use crate::domain::{DocumentId, GenerationId, PassageId};
use crate::error::{EngineError, Result};
use crate::text::fold_key;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rusqlite::Connection;
use std::collections::HashSet;
use std::path::Path;

/// Documents and passages that a filter lets through in one library.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    pub(crate) documents: HashSet<i64>,
    pub(crate) passages: HashSet<PassageId>,
}

/// Reads what `filter` lets through of the generation that answers. `None` for everything.
pub(crate) fn allowed(
    conn: &Connection,
    generation: GenerationId,
    filter: &Filter,
) -> Result<Option<Allowed>> {
    if filter.is_empty() {
        return Ok(None);
    }
    let globs = globs(&filter.paths)?;
    let tags: Vec<String> = filter.tags.iter().map(|t| fold_key(t)).collect();
    let mut allowed = Allowed::default();
    let mut statement = conn.prepare_cached(
        "SELECT row, id, path, name, media_type, modified_ns FROM document WHERE hidden_ns IS NULL",
    )?;
    let mut of_tag = conn.prepare_cached("SELECT name FROM tag WHERE document = ?1")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let document: i64 = row.get(0)?;
        let id = DocumentId(uuid::Uuid::from_bytes(row.get(1)?));
        if !filter.documents.is_empty() && !filter.documents.contains(&id) {
            continue;
        }
        let (name, media_type): (String, String) = (row.get(3)?, row.get(4)?);
        if !filter.types.is_empty() && !filter.types.iter().any(|wanted| is_type(wanted, &media_type, &name))
        {
            continue;
        }
        let modified: Option<i64> = row.get(5)?;
        if !in_time(modified, filter) {
            continue;
        }
        if let Some(globs) = &globs {
            let path: Vec<u8> = row.get(2)?;
            let path = String::from_utf8_lossy(&path);
            let relative = Path::new(path.trim_start_matches('/'));
            if !globs.matched_path_or_any_parents(relative, false).is_ignore() {
                continue;
            }
        }
        if !tags.is_empty() {
            let own = of_tag
                .query_map([document], |r| r.get::<_, String>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            if !own.iter().any(|t| tags.contains(&fold_key(t))) {
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

fn in_time(modified_ns: Option<i64>, filter: &Filter) -> bool {
    if filter.after.is_none() && filter.before.is_none() {
        return true;
    }
    let Some(modified) = modified_ns.map(i128::from) else { return false };
    filter.after.is_none_or(|t| modified >= t.as_nanosecond())
        && filter.before.is_none_or(|t| modified < t.as_nanosecond())
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
    fn globs_match_at_any_depth_and_whole_folders() {
        let globs = globs(&["*.pdf".to_owned(), "notes/**".to_owned()]).unwrap().unwrap();
        let hit = |path: &str| globs.matched_path_or_any_parents(Path::new(path), false).is_ignore();
        assert!(hit("a/b/c.pdf") && hit("notes/x/y.md"));
        assert!(!hit("a/notes.md"));
    }
}
