//! `models.*`, `endpoint.*`

use crate::call::Call;
use crate::dto::{
    DownloadEvent, Empty, EndpointAdd, EndpointDto, EndpointList, ModelDto, ModelImport, ModelList, ModelRef,
    ModelTest,
};
use crate::models;
use crate::problem::Problem;
use carrel_engine::seams::Tag;
use carrel_models::{Endpoint, ModelRole};
use std::time::{Duration, Instant};

/// Least time between two lines of a download.
const PACE: Duration = Duration::from_millis(100);

pub(crate) fn models_list(call: &Call<'_>, _: Empty) -> Result<ModelList, Problem> {
    let models = call.app.models.list();
    Ok(ModelList { models: models.into_iter().map(|model| described(call, model)).collect() })
}

/// A model as it is listed.
pub(super) fn described(call: &Call<'_>, model: carrel_models::ModelInfo) -> ModelDto {
    let downloading = call.app.jobs.is_downloading(&model.id);
    ModelDto::of(model, downloading)
}

pub(crate) fn models_get(
    call: &Call<'_>,
    request: ModelRef,
    lines: &mut dyn FnMut(DownloadEvent),
) -> Result<ModelDto, Problem> {
    // An unknown id is no job.
    call.app.models.info(&request.id)?;
    let job = call.app.begin_job("download", &request.id, None, call.cancel)?;
    call.app.events.changed(Tag::Models, None);
    let mut last: Option<Instant> = None;
    let result = call.app.models.get(
        &request.id,
        &mut |progress| {
            job.progress(progress.done, progress.total);
            if progress.done < progress.total && last.is_some_and(|t| t.elapsed() < PACE) {
                return;
            }
            last = Some(Instant::now());
            lines(DownloadEvent::Progress {
                file: progress.file.to_owned(),
                done: progress.done,
                total: progress.total,
            });
        },
        call.cancel,
    );
    let model = job.end(result.map_err(Problem::from));
    call.app.events.changed(Tag::Models, None);
    let model = model?;
    tell_libraries(call, model.role)?;
    Ok(ModelDto::of(model, false))
}

pub(crate) fn models_import(call: &Call<'_>, request: ModelImport) -> Result<ModelDto, Problem> {
    let model = call.app.models.import(&super::place(&request.path)?, call.cancel)?;
    call.app.events.changed(Tag::Models, None);
    Ok(ModelDto::of(model, false))
}

pub(crate) fn models_remove(call: &Call<'_>, request: ModelRef) -> Result<Empty, Problem> {
    let role = call.app.models.info(&request.id).map(|model| model.role);
    call.app.models.remove(&request.id)?;
    call.app.events.changed(Tag::Models, None);
    tell_libraries(call, role?)?;
    Ok(Empty {})
}

/// Documents may have waited for a model that reads them.
fn tell_libraries(call: &Call<'_>, role: ModelRole) -> Result<(), Problem> {
    if matches!(role, ModelRole::Ocr | ModelRole::Transcriber) {
        for library in call.app.open_libraries() {
            library.convert_what_waited()?;
        }
    }
    Ok(())
}

pub(crate) fn models_test(call: &Call<'_>, request: ModelRef) -> Result<ModelTest, Problem> {
    call.app.models.info(&request.id)?;
    let began = Instant::now();
    let result = call.app.models.test(&request.id, call.cancel).map_err(Problem::from);
    let ms = began.elapsed().as_secs_f64() * 1_000.0;
    call.app.events.changed(Tag::Models, None);
    match result {
        Ok(message) => Ok(ModelTest { ok: true, message, ms }),
        Err(problem) if problem.is_cancelled() => Err(problem),
        Err(problem) => Ok(ModelTest { ok: false, message: problem.message, ms }),
    }
}

pub(crate) fn endpoint_add(call: &Call<'_>, request: EndpointAdd) -> Result<EndpointDto, Problem> {
    let role = Endpoint::ROLES.into_iter().find(|role| role.as_str() == request.role).ok_or_else(|| {
        let roles = Endpoint::ROLES.map(ModelRole::as_str).join(", ");
        Problem::bad_request(format!("{} is not a role of an endpoint: use one of {roles}", request.role))
    })?;
    if request.window == Some(0) {
        return Err(Problem::bad_request("a model that reads 0 tokens reads nothing"));
    }
    let url = request.url.trim().trim_end_matches('/').to_owned();
    if !crate::fetch::is_url(&url) {
        return Err(Problem::bad_request(format!(
            "{url} is not an address: it must begin with http:// or https://"
        )));
    }
    let mut endpoints = models::endpoints(&call.app.data)?;
    let taken = |id: &str| call.app.models.info(id).is_ok();
    let endpoint = Endpoint {
        id: free_id(&url, request.model.as_deref(), &taken),
        url,
        role,
        model: request.model.filter(|m| !m.is_empty()),
        key_env: request.key_env.filter(|k| !k.is_empty()),
        window: request.window,
    };
    endpoints.push(endpoint.clone());
    models::keep_endpoints(&call.app.models, &call.app.data, endpoints)?;
    call.app.events.changed(Tag::Models, None);
    Ok(endpoint.into())
}

pub(crate) fn endpoint_list(call: &Call<'_>, _: Empty) -> Result<EndpointList, Problem> {
    Ok(EndpointList {
        endpoints: models::endpoints(&call.app.data)?.into_iter().map(EndpointDto::from).collect(),
    })
}

pub(crate) fn endpoint_remove(call: &Call<'_>, request: ModelRef) -> Result<Empty, Problem> {
    let mut endpoints = models::endpoints(&call.app.data)?;
    let before = endpoints.len();
    endpoints.retain(|e| e.id != request.id);
    if endpoints.len() == before {
        return Err(Problem::not_found("endpoint", &request.id));
    }
    models::keep_endpoints(&call.app.models, &call.app.data, endpoints)?;
    call.app.events.changed(Tag::Models, None);
    Ok(Empty {})
}

/// `localhost-11434-llama3`, with a number where that is taken.
fn free_id(url: &str, model: Option<&str>, taken: &dyn Fn(&str) -> bool) -> String {
    let host = url.split("://").nth(1).unwrap_or(url).split('/').next().unwrap_or_default();
    // Whatever stands before an @ is a secret.
    let host = host.rsplit('@').next().unwrap_or_default();
    let words = [Some(host), model].into_iter().flatten().collect::<Vec<_>>().join("-");
    let mut base: String = words
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' })
        .collect();
    base = base.trim_matches('-').to_owned();
    let mut numbered = (2..).map(|n| format!("{base}-{n}"));
    let mut id = base.clone();
    while taken(&id) {
        id = numbered.next().unwrap_or_else(|| base.clone());
    }
    id
}

#[cfg(test)]
mod tests {
    use super::free_id;

    #[test]
    fn an_endpoint_gets_a_readable_id_without_secrets() {
        let free = |_: &str| false;
        assert_eq!(
            free_id("http://localhost:11434/v1", Some("llama3.2:1b"), &free),
            "localhost-11434-llama3.2-1b"
        );
        assert_eq!(free_id("https://key@api.example.org/v1", None, &free), "api.example.org");
        assert_eq!(free_id("http://h", None, &|id| id == "h"), "h-2");
    }
}
