//! The interface: its packages, its checks, its build, and the bindings that it shares with the command table.

use crate::shell::{built, command, quiet, root, show};
use crate::steps::{Result, step};
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Installs its packages when the lock file changed.
pub(crate) fn packages() -> Result<()> {
    step("interface packages", || {
        let folder = root().join("ui");
        // npm writes this file when it is done.
        let done = modified(&folder.join("node_modules/.package-lock.json"));
        let wanted = modified(&folder.join("package-lock.json")).max(modified(&folder.join("package.json")));
        if done.is_some() && done >= wanted {
            return Ok("up to date".into());
        }
        quiet(npm(&["ci", "--no-audit", "--no-fund"]))?;
        Ok("installed".into())
    })
}

/// Builds it when something in it changed.
pub(crate) fn build() -> Result<()> {
    step("build the interface", || {
        let folder = root().join("ui");
        let built = modified(&folder.join("dist/index.html"));
        if built.is_some() && built > newest(&folder) {
            return Ok("up to date".into());
        }
        quiet(npm(&["run", "--silent", "build"]))?;
        Ok(String::new())
    })
}

/// Types, lint and unit tests.
pub(crate) fn check() -> Result<()> {
    for (name, script) in
        [("interface: types", "check"), ("interface: lint", "lint"), ("interface: tests", "test")]
    {
        step(name, || {
            let said = quiet(npm(&["run", "--silent", script]))?;
            Ok(said
                .lines()
                .find_map(|line| line.trim().strip_prefix("Tests "))
                .map(str::trim)
                .unwrap_or_default()
                .to_owned())
        })?;
    }
    Ok(())
}

/// Writes the TypeScript bindings.
pub(crate) fn codegen() -> Result<()> {
    crate::cargo::build(false)?;
    step("TypeScript bindings", || {
        show(command(built("debug", "examples/codegen"), &[])).map(|()| String::new())
    })
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = command("npm", arguments);
    command.current_dir(root().join("ui")).env("NO_COLOR", "1").env("CI", "true");
    command
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|found| found.modified()).ok()
}

/// When anything that the build reads was last changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let mut latest = None;
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == "node_modules" || name == "dist" {
            continue;
        }
        let path = entry.path();
        // A folder's own time tells of files that went.
        latest = latest.max(modified(&path)).max(newest(&path));
    }
    latest
}
