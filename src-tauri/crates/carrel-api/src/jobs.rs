//! Jobs: rows in the data folder, and the running ones with the flag that stops them.
//!
//! A job ends when its guard goes, however that comes about; what was running when the process died is `interrupted` at the next
//! start, which the data folder sees to.

use crate::dto::JobDto;
use crate::events::EventHub;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::data_folder::{DataFolder, Job, JobState};
use carrel_engine::domain::{JobId, LibraryId};
use carrel_engine::seams::Tag;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Running jobs by id.
#[derive(Default)]
pub(crate) struct Jobs {
    running: Mutex<HashMap<JobId, Running>>,
}

#[derive(Clone)]
struct Running {
    kind: String,
    subject: String,
    cancel: Cancel,
    progress: Arc<Mutex<Option<(u64, u64)>>>,
}

/// A running job; dropping it without [`Guard::end`] marks it failed.
pub(crate) struct Guard<'a> {
    jobs: &'a Jobs,
    data: &'a DataFolder,
    events: &'a EventHub,
    id: JobId,
    progress: Arc<Mutex<Option<(u64, u64)>>>,
    ended: bool,
}

impl Jobs {
    /// Begins a job that `cancel` stops.
    pub(crate) fn begin<'a>(
        &'a self,
        data: &'a DataFolder,
        events: &'a EventHub,
        kind: &str,
        subject: &str,
        library: Option<LibraryId>,
        cancel: &Cancel,
    ) -> Result<Guard<'a>, Problem> {
        let id = data.begin_job(kind, subject, library)?;
        let progress = Arc::new(Mutex::new(None));
        let running = Running {
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            cancel: cancel.clone(),
            progress: progress.clone(),
        };
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(id, running);
        events.changed(Tag::Jobs, None);
        Ok(Guard { jobs: self, data, events, id, progress, ended: false })
    }

    /// Stops a running job. `false` when it does not run.
    pub(crate) fn cancel(&self, id: JobId) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(&id).inspect(|r| r.cancel.cancel()).is_some()
    }

    /// Whether this model is being fetched.
    pub(crate) fn is_downloading(&self, model: &str) -> bool {
        self.is_running("download", model)
    }

    /// Whether such a job works on this.
    pub(crate) fn is_running(&self, kind: &str, subject: &str) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.values().any(|r| r.kind == kind && r.subject == subject)
    }

    /// A job row as it crosses the border.
    pub(crate) fn describe(&self, job: Job, library: Option<String>) -> JobDto {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(&job.id).cloned();
        let progress = running.and_then(|r| *r.progress.lock().unwrap_or_else(PoisonError::into_inner));
        JobDto {
            id: job.id.to_string(),
            kind: job.kind,
            subject: job.subject,
            library,
            state: match job.state {
                JobState::Running => "running",
                JobState::Done => "done",
                JobState::Cancelled => "cancelled",
                JobState::Failed => "failed",
                JobState::Interrupted => "interrupted",
            }
            .to_owned(),
            message: job.message,
            started: job.started.to_string(),
            ended: job.ended.map(|t| t.to_string()),
            done: progress.map(|p| p.0),
            total: progress.map(|p| p.1),
        }
    }
}

impl Guard<'_> {
    /// Notes how far it is.
    pub(crate) fn progress(&self, done: u64, total: u64) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some((done, total));
    }

    /// Ends it as its result says.
    pub(crate) fn end<T>(self, result: Result<T, Problem>) -> Result<T, Problem> {
        self.end_as(result, |_| None)
    }

    /// The same for a result that can itself say why it is a failure.
    pub(crate) fn end_as<T>(
        mut self,
        result: Result<T, Problem>,
        failure: impl FnOnce(&T) -> Option<&str>,
    ) -> Result<T, Problem> {
        let (state, message) = match &result {
            Ok(value) => match failure(value) {
                None => (JobState::Done, None),
                why => (JobState::Failed, why),
            },
            Err(p) if p.is_cancelled() => (JobState::Cancelled, None),
            Err(p) => (JobState::Failed, Some(p.message.as_str())),
        };
        self.finish(state, message);
        result
    }

    fn finish(&mut self, state: JobState, message: Option<&str>) {
        self.ended = true;
        self.jobs.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        if let Err(error) = self.data.end_job(self.id, state, message) {
            tracing::warn!(%error, "the end of a job could not be noted");
        }
        self.events.changed(Tag::Jobs, None);
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.finish(JobState::Failed, Some("it stopped unexpectedly"));
        }
    }
}
