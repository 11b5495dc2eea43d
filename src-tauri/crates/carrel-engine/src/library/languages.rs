//! Whether the embedder of a library knows the languages of its texts.

use super::Library;
use crate::error::Result;
use crate::ledger::content::ContentRow;
use crate::text::covered_share;

/// Newest versions that are looked at.
const VERSIONS: i64 = 16;
/// Bytes of each.
const SAMPLE: usize = 4 << 10;

impl Library {
    /// Share of the letters in a sample of the newest texts whose script the library's embedder was not trained for, 0 to 1; 0 where
    /// the library has no embedder or no text.
    pub fn foreign_share(&self) -> Result<f32> {
        let Some(space) = self.shared.space() else { return Ok(0.0) };
        let mut sample = String::new();
        self.shared.reads.with(|conn| {
            let mut newest = conn.prepare_cached(
                "SELECT v.content FROM version v JOIN document d ON d.row = v.document \
                 WHERE v.state = 'active' AND d.hidden_ns IS NULL ORDER BY v.id DESC LIMIT ?1",
            )?;
            let rows = newest.query_map([VERSIONS], |row| row.get::<_, ContentRow>(0))?;
            for row in rows {
                let content = self.shared.contents.get(conn, row?)?;
                sample.push_str(&content.markdown[..content.markdown.floor_char_boundary(SAMPLE)]);
            }
            Ok(())
        })?;
        Ok(1.0 - covered_share(&sample, &space.scripts))
    }
}
