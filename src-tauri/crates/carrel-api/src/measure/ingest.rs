//! `bench ingest`: a folder through the whole road.

use super::process::{bytes_below, peak_rss_mb};
use super::workshop::{Folder, Workshop};
use super::{Common, generate, peer, rounded};
use crate::app::AppConfig;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{AddItem, AddOptions};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct IngestOptions {
    /// A folder to take in; generated files when not given.
    pub folder: Option<PathBuf>,
    /// How many files to generate.
    pub files: usize,
    /// Runs, threads, peer.
    pub common: Common,
}

/// Measures. Each run takes everything into an empty library.
pub fn ingest(
    config: &AppConfig,
    options: &IngestOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    let made = Folder::new()?;
    let folder = match &options.folder {
        Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
        None => {
            let folder = made.0.join("files");
            generate::files(&folder, options.files)?;
            folder
        }
    };
    let bytes = bytes_below(&folder);
    peer::in_turn(options.common.runs, options.common.peer.as_deref(), progress, || {
        let workshop = Workshop::new(config, options.common.threads, None, &BTreeMap::new())?;
        let began = Instant::now();
        let items = [AddItem::Path { path: folder.clone(), watch: false }];
        let report = workshop.library.add(&items, &AddOptions::default(), true, cancel)?;
        let seconds = began.elapsed().as_secs_f64();
        let status = workshop.library.status()?;
        let result = json!({
            "engine": concat!("carrel ", env!("CARGO_PKG_VERSION")),
            "embedder": status.space.map(|s| s.model),
            "threads": options.common.threads,
            "files": report.added,
            "failed": report.failed.len(),
            "skipped": report.skipped.len(),
            "bytes": bytes,
            "passages": status.passages,
            "vectors": status.vectors,
            "seconds": rounded(seconds),
            "files_per_s": rounded(report.added as f64 / seconds),
            "passages_per_s": rounded(status.passages as f64 / seconds),
            "megabytes_per_s": rounded(bytes as f64 / 1e6 / seconds),
            "text_bytes": status.text_bytes,
            "index_bytes": bytes_below(workshop.library.folder()),
            "peak_rss_mb": peak_rss_mb(),
        });
        Ok(result.as_object().cloned().unwrap_or_default())
    })
}
