//! `cargo xtask measure`: the figures that the README states, from a release build.

use crate::shell::{built, command, root, show};
use crate::steps::{Result, step};
use crate::{cargo, models, setup, ui};
use std::process::Command;

/// Collections with a stated figure.
const COLLECTIONS: &[&str] = &["scifact", "cranfield", "2wiki-101", "cmrc2018-dev"];

/// Measures all, or only the named ones.
pub(crate) fn run(only: &[&str]) -> Result<()> {
    setup::run(setup::For::Testing)?;
    models::run()?;
    ui::packages()?;
    ui::build()?;
    cargo::build(true)?;
    let wanted = |name: &str| only.is_empty() || only.contains(&name);
    if wanted("retrieval") {
        retrieval()?;
    }
    if wanted("embed") {
        embed()?;
    }
    Ok(())
}

fn retrieval() -> Result<()> {
    for collection in COLLECTIONS {
        let folder = root().join("../shared/data/retrieval").join(collection);
        if !folder.is_dir() {
            println!("            note    {collection} is not in ../shared/data/retrieval");
            continue;
        }
        for legs in ["lexical", "dense", "lexical,dense"] {
            step(&format!("{collection}, {legs}"), || {
                let mut eval = carrel(&["--json", "eval", "beir"]);
                eval.arg(&folder)
                    .args(["--legs", legs])
                    .arg("--cache")
                    .arg(crate::shell::target().join("measure"));
                show(eval).map(|()| String::new())
            })?;
        }
    }
    Ok(())
}

fn embed() -> Result<()> {
    let peer = root().join("../shared/peers/embed_onnx.py");
    step("embedding against ONNX Runtime", || {
        let mut bench = carrel(&["--json", "bench", "embed", "--threads", "2"]);
        if peer.is_file() {
            bench.arg("--peer").arg(format!("python3 {}", peer.display()));
        }
        show(bench).map(|()| String::new())
    })
}

fn carrel(arguments: &[&str]) -> Command {
    let mut carrel = command(built("release", "carrel"), arguments);
    carrel.env("CARREL_MODELS", models::folder());
    carrel
}
