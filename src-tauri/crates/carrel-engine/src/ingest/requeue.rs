//! At start: what another program version, or a failure of the last run, left to do. And what waited for a converter that came since.

use crate::error::Result;
use crate::ledger::{DocumentRow, documents, meta, set_meta, vectors};
use crate::library::shared::Shared;
use std::collections::HashMap;

/// Under this key of `meta` stand the converters that the queue was last compared with.
const CONVERTERS: &str = "converters";

/// Queues what a newer converter would convert otherwise, or can read at last, and lets failed embeddings be tried again.
/// Looks at rows, not at files.
pub(super) fn at_start(shared: &Shared) -> Result<()> {
    by_converters(shared)?;
    shared.writer.run(|tx| vectors::retry(tx, None))
}

/// Queues what the converters there are now would convert otherwise, or can read at last, where they changed. Returns how many.
pub(crate) fn by_converters(shared: &Shared) -> Result<usize> {
    let mut versions: Vec<_> = shared.parts.converter.converters();
    versions.sort_by(|a, b| a.id.cmp(&b.id));
    let all = versions.iter().map(|id| format!("{}/{}", id.id, id.version)).collect::<Vec<_>>().join(" ");
    let before = shared.reads.with(|conn| meta(conn, CONVERTERS))?;
    let mut due: Vec<DocumentRow> = Vec::new();
    let changed = before.as_ref() != Some(&all);
    if changed {
        let current: HashMap<String, u32> = versions.into_iter().map(|id| (id.id, id.version)).collect();
        due = shared.reads.with(|conn| {
            let mut statement = conn.prepare(
                "SELECT row, name, converter, state = 'skipped' AND reason_code IN ('unsupported_format', 'needs_model'),
                        EXISTS (SELECT 1 FROM version v WHERE v.document = document.row AND v.state IN ('active', 'pending')
                                AND v.warnings LIKE '%\"needs_model\"%')
                 FROM document WHERE queued = 0 AND hidden_ns IS NULL",
            )?;
            let mut rows = statement.query([])?;
            let mut due = Vec::new();
            while let Some(row) = rows.next()? {
                let converter: Option<String> = row.get(2)?;
                let newer = converter.as_deref().and_then(|name| name.rsplit_once('/')).is_some_and(|(id, version)| {
                    current.get(id).is_some_and(|now| version.parse::<u32>().is_ok_and(|made| made != *now))
                });
                let readable =
                    row.get(3)? && shared.parts.converter.converter_for(row.get_ref(1)?.as_str()?).is_some();
                let waiting: bool = row.get(4)?;
                if newer || readable || waiting {
                    due.push(row.get(0)?);
                }
            }
            Ok(due)
        })?;
    }
    let count = due.len();
    shared.writer.run(move |tx| {
        for row in due {
            documents::queue(tx, row, true)?;
        }
        if changed {
            set_meta(tx, CONVERTERS, &all)?;
        }
        Ok(count)
    })
}
