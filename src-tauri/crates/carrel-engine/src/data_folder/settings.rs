//! Settings of the data folder.

use super::DataFolder;
use crate::error::Result;
use crate::seams::Tag;
use std::collections::BTreeMap;

impl DataFolder {
    /// Settings of the data folder (language, theme, endpoints, chosen model): JSON values by key.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        self.with(|conn| {
            let mut statement = conn.prepare_cached("SELECT key, value FROM setting")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Sets (`Some`) or clears (`None`) one setting.
    pub fn set_setting(&self, key: &str, value: Option<&str>) -> Result<()> {
        self.with(|conn| {
            match value {
                Some(value) => conn.execute(
                    "INSERT INTO setting (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
                    [key, value],
                )?,
                None => conn.execute("DELETE FROM setting WHERE key = ?1", [key])?,
            };
            Ok(())
        })?;
        self.emit(Tag::Settings);
        Ok(())
    }
}
