//! `cargo xtask fuzz` builds this with libFuzzer. Built otherwise it runs a target over files, to look at what was found.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
mod driver;

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(run) = carrel_fuzz::target(&name).and_then(carrel_fuzz::run) else {
        return std::process::ExitCode::from(2);
    };
    for file in arguments {
        let Ok(bytes) = std::fs::read(&file) else { return std::process::ExitCode::from(2) };
        run(&bytes);
    }
    std::process::ExitCode::SUCCESS
}
