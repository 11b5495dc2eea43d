//! `cargo xtask run`: from a bare machine to the window with the sample library, or to the same main job in the terminal.

use crate::shell::{built, command, quiet, root, show};
use crate::steps::{Result, step};
use crate::{cargo, models, setup, ui};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Asked where there is no window to ask in.
const QUESTION: &str = "How much is the deposit?";
const SEARCH: &str = "tyre pressure";

/// Runs it. `--terminal` does without the window even where there is a display.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let terminal = match arguments {
        [] => false,
        ["--terminal"] => true,
        _ => return Err("`cargo xtask run` takes `--terminal` or nothing.".into()),
    };
    setup::run(setup::For::Running)?;
    models::run()?;
    ui::packages()?;
    ui::build()?;
    cargo::build(false)?;

    if terminal || !has_display() {
        if !terminal {
            println!("\nThere is no display here, so the same is done in the terminal.");
        }
        return in_terminal();
    }
    // Asked of the library itself: a run that was stopped half-way left a data folder, but no source.
    if has_no_source()? {
        step("the sample library", add_sample)?;
    }
    println!("\nThe window opens. Its data lie in {}; close it to end.", data_folder().display());
    let mut window = program("carrel-desktop", &[]);
    window.env("RUST_LOG", std::env::var("RUST_LOG").unwrap_or_else(|_| "warn".into()));
    show(window)
}

/// Builds the sample library, searches it, asks it; every line comes from the real program.
fn in_terminal() -> Result<()> {
    step("the sample library", add_sample)?;
    for words in [&["status"][..], &["search", SEARCH, "-n", "3"], &["ask", QUESTION]] {
        println!("\n$ carrel {}", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
        show(program("carrel", words))?;
    }
    Ok(())
}

fn add_sample() -> Result<String> {
    let folder = root().join("assets/library");
    quiet(program("carrel", &["add", &folder.to_string_lossy()]))?;
    Ok(format!("{} files", files(&folder)))
}

fn has_no_source() -> Result<bool> {
    Ok(quiet(program("carrel", &["--json", "source", "list"]))?.contains("\"sources\":[]"))
}

fn program(name: &str, arguments: &[&str]) -> Command {
    let mut program = command(built("debug", name), arguments);
    program.env("CARREL_MODELS", models::folder());
    program
}

fn files(folder: &Path) -> usize {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
}

fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() }
}

fn has_display() -> bool {
    !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Where the program keeps its data, by its own rule.
fn data_folder() -> PathBuf {
    match std::env::var_os("CARREL_DATA") {
        Some(given) => root().join(given),
        None => models::application_data().join("carrel"),
    }
}
