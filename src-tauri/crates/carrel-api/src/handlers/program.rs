//! `app.info`, `call.cancel`, `jobs.*`, `activity`, `ingest.pause`, `settings.*`.

use crate::call::Call;
use crate::dto::{
    ActivityDto, AppInfo, CallRef, Empty, FilePartDto, JobDto, JobList, JobRef, PauseRequest, ProgressDto,
    Settings, SettingsChange,
};
use crate::models;
use crate::problem::Problem;
use carrel_engine::data_folder::JobState;
use carrel_engine::domain::JobId;
use carrel_engine::seams::{ModelProvider as _, Tag};

pub(crate) fn app_info(call: &Call<'_>, _: Empty) -> Result<AppInfo, Problem> {
    let chosen = models::chosen_language_model(&call.app.models);
    let compute = call.app.models.compute();
    Ok(AppInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data: call.app.config.data.display().to_string(),
        models: call.app.config.models.display().to_string(),
        embedder: call.app.models.default_embedder(),
        language_model_local: chosen.as_ref().is_some_and(|(_, local)| *local),
        language_model: chosen.map(|(id, _)| id),
        device: compute.used,
        device_note: compute.note,
    })
}

pub(crate) fn call_cancel(call: &Call<'_>, request: CallRef) -> Result<Empty, Problem> {
    call.app.calls.cancel(&request.call);
    Ok(Empty {})
}

pub(crate) fn jobs_list(call: &Call<'_>, _: Empty) -> Result<JobList, Problem> {
    Ok(JobList { jobs: described(call)? })
}

pub(crate) fn jobs_cancel(call: &Call<'_>, request: JobRef) -> Result<Empty, Problem> {
    let id: JobId = request.id.parse().map_err(|_| Problem::not_found("job", &request.id))?;
    if call.app.jobs.cancel(id) {
        return Ok(Empty {});
    }
    // One that ended meanwhile is no error; one that never was is.
    if call.app.data.jobs()?.iter().any(|j| j.id == id) {
        return Ok(Empty {});
    }
    Err(Problem::not_found("job", &request.id))
}

pub(crate) fn activity(call: &Call<'_>, _: Empty) -> Result<ActivityDto, Problem> {
    // That an answer takes the processor for a while is no pause to anybody.
    let paused = call.app.is_paused();
    let mut progress = Vec::new();
    for library in call.app.open_libraries() {
        let p = library.progress();
        if p.converting == 0 && p.embedding == 0 && p.enriching == 0 && !p.scanning && !paused {
            continue;
        }
        progress.push(ProgressDto {
            library: call.app.data.library_name(library.id())?,
            converting: p.converting as u32,
            embedding: p.embedding as u32,
            enriching: p.enriching as u32,
            done: p.done as u32,
            total: p.total as u32,
            current: p.current,
            part: p.part.as_ref().map(FilePartDto::from),
            scanning: p.scanning,
            paused,
        });
    }
    Ok(ActivityDto { progress, jobs: described(call)? })
}

pub(crate) fn ingest_pause(call: &Call<'_>, request: PauseRequest) -> Result<Empty, Problem> {
    if call.app.set_paused(request.paused) {
        for library in call.app.open_libraries() {
            library.pause_ingest(request.paused);
        }
        call.app.events.changed(Tag::Jobs, None);
    }
    Ok(Empty {})
}

pub(crate) fn settings_get(call: &Call<'_>, _: Empty) -> Result<Settings, Problem> {
    let mut settings = call.app.data.settings()?;
    settings.retain(|key, _| !models::is_private(key));
    Ok(Settings { settings, warning: None })
}

pub(crate) fn settings_set(call: &Call<'_>, request: SettingsChange) -> Result<Settings, Problem> {
    for key in request.changes.keys() {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
        if key.is_empty() || key.len() > 64 || !key.chars().all(plain) || models::is_private(key) {
            return Err(Problem::bad_request(format!("{key} is not a setting")));
        }
    }
    let chosen = request.changes.get(models::LANGUAGE_MODEL);
    if let Some(chosen) = chosen {
        models::choose_language_model(&call.app.models, chosen.as_deref())?;
    }
    let reranker = request.changes.get(models::RERANKER);
    if let Some(reranker) = reranker {
        models::choose_reranker(&call.app.models, reranker.as_deref())?;
    }
    let device = request.changes.get(models::DEVICE);
    if let Some(device) = device {
        models::choose_device(&call.app.models, device.as_deref())?;
    }
    for (key, value) in &request.changes {
        call.app.data.set_setting(key, value.as_deref())?;
    }
    call.app.events.changed(Tag::Settings, None);
    if chosen.is_some() || reranker.is_some() || device.is_some() {
        call.app.events.changed(Tag::Models, None);
    }
    settings_get(call, Empty {})
}

/// Running jobs first, then newest first.
fn described(call: &Call<'_>) -> Result<Vec<JobDto>, Problem> {
    let mut jobs = call.app.data.jobs()?;
    jobs.sort_by_key(|j| j.state != JobState::Running);
    let open = call.app.open_libraries();
    let describe = |job: carrel_engine::data_folder::Job| {
        let library = job.library;
        let name = library.and_then(|id| call.app.data.library_name(id).ok());
        let mut dto = call.app.jobs.describe(job, name);
        let working = dto.state == "running" && dto.total.is_none();
        if let Some(library) = open.iter().find(|l| working && Some(l.id()) == library) {
            let progress = library.progress();
            (dto.done, dto.total) = (Some(progress.done as u64), Some(progress.total as u64));
        }
        dto
    };
    Ok(jobs.into_iter().map(describe).collect())
}
