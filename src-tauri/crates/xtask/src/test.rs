//! `cargo xtask test`: everything that must hold before a change lands, cheap things first.

use crate::cargo::{cargo, test_tools};
use crate::shell::{on_path, shared, show, target};
use crate::steps::{Result, step};
use crate::{models, setup, tidy, ui};
use std::io::IsTerminal;

/// Runs it; `full` adds what takes long or needs `../shared`.
pub(crate) fn run(full: bool) -> Result<()> {
    setup::run(setup::For::Testing)?;
    test_tools()?;
    models::run()?;
    tidy::run()?;
    ui::packages()?;
    ui::check()?;
    ui::build()?;
    step("formatting", || show(cargo(&["fmt", "--all", "--check"])).map(|()| String::new()))?;
    licences(full)?;
    step("clippy", || {
        let clippy =
            &["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "--deny", "warnings"];
        show(cargo(clippy)).map(|()| String::new())
    })?;
    step("documentation tests", || {
        show(cargo(&["test", "--workspace", "--doc", "--locked", "--quiet"])).map(|()| String::new())
    })?;
    // The programs first: tests start the worker, the terminal and the window.
    step("build", || {
        let mut build = cargo(&["build", "--workspace", "--all-targets", "--locked"]);
        if !std::io::stderr().is_terminal() {
            build.arg("--quiet");
        }
        show(build).map(|()| String::new())
    })?;
    step("tests", || {
        let mut tests =
            cargo(&["nextest", "run", "--workspace", "--all-targets", "--locked", "--no-fail-fast"]);
        tests.args(["--status-level", "slow", "--final-status-level", "slow"]);
        tests.env("CARREL_MODELS", models::folder());
        tests.env("CARREL_E2E", target().join("e2e"));
        if full {
            tests.args(["--run-ignored", "all"]);
            if let Some(collections) = shared("data/retrieval") {
                tests.env("CARREL_COLLECTIONS", collections);
            }
        }
        show(tests).map(|()| String::new())
    })
}

/// Licences and sources of the dependencies, where cargo-deny is there; `full` brings it.
fn licences(full: bool) -> Result<()> {
    if !on_path("cargo-deny") && !full {
        return Ok(());
    }
    step("licences of dependencies", || {
        if !on_path("cargo-deny") {
            show(cargo(&["install", "cargo-deny", "--locked", "--quiet"]))?;
        }
        show(cargo(&["deny", "--log-level", "error", "check", "licenses", "bans", "sources"]))
            .map(|()| String::new())
    })
}
