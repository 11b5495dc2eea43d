//! The program `carrel`: everything that the window does, in the terminal.
//!
//! It parses, calls the API and prints; it decides nothing that another surface would have to decide as well. Results go to
//! stdout, progress and messages to stderr.

mod args;
mod commands;
mod output;
mod password;
mod places;
mod progress;
mod session;
mod signals;
mod style;
mod table;

use clap::Parser as _;
use clap::error::ErrorKind;
use output::Output;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Err(sentence) = carrel_api::check_processor() {
        Output::new(false).message(sentence);
        return ExitCode::from(1);
    }
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    log();
    let mut output = Output::new(wants_json());
    let status = match commands::run(cli, &mut output) {
        Ok(status) => status,
        Err(problem) => output.problem(&problem),
    };
    ExitCode::from(status)
}

/// Help and version are results; everything else is wrong usage.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::from(0);
    }
    if wants_json() {
        // What is wrong, with the arguments it is about; usage and tips follow after an empty line.
        let text = error.to_string();
        let wrong = text.trim().split("\n\n").next().unwrap_or_default();
        let wrong = wrong.split_whitespace().collect::<Vec<_>>().join(" ");
        let problem = carrel_api::Problem::bad_request(wrong.trim_start_matches("error: "));
        Output::new(true).problem_on_stdout(&problem);
    }
    let _ = error.print();
    ExitCode::from(2)
}

/// Whether results are to be JSON. Read off the words themselves: it holds as well where they cannot be parsed, and for commands
/// that are not built yet.
fn wants_json() -> bool {
    std::env::args_os().take_while(|a| a != "--").any(|a| a == "--json")
}

/// Logs go to stderr, and only when `CARREL_LOG` asks for them.
fn log() {
    let Ok(filter) = std::env::var("CARREL_LOG") else { return };
    let filter = tracing_subscriber::EnvFilter::new(filter);
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
