//! What the tests of this crate share.
#![allow(dead_code, reason = "each test program uses a part of it")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests stop where something is missing, and say what they skip"
)]

pub(crate) mod expected;
pub(crate) mod invariants;
pub(crate) mod make;

use carrel_convert::{WorkerConfig, WorkerPool};
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Converted, Location, Span};
use carrel_engine::seams::{ConvertError, ConvertInput, ConvertRequest, DocumentConverter, Limits};
use std::path::{Path, PathBuf};

/// A pool over the worker of this build.
pub(crate) fn pool(workers: usize) -> WorkerPool {
    WorkerPool::new(WorkerConfig { program: worker(), pdfium: pdfium(), ocr: ocr(), workers })
}

fn worker() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_carrel-worker"))
}

/// A pool over the same worker, which misbehaves for files named `fault-…`. The folder must outlive the pool.
#[cfg(unix)]
pub(crate) fn faulty_pool(workers: usize) -> (tempfile::TempDir, WorkerPool) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("worker");
    let script = format!("#!/bin/sh\nCARREL_WORKER_FAULTS=1 exec '{}'\n", worker().display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (folder, WorkerPool::new(WorkerConfig { program, pdfium: None, ocr: None, workers }))
}

/// PDFium where this machine has it.
pub(crate) fn pdfium() -> Option<PathBuf> {
    let models = std::env::var_os("CARREL_MODELS").map(PathBuf::from);
    WorkerConfig::locate_pdfium(models.as_deref())
}

/// The model that reads images, where this machine has it.
pub(crate) fn ocr() -> Option<PathBuf> {
    let models = std::env::var_os("CARREL_MODELS").map(PathBuf::from)?;
    WorkerConfig::locate(Some(&models)).ocr.filter(|folder| folder.is_dir())
}

/// A pool whose model for images may come later to this folder.
pub(crate) fn pool_with_ocr_at(folder: &Path) -> WorkerPool {
    WorkerPool::new(WorkerConfig {
        program: worker(),
        pdfium: pdfium(),
        ocr: Some(folder.to_owned()),
        workers: 1,
    })
}

/// Says so, and returns true, where this machine has no model for images, or no PDFium, for a test that needs them.
pub(crate) fn without_ocr(test: &str) -> bool {
    let missing = ocr().is_none() || pdfium().is_none();
    if missing {
        println!(
            "{test}: skipped, no model that reads images, or no PDFium, here (`cargo xtask models` fetches both)"
        );
    }
    missing
}

/// A pool that cannot read PDF.
pub(crate) fn pool_without_pdfium() -> WorkerPool {
    WorkerPool::new(WorkerConfig { program: worker(), pdfium: None, ocr: None, workers: 1 })
}

/// Says so, and returns true, where this machine has no PDFium for a test that needs it.
pub(crate) fn without_pdfium(test: &str) -> bool {
    let missing = pdfium().is_none();
    if missing {
        println!("{test}: skipped, no PDFium here (set CARREL_PDFIUM, or lay it into the folder of models)");
    }
    missing
}

pub(crate) fn bytes(name: &str, content: &[u8]) -> ConvertRequest {
    request_with(name, content, Limits::default())
}

pub(crate) fn request_with(name: &str, content: &[u8], limits: Limits) -> ConvertRequest {
    ConvertRequest { input: ConvertInput::Bytes(content.to_vec()), name: name.into(), password: None, limits }
}

pub(crate) fn path(path: &Path) -> ConvertRequest {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    ConvertRequest {
        input: ConvertInput::Path(path.to_path_buf()),
        name,
        password: None,
        limits: Limits::default(),
    }
}

/// What a request gives; a document that it gives keeps the contract.
pub(crate) fn answer(pool: &WorkerPool, request: &ConvertRequest) -> Result<Converted, ConvertError> {
    let result = pool.convert(request, &Cancel::new());
    if let Ok(converted) = &result {
        invariants::check(converted);
    }
    result
}

/// A document from bytes that can be converted.
pub(crate) fn convert(name: &str, content: &[u8]) -> Converted {
    answer(&pool(1), &bytes(name, content)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Where a text stands.
pub(crate) fn place(converted: &Converted, needle: &str) -> Location {
    let at = converted.markdown.find(needle).unwrap_or_else(|| panic!("{needle} in {}", converted.markdown));
    Location::of_span(Span::new(at, at + needle.len()), &converted.locations)
}

/// The living workers that this process started.
#[cfg(target_os = "linux")]
pub(crate) fn children() -> Vec<u32> {
    let me = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((head, tail)) = stat.rsplit_once(')') else { continue };
        let mut fields = tail.split_whitespace();
        let state = fields.next().unwrap_or_default();
        if head.contains("carrel-worker") && fields.next() == Some(&me) && state != "Z" {
            found.push(pid);
        }
    }
    found
}
