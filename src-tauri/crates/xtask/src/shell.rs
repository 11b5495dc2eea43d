//! Other programs: found, run, and quoted when they fail.

use crate::steps::Result;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The root of the checkout that cargo runs this for: two may share a target folder, and with it this program.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    // src-tauri/crates/xtask lies three below the root.
    here.ancestors().nth(3).unwrap_or(&here).to_path_buf()
}

/// Something of the folder of collections and peers beside the checkout, where that is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let found = root().join("../shared").join(path);
    if found.exists() {
        return Some(found);
    }
    println!("            note    ../shared/{path} is not there, so what needs it is left out");
    None
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(given) => root().join(given),
        None => root().join("target"),
    }
}

/// A program of the workspace, as built.
pub(crate) fn built(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Whether a program is on the path.
pub(crate) fn on_path(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A command that runs in the root with no standard input.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs it with its output passed through.
pub(crate) fn show(mut command: Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(&command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", line(&command))) }
}

/// Runs it in silence; what it said comes with the error when it fails. Returns its standard output.
pub(crate) fn quiet(mut command: Command) -> Result<String> {
    let output = command.output().map_err(|error| cannot_start(&command, &error))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let complained = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} ended with {}\n{}{}", line(&command), output.status, tail(&said), tail(&complained)))
}

/// Whether it can be started and ends well.
pub(crate) fn works(mut command: Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| {
        let word = word.to_string_lossy();
        if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.into_owned() }
    }));
    words.join(" ")
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` cannot be started: {error}", command.get_program().to_string_lossy())
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(80);
    lines[from..].join("\n") + "\n"
}
