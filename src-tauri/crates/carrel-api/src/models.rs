//! Models as the rest of this crate sees them, and the settings that choose among them.
//!
//! Which language model answers and which endpoints there are is kept in the data folder's settings; the models themselves lie in
//! a folder that several data folders may share.

use crate::app::AppConfig;
use crate::dto::{CheckDto, EndpointDto, ModelDto};
use crate::handlers::{absent, bad, good};
use crate::problem::Problem;
use carrel_convert::{WorkerConfig, WorkerPool};
use carrel_engine::data_folder::DataFolder;
use carrel_engine::seams::{DocumentConverter, ModelError};
use carrel_models::{
    Endpoint, LATE_INTERACTION, ModelInfo, ModelRole, ModelState, Models, ModelsConfig, Place,
};
use std::path::Path;
use std::sync::Arc;

/// Setting: id of the chosen language model.
pub(crate) const LANGUAGE_MODEL: &str = "language_model";
/// Setting: id of the chosen reranker.
pub(crate) const RERANKER: &str = "reranker";
/// Setting: where embedders and rerankers compute.
pub(crate) const DEVICE: &str = "device";
/// Setting: endpoints, as JSON.
const ENDPOINTS: &str = "endpoints";

/// Whether a setting is not for surfaces.
pub(crate) fn is_private(key: &str) -> bool {
    key == ENDPOINTS
}

/// The models of a folder, before anything is chosen. `threads`: inference workers, 0 for one per core.
pub(crate) fn open(folder: &Path, threads: usize) -> Models {
    Models::open(ModelsConfig { folder: folder.to_owned(), threads, ..ModelsConfig::default() })
}

/// Chooses as the data folder says. A choice that cannot be read is told and left alone.
pub(crate) fn take_settings(models: &Models, data: &DataFolder) -> Result<(), Problem> {
    let settings = data.settings()?;
    match endpoints(data) {
        Ok(endpoints) => models.set_endpoints(endpoints),
        Err(problem) => tracing::error!(%problem, "the endpoints could not be read"),
    }
    models.set_chosen_language_model(settings.get(LANGUAGE_MODEL).cloned());
    models.set_chosen_reranker(settings.get(RERANKER).cloned());
    if let Err(problem) = choose_device(models, settings.get(DEVICE).map(String::as_str)) {
        tracing::error!(%problem, "the device could not be chosen");
    }
    Ok(())
}

/// Chooses where models compute: `auto` (also `None`), `cpu`, `cuda:N` or `metal`. What cannot be had is the processor, and said.
pub(crate) fn choose_device(models: &Models, place: Option<&str>) -> Result<(), Problem> {
    models.set_place(place.map_or(Ok(Place::Auto), str::parse).map_err(Problem::bad_request)?);
    Ok(())
}

/// Chooses the language model; `None` for the default one.
pub(crate) fn choose_language_model(models: &Models, id: Option<&str>) -> Result<(), Problem> {
    if let Some(id) = id {
        check_language_model(models, id)?;
    }
    models.set_chosen_language_model(id.map(str::to_owned));
    Ok(())
}

/// Chooses the reranker: `none`, `late-interaction`, a model or an endpoint; `None` for the one that is installed, if any.
pub(crate) fn choose_reranker(models: &Models, id: Option<&str>) -> Result<(), Problem> {
    if let Some(id) = id
        && !["none", LATE_INTERACTION].contains(&id)
        && models.info(id)?.role != ModelRole::Reranker
    {
        return Err(Problem::bad_request(format!("{id} is not a reranker")));
    }
    models.set_chosen_reranker(id.map(str::to_owned));
    Ok(())
}

/// Refuses what is not the id of a language model. It need not be installed.
pub(crate) fn check_language_model(models: &Models, id: &str) -> Result<(), Problem> {
    if models.info(id)?.role == ModelRole::LanguageModel {
        return Ok(());
    }
    Err(Problem::bad_request(format!("{id} is not a language model")))
}

/// The language model that answers, and whether it runs on this machine.
pub(crate) fn chosen_language_model(models: &Models) -> Option<(String, bool)> {
    let id = models.chosen_language_model_id()?;
    let local = models.info(&id).is_ok_and(|m| m.state != ModelState::Remote);
    Some((id, local))
}

/// The endpoints that are kept.
pub(crate) fn endpoints(data: &DataFolder) -> Result<Vec<Endpoint>, Problem> {
    match data.settings()?.get(ENDPOINTS) {
        Some(text) => serde_json::from_str(text).map_err(Problem::internal),
        None => Ok(Vec::new()),
    }
}

