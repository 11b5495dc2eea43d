//! `cargo xtask measure`: the figures that the README states, from a release build. What needs `../shared` says so where that is
//! not there.

use crate::shell::{built, command, quiet, shared, show, target};
use crate::steps::{Result, step};
use crate::{cargo, models, setup, ui};
use std::path::{Path, PathBuf};
use std::process::Command;

const PARTS: &[&str] = &["retrieval", "embed", "ingest", "search", "disk", "window"];
/// Collections with a stated figure.
const COLLECTIONS: &[&str] = &["scifact", "cranfield", "2wiki-101", "cmrc2018-dev"];
/// Documents behind the window and on the disk.
const DOCUMENTS: usize = 10_000;

/// Measures all, or only the named parts.
pub(crate) fn run(only: &[&str]) -> Result<()> {
    if let Some(unknown) = only.iter().find(|part| !PARTS.contains(part)) {
        return Err(format!("There is nothing to measure named {unknown}; there are {}.", PARTS.join(", ")));
    }
    setup::run(setup::For::Testing)?;
    models::run()?;
    ui::packages()?;
    ui::build()?;
    cargo::build(true)?;
    for (part, measure) in
        PARTS.iter().zip([retrieval as fn() -> Result<()>, embed, ingest, search, disk, window])
    {
        if only.is_empty() || only.contains(part) {
            measure()?;
        }
    }
    Ok(())
}

fn retrieval() -> Result<()> {
    for collection in COLLECTIONS {
        let Some(folder) = shared(&format!("data/retrieval/{collection}")) else { continue };
        for legs in ["lexical", "dense", "lexical,dense"] {
            step(&format!("{collection}, {legs}"), || {
                let mut eval = carrel(&["--json", "eval", "beir"]);
                eval.arg(&folder).args(["--legs", legs]).arg("--cache").arg(kept().join("vectors"));
                show(eval).map(|()| String::new())
            })?;
        }
    }
    Ok(())
}

fn embed() -> Result<()> {
    let Some(peer) = shared("peers/embed_onnx.py") else { return Ok(()) };
    let python = kept().join("peer/bin/python");
    step("ONNX Runtime", || {
        if python.is_file() {
            return Ok("there".into());
        }
        let mut make = command("python3", &["-m", "venv"]);
        make.arg(kept().join("peer"));
        quiet(make)?;
        quiet(command(&python, &["-m", "pip", "install", "--quiet", "onnxruntime", "tokenizers", "numpy"]))?;
        Ok("installed".into())
    })?;
    for precision in ["fp32", "int8"] {
        step(&format!("embedding against ONNX Runtime {precision}"), || {
            let mut bench = carrel(&["--json", "bench", "embed", "--threads", "2"]);
            let line = format!("{} {} {precision} --threads 2 --runs 1", python.display(), peer.display());
            bench.arg("--peer").arg(line);
            show(bench).map(|()| String::new())
        })?;
    }
    Ok(())
}

fn ingest() -> Result<()> {
    step("ingest", || show(carrel(&["--json", "bench", "ingest"])).map(|()| String::new()))
}

fn search() -> Result<()> {
    step("search", || show(carrel(&["--json", "bench", "search"])).map(|()| String::new()))
}

/// Bytes of the ledger against bytes of the active text.
fn disk() -> Result<()> {
    let Some(data) = library()? else { return Ok(()) };
    step("bytes on disk", || {
        let status = quiet(with_data(carrel(&["--json", "status", "--library", "default"]), &data))?;
        let text = number(&status, "text_bytes").ok_or_else(|| format!("no text_bytes in {status}"))?;
        let ledgers = sizes(&data.join("libraries"), "ledger.db");
        println!(
            "{{\"ledger_bytes\": {ledgers}, \"text_bytes\": {text}, \"ratio\": {:.2}}}",
            ledgers as f64 / text as f64
        );
        Ok(String::new())
    })
}

/// First content of the window with a full library, against an empty window.
fn window() -> Result<()> {
    let Some(data) = library()? else { return Ok(()) };
    step("start of the window", || {
        // Of the whole workspace, so that features do not flip.
        let mut run = cargo::cargo(&["nextest", "run", "--workspace", "--all-targets", "--no-capture"]);
        run.args(["-E", "test(first_content)"]);
        run.env("CARREL_MEASURE", target().join("release")).env("CARREL_MEASURE_DATA", &data);
        run.env("CARREL_MODELS", models::folder());
        show(run).map(|()| String::new())
    })
}

/// A data folder with 10,000 documents, made once and kept.
fn library() -> Result<Option<PathBuf>> {
    let Some(collections) = shared("data/retrieval") else { return Ok(None) };
    let (data, papers) = (kept().join("data"), kept().join("papers"));
    step(&format!("a library of {DOCUMENTS} documents"), || {
        let done = kept().join("library-is-full");
        if done.is_file() {
            return Ok("there".into());
        }
        let mut write = command("python3", &["-c", include_str!("papers.py")]);
        write.arg(collections).arg(&papers).arg(DOCUMENTS.to_string());
        quiet(write)?;
        let mut add = carrel(&["add"]);
        add.arg(&papers);
        quiet(with_data(add, &data))?;
        std::fs::write(&done, "").map_err(|error| format!("{}: {error}", done.display()))?;
        Ok("made".into())
    })?;
    Ok(Some(data))
}

fn carrel(arguments: &[&str]) -> Command {
    let mut carrel = command(built("release", "carrel"), arguments);
    carrel.env("CARREL_MODELS", models::folder());
    carrel
}

fn with_data(mut command: Command, data: &Path) -> Command {
    command.env("CARREL_DATA", data);
    command
}

/// Kept between runs.
fn kept() -> PathBuf {
    target().join("measure")
}

/// Bytes of all files below a folder whose names begin so: SQLite keeps a log beside the database.
fn sizes(folder: &Path, name: &str) -> u64 {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    entries
        .map(|entry| {
            let path = entry.path();
            if path.is_dir() {
                return sizes(&path, name);
            }
            let counts = entry.file_name().to_string_lossy().starts_with(name);
            if counts { entry.metadata().map_or(0, |found| found.len()) } else { 0 }
        })
        .sum()
}

/// The number after a key: enough of JSON for one line of our own.
fn number(json: &str, key: &str) -> Option<u64> {
    let (_, after) = json.split_once(&format!("\"{key}\""))?;
    let digits: String = after
        .chars()
        .skip_while(|letter| !letter.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
