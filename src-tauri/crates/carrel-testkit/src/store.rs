//! A library's store as sorted text, for comparing what a crash left with what a rebuild gives.

use carrel_engine::domain::{DocumentState, PassageId};
use carrel_engine::error::Result;
use carrel_engine::library::{DocumentOrder, DocumentQuery, Library};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Ledger rows, lexical entries and dense entries. Ids of rows are left out where they depend on how often something was
/// tried: passages are named by their document's URI, version and ordinal.
pub fn render_store(library: &Library) -> Result<String> {
    library.flush_indexes()?;
    let mut text = String::new();
    let mut names: BTreeMap<PassageId, String> = BTreeMap::new();
    let query = DocumentQuery {
        states: DocumentState::ALL.to_vec(),
        order: DocumentOrder::Path,
        limit: usize::MAX >> 1,
        ..DocumentQuery::default()
    };
    let (documents, _) = library.documents(&query)?;
    for document in &documents {
        line(
            &mut text,
            &format!("document {} {} {:?}", document.uri, document.state.as_str(), document.version),
        );
        for version in library.versions(document.id)? {
            let active = if version.active { "active" } else { "superseded" };
            line(&mut text, &format!("  version {} {active} {}", version.number, version.content_hash));
            if !version.active {
                continue;
            }
            for passage in library.passages(document.id, Some(version.number))? {
                line(
                    &mut text,
                    &format!(
                        "    passage {} {}..{} {} tokens {:?}",
                        passage.ordinal,
                        passage.span.start,
                        passage.span.end,
                        passage.tokens,
                        passage.heading_path
                    ),
                );
                names.insert(passage.id, format!("{} #{}", document.uri, passage.ordinal));
            }
        }
    }
    let entries = library.index_entries()?;
    let name = |id: &PassageId| names.get(id).cloned().unwrap_or_else(|| format!("STALE {id}"));
    let mut lexical: Vec<String> = entries
        .lexical
        .iter()
        .map(|(passage, _, length)| format!("lexical {} {length} terms", name(passage)))
        .collect();
    lexical.sort();
    let mut dense: Vec<String> = entries
        .dense
        .iter()
        .map(|(passage, vector)| {
            let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            format!("dense {} {}", name(passage), &blake3::hash(&bytes).to_hex()[..16])
        })
        .collect();
    dense.sort();
    for entry in lexical.iter().chain(&dense) {
        line(&mut text, entry);
    }
    Ok(text)
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
