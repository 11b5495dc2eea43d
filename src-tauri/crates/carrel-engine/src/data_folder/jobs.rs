//! Jobs: rows, so that any window can list them, and the next process knows what was cut off.

use super::chats::time;
use super::{DataFolder, Job, JobState};
use crate::domain::{JobId, LibraryId};
use crate::error::{EngineError, Result};
use crate::seams::Tag;
use rusqlite::{Row, params};

/// Ended jobs that are kept.
const KEPT: u32 = 100;

fn from_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let state: String = row.get(4)?;
    Ok(Job {
        id: JobId(uuid::Uuid::from_bytes(row.get(0)?)),
        kind: row.get(1)?,
        subject: row.get(2)?,
        library: row.get::<_, Option<[u8; 16]>>(3)?.map(|id| LibraryId(uuid::Uuid::from_bytes(id))),
        state: JobState::parse(&state).unwrap_or(JobState::Interrupted),
        message: row.get(5)?,
        started: time(row.get(6)?),
        ended: row.get::<_, Option<i64>>(7)?.map(time),
    })
}

impl DataFolder {
    /// Begins a job row.
    pub fn begin_job(&self, kind: &str, subject: &str, library: Option<LibraryId>) -> Result<JobId> {
        let (id, now) = (JobId::random(), self.now_ns());
        self.with(|conn| {
            conn.execute(
                "INSERT INTO job (id, kind, subject, library, state, started_ns) VALUES (?1, ?2, ?3, ?4, 'running', ?5)",
                params![
                    id.0.as_bytes().as_slice(),
                    kind,
                    subject,
                    library.as_ref().map(|id| id.0.as_bytes().as_slice()),
                    now
                ],
            )?;
            conn.execute(
                "DELETE FROM job WHERE state <> 'running' AND row NOT IN \
                 (SELECT row FROM job WHERE state <> 'running' ORDER BY row DESC LIMIT ?1)",
                [KEPT],
            )?;
            Ok(())
        })?;
        self.emit(Tag::Jobs);
        Ok(id)
    }

    /// Ends a job row.
    pub fn end_job(&self, id: JobId, state: JobState, message: Option<&str>) -> Result<()> {
        let now = self.now_ns();
        let changed = self.with(|conn| {
            Ok(conn.execute(
                "UPDATE job SET state = ?2, message = ?3, ended_ns = ?4 WHERE id = ?1",
                params![id.0.as_bytes().as_slice(), state.as_str(), message, now],
            )?)
        })?;
        if changed == 0 {
            return Err(EngineError::NotFound { kind: "job", name: id.to_string() });
        }
        self.emit(Tag::Jobs);
        Ok(())
    }

    /// Jobs: running ones, and the last 100 that ended, newest first.
    pub fn jobs(&self) -> Result<Vec<Job>> {
        self.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT id, kind, subject, library, state, message, started_ns, ended_ns FROM job \
                 WHERE state = 'running' OR row IN (SELECT row FROM job WHERE state <> 'running' ORDER BY row DESC LIMIT ?1) \
                 ORDER BY row DESC",
            )?;
            let rows = statement.query_map([KEPT], from_row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    pub(super) fn interrupt_jobs(&self) -> Result<()> {
        let now = self.now_ns();
        self.with(|conn| {
            conn.execute(
                "UPDATE job SET state = 'interrupted', ended_ns = ?1 WHERE state = 'running'",
                [now],
            )?;
            Ok(())
        })
    }
}
