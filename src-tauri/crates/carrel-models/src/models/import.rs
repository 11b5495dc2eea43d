//! Models that the user brings: GGUF files, and folders with the files of an embedder or a reranker.
//!
//! Files are copied to `<models>/imported/<id>/`, with what the catalogue would say of the model in `carrel.json`. A file
//! that the catalogue knows by its hash is laid where a download would have put it.

use super::Models;
use super::describe::{self, Described};
use crate::catalogue::{CatalogueModel, ModelFile, ModelRole};
use crate::download::{self, disk, hash_file, size};
use crate::generate::{Footprint, LocalLanguageModel};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const FOLDER: &str = "imported";
pub(super) const MANIFEST: &str = "carrel.json";

/// How every GGUF file begins.
const MAGIC: &[u8; 4] = b"GGUF";

pub(super) fn refused(path: &Path, detail: &str) -> ModelError {
    ModelError::NotImported { path: path.to_owned(), detail: detail.to_owned() }
}

/// Imported models with their folders, by id.
pub(super) fn imported(models: &Path) -> Vec<(CatalogueModel, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(models.join(FOLDER)) else { return Vec::new() };
    let mut found: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let manifest = std::fs::read(entry.path().join(MANIFEST)).ok()?;
            let model: CatalogueModel = serde_json::from_slice(&manifest).ok()?;
            // Only what was written here: a manifest that was moved names another folder.
            (entry.file_name().to_str() == Some(&model.id)).then(|| (model, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    found
}

/// Imports `path`; returns the id of the model.
pub(super) fn import(models: &Models, path: &Path, cancel: &Cancel) -> Result<String, ModelError> {
    let is_folder = std::fs::metadata(path).map_err(|e| disk(path, &e))?.is_dir();
    let described = if is_folder {
        if let Some(missing) = describe::FILES.iter().find(|f| size(&path.join(f)).is_none()) {
            return Err(refused(path, &format!("{} is missing", path.join(missing).display())));
        }
        describe::describe(path)?
    } else {
        if size(path).is_none() {
            return Err(refused(path, "it is neither a file nor a folder"));
        }
        if !is_gguf(path).map_err(|e| disk(path, &e))? {
            return Err(refused(
                path,
                "it is no GGUF file. A language model is one file in that form; an embedder or a reranker is a folder with \
                 model.safetensors, tokenizer.json and config.json",
            ));
        }
        let name = path.file_name().and_then(|n| n.to_str());
        let name = name.ok_or_else(|| refused(path, "its name cannot be read"))?;
        let files = vec![name.to_owned()];
        Described { role: ModelRole::LanguageModel, embedding: None, reranking: None, files }
    };
    let (mut sources, mut files) = (Vec::new(), Vec::new());
    for name in &described.files {
        let source = if is_folder { path.join(name) } else { path.to_owned() };
        files.push(ModelFile {
            path: name.clone(),
            bytes: Some(size(&source).ok_or_else(|| refused(path, &format!("{name} is missing")))?),
            sha256: Some(hash_file(&source, cancel)?),
            packages: Vec::new(),
        });
        sources.push(source);
    }
    if let Some(model) = known_by_hash(models, &files) {
        let target = download::snapshot(models.folder(), model);
        for file in &model.files {
            let source = sources.iter().zip(&files).find(|(_, f)| f.sha256 == file.sha256);
            let (source, _) =
                source.ok_or_else(|| refused(path, "its files changed while they were read"))?;
            copy(source, &target.join(&file.path), file, cancel)?;
        }
        return Ok(model.id.clone());
    }
    let id = free_id(models, path)?;
    let target = models.folder().join(FOLDER).join(&id);
    let mut model = entry(path, &id, described, files);
    if model.role == ModelRole::LanguageModel {
        // What its header does not tell is found when it is loaded.
        model.memory = Footprint::read(&id, path).ok().map(|footprint| footprint.working());
    }
    let kept = keep(models, &model, &sources, &target, cancel);
    if kept.is_err() {
        // Only what was written just now lies there: the id was free. The folder above goes where nothing else is in it.
        let _ = std::fs::remove_dir_all(&target);
        let _ = std::fs::remove_dir(models.folder().join(FOLDER));
    }
    match kept {
        Ok(()) => Ok(id),
        // There is no such model yet that could be removed and got again.
        Err(ModelError::Damaged { detail, .. } | ModelError::Failed(detail)) => Err(refused(path, &detail)),
        Err(error) => Err(error),
    }
}

fn is_gguf(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    std::fs::File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(start == MAGIC)
}

fn keep(
    models: &Models,
    model: &CatalogueModel,
    sources: &[PathBuf],
    target: &Path,
    cancel: &Cancel,
) -> Result<(), ModelError> {
    for (source, file) in sources.iter().zip(&model.files) {
        copy(source, &target.join(&file.path), file, cancel)?;
    }
    match model.role {
        ModelRole::Embedder => drop(models.load_embedder(model, target)?),
        ModelRole::Reranker => drop(models.load_reranker(model, target)?),
        ModelRole::LanguageModel => drop::<LocalLanguageModel>(models.load_language_model(model, target)?),
        // No import has this role: it is known by the catalogue alone.
        ModelRole::Ocr | ModelRole::Transcriber => {}
    }
    let manifest = serde_json::to_vec_pretty(model).map_err(|e| ModelError::Failed(e.to_string()))?;
    let path = target.join(MANIFEST);
    std::fs::write(&path, manifest).map_err(|e| disk(&path, &e))
}

fn known_by_hash<'a>(models: &'a Models, files: &[ModelFile]) -> Option<&'a CatalogueModel> {
    models.catalogue.models.iter().find(|model| {
        model
            .files
            .iter()
            .all(|known| known.sha256.is_some() && files.iter().any(|f| f.sha256 == known.sha256))
    })
}

