//! The files of a model: checking, discarding, removing.

use crate::catalogue::CatalogueModel;
use crate::download::{self, disk};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use std::path::Path;

/// The pinned hash, or the one that was kept when the file came in.
pub(super) fn expected_hash(path: &Path, pinned: Option<&str>) -> Option<String> {
    match pinned {
        Some(hash) => Some(hash.to_owned()),
        None => std::fs::read_to_string(download::stated(path)).ok().map(|h| h.trim().to_owned()),
    }
}

/// SHA-256 of the file that holds the weights, as it is known.
pub(super) fn hash_of_weights(model: &CatalogueModel, folder: &Path) -> Result<String, ModelError> {
    let damaged = |detail: &str| ModelError::Damaged { id: model.id.clone(), detail: detail.to_owned() };
    let weights = model.files.first().ok_or_else(|| damaged("the catalogue lists no files of it"))?;
    expected_hash(&folder.join(&weights.path), weights.sha256.as_deref())
        .ok_or_else(|| damaged("the SHA-256 of its weights is not known"))
}

/// Compares every file with its size and its hash.
pub(super) fn verify(model: &CatalogueModel, folder: &Path, cancel: &Cancel) -> Result<(), ModelError> {
    for file in &model.files {
        let path = folder.join(&file.path);
        match download::size(&path) {
            None => return Err(ModelError::NotInstalled { id: model.id.clone() }),
            Some(size) => {
                if let Some(detail) = file.wrong_size(size) {
                    return Err(ModelError::Damaged { id: model.id.clone(), detail });
                }
            }
        }
        let Some(wanted) = expected_hash(&path, file.sha256.as_deref()) else { continue };
        let found = download::hash_file(&path, cancel)?;
        if !found.eq_ignore_ascii_case(&wanted) {
            let detail = format!("{}: its SHA-256 is {found} instead of {wanted}", file.path);
            return Err(ModelError::Damaged { id: model.id.clone(), detail });
        }
    }
    Ok(())
}

/// Deletes files that are not what they should be: one of the right size but wrong content would never be fetched again.
pub(super) fn discard_damaged(
    model: &CatalogueModel,
    folder: &Path,
    cancel: &Cancel,
) -> Result<(), ModelError> {
    for file in &model.files {
        let path = folder.join(&file.path);
        let Some(size) = download::size(&path) else { continue };
        let wanted = expected_hash(&path, file.sha256.as_deref());
        let good = file.wrong_size(size).is_none()
            && match wanted {
                Some(wanted) => download::hash_file(&path, cancel)?.eq_ignore_ascii_case(&wanted),
                None => false,
            };
        if !good {
            std::fs::remove_file(&path).map_err(|e| disk(&path, &e))?;
        }
    }
    Ok(())
}

/// Deletes the files of a model and the folders that become empty by it.
pub(super) fn remove(models: &Path, model: &CatalogueModel, folder: &Path) -> Result<(), ModelError> {
    let own = model.files.iter().map(|f| folder.join(&f.path));
    for path in own.chain([folder.join(super::import::MANIFEST)]) {
        for path in [download::incomplete(&path), download::stated(&path), path] {
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(disk(&path, &e)),
                _ => {}
            }
        }
    }
    // Folders of files, snapshot, `snapshots`, repository; each only if nothing else lies in it.
    for file in &model.files {
        let path = folder.join(&file.path);
        for empty in path.ancestors().skip(1).take_while(|f| *f != models) {
            if std::fs::remove_dir(empty).is_err() {
                break;
            }
        }
    }
    Ok(())
}
