//! Questions of the library and the runs over them, as the ledger keeps them.

use super::Library;
use crate::domain::{DocumentId, PassageId, QuestionId, RunId};
use crate::error::{EngineError, Result};
use crate::ledger::records::{self, Records};
use crate::ledger::{generations, meta, set_meta};
use crate::quality::{Question, QuestionStatus, Run, whereabouts};
use crate::seams::Tag;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Library {
    /// The library's set, oldest first, each with where its answer stands now.
    pub fn questions(&self) -> Result<Vec<QuestionStatus>> {
        let questions: Vec<Question> =
            self.shared.reads.with(|conn| records::all(conn, Records::Questions))?;
        whereabouts(self, questions)
    }

    /// Adds a question, or changes it.
    pub fn add_question(&self, question: &Question) -> Result<()> {
        let question = question.clone();
        self.shared.writer.run(move |tx| {
            records::put(tx, Records::Questions, &question.id.to_string(), &question)?;
            tx.changed(Tag::Quality);
            Ok(())
        })
    }

    /// Removes questions of the set. Runs over them stay as they were. Those that are gone already are passed over.
    pub fn remove_questions(&self, ids: &[QuestionId]) -> Result<()> {
        let ids = ids.to_vec();
        self.shared.writer.run(move |tx| {
            for id in ids {
                records::remove(tx, Records::Questions, &id.to_string())?;
            }
            tx.changed(Tag::Quality);
            Ok(())
        })
    }

    /// Keeps a run.
    pub fn keep_run(&self, run: &Run) -> Result<()> {
        let run = run.clone();
        self.shared.writer.run(move |tx| {
            records::put(tx, Records::Runs, &run.id.to_string(), &run)?;
            tx.changed(Tag::Quality);
            Ok(())
        })
    }

    /// The runs that are kept, oldest first.
    pub fn runs(&self) -> Result<Vec<Run>> {
        self.shared.reads.with(|conn| records::all(conn, Records::Runs))
    }

    /// One run.
    pub fn run(&self, id: RunId) -> Result<Run> {
        let run = self.shared.reads.with(|conn| records::get(conn, Records::Runs, &id.to_string()))?;
        run.ok_or_else(|| EngineError::NotFound { kind: "run", name: id.to_string() })
    }

    /// Forgets a run.
    pub fn remove_run(&self, id: RunId) -> Result<()> {
        self.shared.writer.run(move |tx| {
            if !records::remove(tx, Records::Runs, &id.to_string())? {
                return Err(EngineError::NotFound { kind: "run", name: id.to_string() });
            }
            tx.changed(Tag::Quality);
            Ok(())
        })
    }

    /// Something small that is kept with the library; `None` where it is not there or not understood.
    pub fn note<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        let json = self.shared.reads.with(|conn| meta(conn, key))?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
    }

    /// Keeps something small with the library.
    pub fn set_note<T: Serialize>(&self, key: &'static str, value: &T) -> Result<()> {
        let json = serde_json::to_string(value).map_err(|e| EngineError::Internal(e.to_string()))?;
        self.shared.writer.run(move |tx| {
            tx.changed(Tag::Quality);
            set_meta(tx, key, &json)
        })
    }

    /// Documents that have a text, each with its media type.
    pub(crate) fn texts(&self) -> Result<Vec<(DocumentId, String)>> {
        self.shared.reads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT d.id, d.media_type FROM document d JOIN version v ON v.document = d.row
                 WHERE v.state = 'active' AND d.hidden_ns IS NULL",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get::<_, [u8; 16]>(0)?, row.get(1)?)))?;
            let found = rows.map(|row| row.map(|(id, kind)| (DocumentId(uuid::Uuid::from_bytes(id)), kind)));
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Tokens of all passages that answer now, and a few of them as they were handed to the embedder, with their tokens.
    pub fn weight(&self, few: usize) -> Result<(u64, Vec<(String, u32)>)> {
        let generation = self.shared.generation().id;
        let (tokens, ids) = self.shared.reads.with(|conn| {
            let tokens: i64 = conn
                .prepare_cached("SELECT coalesce(sum(tokens), 0) FROM passage WHERE generation = ?1")?
                .query_row([generation.0], |row| row.get(0))?;
            let mut some = conn.prepare_cached("SELECT id FROM passage WHERE generation = ?1 LIMIT ?2")?;
            let ids = some
                .query_map([generation.0, few as i64], |row| Ok(PassageId(row.get(0)?)))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            Ok((tokens.max(0) as u64, ids))
        })?;
        let few = self.live_passages(&ids)?.into_iter().map(|passage| (passage.text, passage.tokens));
        Ok((tokens, few.collect()))
    }

    /// Whether passages are made as the settings say: nothing is being built beside what answers.
    pub fn is_settled(&self) -> Result<bool> {
        self.shared.reads.with(|conn| Ok(generations::building(conn)?.is_none()))
    }

    /// The clock that the library was given.
    pub fn now(&self) -> Timestamp {
        self.shared.parts.clock.now()
    }
}