/// Keeps endpoints and uses them from now on.
pub(crate) fn keep_endpoints(
    models: &Models,
    data: &DataFolder,
    endpoints: Vec<Endpoint>,
) -> Result<(), Problem> {
    let text = serde_json::to_string(&endpoints).map_err(Problem::internal)?;
    data.set_setting(ENDPOINTS, Some(&text))?;
    models.set_endpoints(endpoints);
    Ok(())
}

/// What a doctor says of the models.
pub(crate) fn checks(models: &Models) -> Vec<CheckDto> {
    let compute = models.compute();
    let mut checks = vec![match compute.note {
        Some(note) => absent("device", note),
        None => good("device", format!("models for search compute on {}", compute.used)),
    }];
    for (role, word, without) in [
        (ModelRole::Embedder, "embedder", "documents are found by their words alone"),
        (ModelRole::Reranker, "reranker", ""),
        (ModelRole::LanguageModel, "language_model", "questions are not answered"),
        (ModelRole::Ocr, "ocr", "images and scanned pages are not read"),
        (ModelRole::Transcriber, "transcriber", "recordings are not read"),
    ] {
        let all: Vec<ModelInfo> = models.list().into_iter().filter(|m| m.role == role).collect();
        let wrong = |model: &ModelInfo| {
            let id = model.id.clone();
            match &model.state {
                ModelState::Damaged(detail) => Some(ModelError::Damaged { id, detail: detail.clone() }),
                ModelState::LeftOut => Some(ModelError::LeftOut { id }),
                ModelState::Installed | ModelState::Absent | ModelState::Remote => None,
            }
        };
        let wrong: Vec<ModelError> = all.iter().filter_map(wrong).collect();
        let none_is_wrong = wrong.is_empty();
        checks.extend(wrong.into_iter().map(|error| bad(word, error.into())));
        let usable = |m: &&ModelInfo| matches!(m.state, ModelState::Installed | ModelState::Remote);
        let used = all.iter().filter(usable).find(|m| m.chosen).or_else(|| all.iter().find(usable));
        if let Some(model) = used {
            checks.push(good(word, format!("{} is in use", model.id)));
        } else if none_is_wrong && role != ModelRole::Reranker {
            // A library without models works: it is told, not counted as wrong. A reranker only makes good answers better.
            checks.push(absent(
                word,
                format!("none is installed: {without}; `carrel models list` shows what there is"),
            ));
        }
    }
    checks
}

/// The converters, which run in their own program, and the models that transcribe what they decode.
pub(crate) fn converter(config: &AppConfig, models: &Arc<Models>) -> Arc<dyn DocumentConverter> {
    let mut located = WorkerConfig::locate(Some(&config.models));
    if let Some(program) = &config.worker {
        located.program.clone_from(program);
    }
    Arc::new(WorkerPool::new(located).with_models(models.clone()))
}

impl ModelDto {
    pub(crate) fn of(model: ModelInfo, downloading: bool) -> Self {
        Self {
            state: if downloading { "downloading" } else { model.state.as_str() }.to_owned(),
            id: model.id,
            name: model.name,
            role: model.role.as_str().to_owned(),
            bytes: model.bytes,
            licence: model.licence,
            languages: model.languages,
            description: model.description,
            chosen: model.chosen,
        }
    }
}

impl From<Endpoint> for EndpointDto {
    fn from(endpoint: Endpoint) -> Self {
        Self {
            id: endpoint.id,
            url: carrel_models::without_secrets(&endpoint.url),
            role: endpoint.role.as_str().to_owned(),
            model: endpoint.model,
            key_env: endpoint.key_env,
            window: endpoint.window,
        }
    }
}

#[cfg(test)]
mod tests {
    use carrel_convert::{OCR_FILES, OCR_FOLDER, OCR_MODEL};
    use carrel_models::{Catalogue, ModelRole};

    #[test]
    fn the_converter_looks_where_the_catalogue_lays_the_model_that_reads_images() {
        let model = Catalogue::embedded().default_of(ModelRole::Ocr).unwrap();
        assert_eq!(model.id, OCR_MODEL);
        let folder = format!("models--{}/snapshots/{}", model.repository.replace('/', "--"), model.revision);
        assert_eq!(folder, OCR_FOLDER);
        let files: Vec<&str> = model.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(files, OCR_FILES);
    }
}
