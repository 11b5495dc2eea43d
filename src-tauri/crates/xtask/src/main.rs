//! `cargo xtask …`: everything around the build, with nothing but the standard library, so that it starts at once on a new machine.
//!
//! Each step prints one line with its seconds. A step that is up to date costs next to nothing. Nothing here is part of the product.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod cargo;
mod e5;
mod fuzz;
mod measure;
mod models;
mod run;
mod setup;
mod shell;
mod steps;
mod test;
mod tidy;
mod ui;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  run             set up what is missing, build, and open the window with the sample library
  test [--full]   the same set-up, then every test; --full adds what takes long or needs ../shared
  models          put models and PDFium where the program looks for them
  setup [--test]  install missing system packages (and those that tests need)
  codegen         write the TypeScript bindings of the command table
  tidy            check the invariants of ARCHITECTURE.md that can be read off the files
  fuzz [TARGET [SECONDS]]  run the parsers on inputs that libFuzzer makes: one of them, or each for ten minutes
  measure         print the figures that the README states
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["run", rest @ ..] => run::run(rest),
        ["test"] => test::run(false),
        ["test", "--full"] => test::run(true),
        ["models"] => models::run(),
        ["setup"] => setup::run(setup::For::Running),
        ["setup", "--test"] => setup::run(setup::For::Testing),
        ["codegen"] => ui::codegen(),
        ["tidy"] => tidy::run(),
        ["fuzz", which @ ..] => fuzz::run(which),
        ["measure", only @ ..] => measure::run(only),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
