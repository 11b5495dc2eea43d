//! `cargo xtask fuzz`: builds the targets of `carrel-fuzz` with libFuzzer, and runs them.
//!
//! The compiler's own switches put in what guides libFuzzer, so that stable Rust will do. Inputs that reach something new are
//! kept in `target/fuzz/corpus`, those that broke something in `target/fuzz/found`.

#[expect(unreachable_pub, reason = "of the crate whose targets these are")]
#[path = "../../carrel-fuzz/src/table.rs"]
mod table;

use crate::cargo::cargo;
use crate::models;
use crate::shell::{command, line, quiet, root, shared, show, target};
use crate::steps::{Result, step};
use std::fs;
use std::path::{Path, PathBuf};
use table::{Shape, TARGETS, Target};

/// Seconds that each target runs where nothing else is asked for.
const SECONDS: &str = "600";
/// Bytes of an input. Most faults fit into few, and a container has to hold its parts.
const PLAIN: u64 = 64 << 10;
const CONTAINER: u64 = 512 << 10;

/// Runs one target, or all.
pub(crate) fn run(which: &[&str]) -> Result<()> {
    let (targets, seconds): (Vec<&Target>, &str) = match which {
        [] => (TARGETS.iter().collect(), SECONDS),
        [name, rest @ ..] => {
            let found = TARGETS.iter().find(|target| target.name == *name).ok_or_else(|| {
                let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                format!("{name} is none of {}", names.join(", "))
            })?;
            (vec![found], rest.first().copied().unwrap_or(SECONDS))
        }
    };
    let folder = target().join("fuzz");
    let program = build(&folder)?;
    for target in targets {
        step(target.name, || run_one(target, seconds, &folder, &program))?;
    }
    Ok(())
}

/// The program, for this machine.
fn build(folder: &Path) -> Result<PathBuf> {
    let version = quiet(command("rustc", &["--version", "--verbose"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
    step("build carrel-fuzz with libFuzzer", || {
        let mut build =
            cargo(&["build", "--package", "carrel-fuzz", "--profile", "fuzz", "--locked", "--quiet"]);
        // With a target named, the switches do not reach what runs while building.
        build.args(["--target", &host, "--target-dir"]).arg(folder);
        build.env("RUSTFLAGS", switches().join(" "));
        show(build).map(|()| String::new())
    })?;
    Ok(folder.join(host).join("fuzz").join(format!("carrel-fuzz{}", std::env::consts::EXE_SUFFIX)))
}

/// Edges and comparisons are counted. What the configuration of cargo says for this processor is said again: these replace it.
fn switches() -> Vec<&'static str> {
    let processor = cfg!(target_arch = "x86_64").then_some("-C target-cpu=x86-64-v3");
    let coverage = [
        "--cfg fuzzing",
        "-C passes=sancov-module",
        "-C llvm-args=-sanitizer-coverage-level=4",
        "-C llvm-args=-sanitizer-coverage-inline-8bit-counters",
        "-C llvm-args=-sanitizer-coverage-pc-table",
        "-C llvm-args=-sanitizer-coverage-trace-compares",
    ];
    processor.into_iter().chain(coverage).collect()
}

fn run_one(target: &Target, seconds: &str, folder: &Path, program: &Path) -> Result<String> {
    let most = if target.shape == Shape::Plain { PLAIN } else { CONTAINER };
    let made = |kind: &str| -> Result<PathBuf> {
        let folder = folder.join(kind).join(target.name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    };
    let (corpus, found, seeds) = (made("corpus")?, made("found")?, made("seeds")?);
    let before = inputs(&found);
    gather(target, most, &seeds);
    let words = folder.join(format!("{}.dict", target.name));
    // libFuzzer takes no empty one.
    let dictionary = dictionary(target) + "\"\\x00\\x00\"\n";
    fs::write(&words, dictionary).map_err(|error| format!("{}: {error}", words.display()))?;
    let mut fuzz = command(program, &[]);
    fuzz.env("CARREL_FUZZ_TARGET", target.name);
    // Where PDFium is.
    fuzz.env("CARREL_MODELS", models::folder());
    fuzz.args([
        format!("-max_total_time={seconds}"),
        format!("-max_len={most}"),
        format!("-dict={}", words.display()),
        format!("-artifact_prefix={}/", found.display()),
    ]);
    // A run goes on after a fault, in a process of its own.
    fuzz.args(["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]);
    fuzz.args(["-timeout=300", "-report_slow_units=60", "-rss_limit_mb=3072"]);
    fuzz.arg(&corpus).arg(&seeds);
    println!("            {}", line(&fuzz));
    show(fuzz)?;
    let after = inputs(&found);
    if after > before {
        return Err(format!("{} inputs broke it; they lie in {}", after - before, found.display()));
    }
    Ok(format!("{} inputs that reach something new", inputs(&corpus)))
}

fn inputs(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Files of the repository, and of the collections beside it, that are small enough.
fn gather(target: &Target, most: u64, to: &Path) {
    let own = [
        root().join("tests/fixtures/documents"),
        root().join("assets"),
        root().join("src-tauri/crates/carrel-convert/src/formats"),
        root().join("src-tauri/crates/carrel-fuzz/seeds").join(target.name),
        root().join("src-tauri/crates/carrel-fuzz/found").join(target.name),
    ];
    let mut waiting: Vec<PathBuf> = own.into_iter().chain(shared("data/documents")).collect();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                waiting.push(path);
                continue;
            }
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let wanted = target.seeds.contains(&ending) || folder.ends_with(target.name);
            if wanted && about.len() <= most {
                // A seed that cannot be copied is one less.
                drop(fs::copy(&path, to.join(entry.file_name())));
            }
        }
    }
}

/// What the sources compare with: their short strings.
fn dictionary(target: &Target) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut waiting: Vec<PathBuf> =
        target.sources.iter().map(|source| root().join("src-tauri/crates").join(source)).collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            words.extend(code.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(strings));
        }
    }
    words.sort_unstable();
    words.dedup();
    words.iter().map(|word| format!("\"{word}\"\n")).collect()
}

/// Strings of a line of Rust that need no escape in a dictionary.
fn strings(line: &str) -> Vec<String> {
    let plain = |word: &&str| {
        (2..=24).contains(&word.len()) && word.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'\\')
    };
    line.split('"').skip(1).step_by(2).filter(plain).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_short_strings_of_a_parser() {
        assert_eq!(strings(r#"match x { "par" | "b" => f("\\x", "tbl"), _ => "" }"#), ["par", "tbl"]);
        let rtf = TARGETS.iter().find(|target| target.name == "rtf").unwrap();
        assert!(dictionary(rtf).contains("\"pard\"\n"));
    }

    #[test]
    fn sources_of_targets_are_there() {
        for source in TARGETS.iter().flat_map(|target| target.sources) {
            assert!(root().join("src-tauri/crates").join(source).exists(), "{source}");
        }
    }
}
