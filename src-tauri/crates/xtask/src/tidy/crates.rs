//! Which crate may know which, and what the engine may not touch.

use super::Source;

/// Arrows between our crates: each crate and all it may name. Tests may name more.
const ARROWS: &[(&str, &[&str])] = &[
    ("carrel-engine", &[]),
    ("carrel-convert", &["carrel-engine"]),
    ("carrel-models", &["carrel-engine"]),
    ("carrel-api", &["carrel-engine", "carrel-convert", "carrel-models"]),
    ("carrel-cli", &["carrel-api"]),
    ("carrel-desktop", &["carrel-api"]),
    ("carrel-testkit", &["carrel-engine"]),
    ("carrel-fuzz", &["carrel-engine", "carrel-convert"]),
    ("carrel-tests", &[]),
    ("xtask", &[]),
];

/// Crates that only some of ours may depend on.
const RESERVED: &[(&str, &[&str])] = &[
    ("tauri", &["carrel-desktop"]),
    ("candle", &["carrel-models"]),
    ("tokenizers", &["carrel-models"]),
    ("hf-hub", &["carrel-models"]),
    ("ureq", &["carrel-models", "carrel-api"]),
    ("pdfium", &["carrel-convert"]),
    ("clap", &["carrel-cli"]),
];

/// What the engine is handed instead of reading it by itself.
const AMBIENT: &[&str] = &[
    "SystemTime::now",
    "Timestamp::now",
    "Zoned::now",
    "env::var",
    "env::home_dir",
    "env::temp_dir",
    "env::current_dir",
];
const NETWORK: &[&str] = &["std::net::", "TcpStream", "UdpSocket"];

pub(super) fn check(sources: &[Source], faults: &mut Vec<String>) {
    for source in sources.iter().filter(|source| source.path.ends_with("/Cargo.toml")) {
        manifest(source, faults);
    }
    let engine_sources: Vec<&Source> = sources
        .iter()
        .filter(|source| source.path.starts_with("src-tauri/crates/carrel-engine/src/"))
        .collect();
    let tests: Vec<String> = engine_sources.iter().flat_map(|source| test_modules(source)).collect();
    for source in engine_sources {
        // Fault points are switched on by the environment, in tests alone.
        if !source.path.ends_with("/fault.rs") && !tests.iter().any(|test| source.path.starts_with(test)) {
            engine(source, faults);
        }
    }
}

fn manifest(source: &Source, faults: &mut Vec<String>) {
    let Some(name) =
        source.text.lines().find_map(|line| line.strip_prefix("name = ")).map(|name| name.trim_matches('"'))
    else {
        return;
    };
    let allowed = ARROWS.iter().find(|(of, _)| *of == name).map(|(_, may)| *may);
    let Some(allowed) = allowed else {
        faults.push(format!("{}: {name} is not a crate of ARCHITECTURE.md", source.path));
        return;
    };
    for (dependency, dev) in dependencies(&source.text) {
        if dependency.starts_with("carrel-") {
            if !dev && !allowed.contains(&dependency) {
                faults.push(format!("{}: {name} must not depend on {dependency}", source.path));
            }
            continue;
        }
        for (prefix, may) in RESERVED {
            if !dev && dependency.starts_with(prefix) && !may.contains(&name) {
                faults.push(format!("{}: {name} must not depend on {dependency}", source.path));
            }
        }
        if name == "xtask" {
            faults.push(format!("{}: xtask has no dependencies, so that it starts at once", source.path));
        }
    }
}

/// Names under `[dependencies]`, `[build-dependencies]`, `[target.….dependencies]`; `true` for those of tests.
fn dependencies(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut section = None;
    for line in text.lines() {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            section = header.ends_with("dependencies").then(|| header.ends_with("dev-dependencies"));
        } else if let Some(dev) = section {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default().trim_matches('"');
            if !name.is_empty() && !name.starts_with('#') {
                found.push((name, dev));
            }
        }
    }
    found
}

/// Where the modules lie that this one declares for tests alone, without the ending.
fn test_modules(source: &Source) -> Vec<String> {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or_default();
    let folder = match name {
        "mod.rs" | "lib.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", name.trim_end_matches(".rs")),
    };
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let declared = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]").filter_map(|pair| {
        let name = pair[1].trim_start_matches("pub(crate) ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some([format!("{folder}/{name}.rs"), format!("{folder}/{name}/")])
    });
    declared.flatten().collect()
}

fn engine(source: &Source, faults: &mut Vec<String>) {
    for (number, line) in source.text.lines().enumerate() {
        if line.contains("#[cfg(test)]") {
            break;
        }
        if line.trim_start().starts_with("//") {
            continue;
        }
        for word in AMBIENT.iter().chain(NETWORK) {
            if line.contains(word) {
                faults.push(format!(
                    "{}:{}: the engine is handed what `{word}` would read",
                    source.path,
                    number + 1
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_against_the_direction_is_found() {
        let text = "[package]\nname = \"carrel-engine\"\n\n[dependencies]\nserde.workspace = true\ncarrel-api.workspace = true\ntauri = \"2\"\n\n[dev-dependencies]\ncarrel-testkit.workspace = true\n";
        let mut faults = Vec::new();
        manifest(&Source { path: "x/Cargo.toml".into(), text: text.into() }, &mut faults);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].ends_with("carrel-engine must not depend on carrel-api"));
        assert!(faults[1].ends_with("carrel-engine must not depend on tauri"));
    }

    #[test]
    fn the_engine_reads_no_clock_outside_its_tests() {
        let text = "fn a() { SystemTime::now(); }\n// SystemTime::now\n#[cfg(test)]\nmod tests { fn b() { SystemTime::now(); } }\n";
        let mut faults = Vec::new();
        engine(
            &Source { path: "src-tauri/crates/carrel-engine/src/a.rs".into(), text: text.into() },
            &mut faults,
        );
        assert_eq!(faults.len(), 1, "{faults:?}");
    }

    #[test]
    fn modules_for_tests_are_known_by_their_declaration() {
        let text = "#[cfg(test)]\nmod quality;\nmod query;\n".into();
        let tests = test_modules(&Source { path: "a/lexical/mod.rs".into(), text });
        assert_eq!(tests, ["a/lexical/quality.rs", "a/lexical/quality/"]);
    }
}
