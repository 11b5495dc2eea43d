//! Cargo and what belongs to it. Run and test build the whole workspace, so that features never flip between them.

use crate::shell::{command, quiet, show, works};
use crate::steps::{Result, step};
use std::io::IsTerminal;
use std::process::Command;

/// A cargo command; quiet about single crates where nobody watches.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), &[]);
    // What `cargo run` set for this program must not reach the builds it starts.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_MANIFEST")
            || text.starts_with("CARGO_BIN_")
        {
            command.env_remove(&name);
        }
    }
    command.args(arguments);
    if !std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_PROGRESS_WHEN", "never");
    }
    command
}

/// Builds every program of the workspace.
pub(crate) fn build(release: bool) -> Result<()> {
    let name = if release { "build the programs (release)" } else { "build the programs" };
    step(name, || {
        // Examples are built along because that lets what tests need take part in choosing the dependencies' features. Without
        // them, run and test would each compile tantivy, candle and tauri anew.
        let mut build = cargo(&["build", "--workspace", "--bins", "--examples", "--locked"]);
        if release {
            build.arg("--release");
        }
        if !std::io::stderr().is_terminal() {
            build.arg("--quiet");
        }
        show(build)?;
        Ok(String::new())
    })
}

/// Makes sure that rustfmt, clippy and nextest are there.
pub(crate) fn test_tools() -> Result<()> {
    step("Rust tools", || {
        let mut added = Vec::new();
        for (component, probe) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
            if !works(cargo(&[probe, "--version"])) {
                quiet(command("rustup", &["component", "add", component]))?;
                added.push(component);
            }
        }
        if !works(cargo(&["nextest", "--version"])) {
            show(cargo(&["install", "cargo-nextest", "--locked", "--quiet"]))?;
            added.push("cargo-nextest");
        }
        Ok(if added.is_empty() { "all there".into() } else { format!("installed {}", added.join(", ")) })
    })
}
