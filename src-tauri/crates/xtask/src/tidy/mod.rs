//! `cargo xtask tidy`: the invariants of ARCHITECTURE.md that can be read off the files, in well under a second.

mod crates;
mod text;
mod tree;

use crate::shell::{command, quiet, root};
use crate::steps::{Result, step};
use std::path::Path;

/// A tracked text file.
pub(crate) struct Source {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

impl Source {
    /// Whether the name ends so, after a dot.
    pub(crate) fn is(&self, ending: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == ending)
    }
}

/// Reads every tracked text file once and hands it to the rules.
pub(crate) fn run() -> Result<()> {
    step("tidy", || {
        let paths = tracked()?;
        let sources = read(&paths);
        let mut faults = Vec::new();
        let mut warnings = Vec::new();
        tree::check(&paths, &sources, &mut faults, &mut warnings);
        crates::check(&sources, &mut faults);
        text::check(&sources, &mut faults);
        for warning in &warnings {
            println!("            note    {warning}");
        }
        if faults.is_empty() { Ok(format!("{} files", paths.len())) } else { Err(faults.join("\n")) }
    })
}

/// What git knows and what it would take: an untracked file must be as tidy as it will have to be.
fn tracked() -> Result<Vec<String>> {
    let list = quiet(command(
        "git",
        &["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    ))?;
    let there = |path: &&str| !path.is_empty() && root().join(path).is_file();
    Ok(list.split('\0').filter(there).map(str::to_owned).collect())
}

fn read(paths: &[String]) -> Vec<Source> {
    const TEXT: &[&str] = &[
        "rs", "ts", "tsx", "css", "html", "toml", "json", "md", "sql", "py", "yml", "yaml", "svg", "txt",
        "run", "lock",
    ];
    let is_text = |path: &&String| {
        let ending = path.rsplit(['.', '/']).next().unwrap_or_default();
        TEXT.contains(&ending)
    };
    let source = |path: &String| {
        Some(Source { path: path.clone(), text: std::fs::read_to_string(root().join(path)).ok()? })
    };
    paths.iter().filter(is_text).filter_map(source).collect()
}