/// Copies aside, compares the content, then renames.
fn copy(from: &Path, to: &Path, file: &ModelFile, cancel: &Cancel) -> Result<(), ModelError> {
    if size(to) == file.bytes && Some(hash_file(to, cancel)?) == file.sha256 {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(|e| disk(parent, &e))?;
    }
    let partial = download::incomplete(to);
    let copied = std::fs::copy(from, &partial)
        .and_then(|_| std::fs::File::open(&partial)?.sync_all())
        .map_err(|e| disk(&partial, &e))
        .and_then(|()| hash_file(&partial, cancel));
    match copied {
        Ok(hash) if Some(&hash) == file.sha256.as_ref() => {
            std::fs::rename(&partial, to).map_err(|e| disk(to, &e))?;
            download::sync_folder(to);
            Ok(())
        }
        other => {
            let _ = std::fs::remove_file(&partial);
            other.and_then(|_| Err(refused(from, "it changed while it was copied")))
        }
    }
}

/// The file's name as an id that no model has yet.
fn free_id(models: &Models, path: &Path) -> Result<String, ModelError> {
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let name = name.and_then(|n| n.to_str()).ok_or_else(|| refused(path, "its name cannot be read"))?;
    let mut id: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    id = id.trim_matches('-').to_owned();
    if id.is_empty() {
        return Err(refused(path, "its name holds no letter or digit to name the model by"));
    }
    if models.find(&id).is_ok() || models.remote(&id).is_some() {
        return Err(refused(
            path,
            &format!("there is already a model named {id}: remove it first or rename the file"),
        ));
    }
    Ok(id)
}

/// What the catalogue would say of it.
fn entry(path: &Path, id: &str, described: Described, files: Vec<ModelFile>) -> CatalogueModel {
    CatalogueModel {
        id: id.to_owned(),
        name: path.file_name().and_then(|n| n.to_str()).unwrap_or(id).to_owned(),
        role: described.role,
        default: false,
        licence: String::new(),
        languages: Vec::new(),
        description: "Imported.".into(),
        hub: None,
        repository: format!("{FOLDER}/{id}"),
        revision: files.first().and_then(|f| f.sha256.clone()).unwrap_or_default(),
        files,
        memory: None,
        reads_tokens: None,
        rewords: None,
        embedding: described.embedding,
        reranking: described.reranking,
    }
}
