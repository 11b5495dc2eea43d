//! The real program on a data folder of its own.

pub(crate) mod endpoint;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take before a test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// A data folder without models: documents are found by their words.
pub(crate) struct Carrel {
    folder: tempfile::TempDir,
}

/// What a run of the program did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Its one JSON document; it begins with its schema.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert!(
            self.stdout.starts_with("{\"schema\":1,") || self.stdout.starts_with("{\"schema\":1}"),
            "{self:?}"
        );
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The code of its problem.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        let problem = &json["problem"];
        for key in ["code", "message", "hint", "details", "retryable"] {
            assert!(problem.get(key).is_some(), "no {key} in {problem}");
        }
        problem["code"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn ended_with(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

impl Carrel {
    pub(crate) fn new() -> Self {
        let carrel = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(carrel.files()).unwrap();
        carrel
    }

    /// Where a test's own files lie.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.files().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The program on this data folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carrel"));
        command
            .args(args)
            .current_dir(self.files())
            .env("CARREL_DATA", self.data())
            .env("CARREL_MODELS", self.folder.path().join("models"))
            .env_remove("CARREL_PASSWORD")
            .env_remove("CARREL_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        run(self.command(args), None)
    }

    /// The same with `--json` in front.
    pub(crate) fn json(&self, args: &[&str]) -> Run {
        self.run(&[&["--json"], args].concat())
    }

    pub(crate) fn with_stdin(&self, args: &[&str], stdin: &str) -> Run {
        run(self.command(args), Some(stdin))
    }

    /// A program that stays, with its lines.
    pub(crate) fn stay(&self, args: &[&str]) -> Staying {
        let mut child = self.command(args).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Staying { child, lines }
    }
}

pub(crate) fn run(mut command: Command, stdin: Option<&str>) -> Run {
    if stdin.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().unwrap();
    if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
        let _ = pipe.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A running program.
pub(crate) struct Staying {
    pub(crate) child: Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Staying {
    /// The next line for which `wanted` holds.
    #[track_caller]
    pub(crate) fn line(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).expect("the line did not come");
            let value: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
            if wanted(&value) {
                return value;
            }
        }
    }

    /// Asks it politely to end and gives its status.
    pub(crate) fn terminate(mut self) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a JSON value has exactly these keys or more.
#[track_caller]
pub(crate) fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no {key} in {value}");
    }
}

/// A file name of a URI.
pub(crate) fn name(uri: &Value) -> String {
    let uri = uri.as_str().unwrap();
    Path::new(uri).file_name().unwrap().to_string_lossy().into_owned()
}
