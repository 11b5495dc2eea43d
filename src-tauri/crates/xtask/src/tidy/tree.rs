//! Where files lie and how long they are.

use super::Source;

/// What may lie at the top.
const TOP: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "src-tauri",
    "ui",
    "assets",
    "tests",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "clippy.toml",
    "rustfmt.toml",
    "deny.toml",
];

/// The shell only hosts: lines of Rust.
const SHELL: usize = 1_500;
/// A reader takes a file in at a sitting.
const LONG: usize = 600;
const TOO_LONG: usize = 1_000;
/// Weights and data do not belong in the repository.
const BIG: u64 = 1 << 20;

pub(super) fn check(
    paths: &[String],
    sources: &[Source],
    faults: &mut Vec<String>,
    warnings: &mut Vec<String>,
) {
    let mut top: Vec<&str> = paths.iter().filter_map(|path| path.split('/').next()).collect();
    top.sort_unstable();
    top.dedup();
    for name in top {
        if !name.starts_with('.') && !TOP.contains(&name) {
            faults.push(format!("{name}: does not belong at the top of the repository"));
        }
    }
    for path in paths {
        let bytes = crate::shell::root().join(path).metadata().map_or(0, |found| found.len());
        if bytes > BIG {
            faults.push(format!(
                "{path}: {} KiB; files over 1 MiB do not belong in the repository",
                bytes >> 10
            ));
        }
    }
    for source in sources.iter().filter(|source| is_code(source)) {
        let lines = source.text.lines().count();
        if lines > TOO_LONG {
            faults.push(format!("{}: {lines} lines; split it (at most {TOO_LONG})", source.path));
        } else if lines > LONG {
            warnings.push(format!("{}: {lines} lines; over {LONG} wants a split", source.path));
        }
    }
    let shell: usize = sources
        .iter()
        .filter(|source| source.path.starts_with("src-tauri/src/") || source.path == "src-tauri/build.rs")
        .map(|source| source.text.lines().count())
        .sum();
    if shell > SHELL {
        faults.push(format!("src-tauri/src: {shell} lines; the shell only hosts and has at most {SHELL}"));
    }
}

fn is_code(source: &Source) -> bool {
    let generated = source.path.contains("/bindings/") || source.path.contains("/fixtures/");
    !generated && ["rs", "ts", "tsx", "css", "sql"].iter().any(|ending| source.is(ending))
}
