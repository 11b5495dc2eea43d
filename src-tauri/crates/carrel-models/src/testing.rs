//! What tests share: where weights and reference data lie. A test without them says so and passes.

use crate::catalogue::{Catalogue, CatalogueModel, ModelRole};
use crate::encode::tokenizer::TextTokenizer;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The folder of models on this machine, as the program finds it.
pub(crate) fn models() -> PathBuf {
    std::env::var_os("CARREL_MODELS").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".local/share/carrel/models"),
        PathBuf::from,
    )
}

/// The snapshot of a model, where it is installed.
pub(crate) fn snapshot(model: &CatalogueModel) -> Option<PathBuf> {
    let folder = models()
        .join(format!("models--{}", model.repository.replace('/', "--")))
        .join("snapshots")
        .join(&model.revision);
    let there = model.files.iter().all(|f| folder.join(&f.path).is_file());
    if !there {
        eprintln!("skipped: {} is not installed", model.id);
    }
    there.then_some(folder)
}

/// A file of the shared test data, which lies beside a checkout where it is there at all.
pub(crate) fn shared_data(path: &str) -> Option<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    let text = std::fs::read_to_string(root.join(path)).ok();
    if text.is_none() {
        eprintln!("skipped: {path} is not there");
    }
    text
}

/// The folder and the id of the default embedder, where it is installed.
pub(crate) fn installed_embedder() -> Option<(PathBuf, String)> {
    let model = Catalogue::embedded().default_of(ModelRole::Embedder)?;
    Some((snapshot(model)?, model.id.clone()))
}

/// What the reference computed with a small random model.
#[derive(Deserialize)]
pub(crate) struct Expected {
    pub(crate) texts: Vec<String>,
    pub(crate) pooling: String,
    pub(crate) vectors: Vec<Vec<f32>>,
    #[serde(default)]
    pub(crate) pairs: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) scores: Vec<f32>,
}

/// A small random model of a family, and what the reference computed with it. `tests/fixtures/families/make.py` made it.
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) expected: Expected,
}

impl Family {
    /// Copies files of it, or all.
    pub(crate) fn copy(&self, to: &Path, files: &[&str]) {
        for file in files {
            let target = to.join(file);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::copy(self.folder.join(file), target).unwrap();
        }
    }

    /// Its tokenizer.
    pub(crate) fn tokenizer(&self) -> TextTokenizer {
        TextTokenizer::open(&self.folder, &self.name, self.name.clone(), "").unwrap()
    }
}

/// Families by name.
pub(crate) fn families(names: &[&str]) -> Vec<Family> {
    let all = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/families");
    let family = |name: &&str| {
        let folder = all.join(name);
        let expected = std::fs::read(folder.join("expected.json")).unwrap();
        Family { name: (*name).to_owned(), folder, expected: serde_json::from_slice(&expected).unwrap() }
    };
    names.iter().map(family).collect()
}
