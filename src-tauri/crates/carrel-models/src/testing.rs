//! What tests share: where weights and reference data lie. A test without them says so and passes.

use crate::catalogue::CatalogueModel;
use std::path::PathBuf;

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
