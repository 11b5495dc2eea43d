//! Fuzzing: every hand-written parser as a function of bytes, and how inputs are changed so that they reach deep into it.
//!
//! A target panics where an invariant is broken; a refusal of the input is no fault. `cargo xtask fuzz` runs a target under
//! libFuzzer, guided by what the input reaches, on stable Rust. What it found lies in `found/` and is run by each test run.
//! Nothing of the product depends on this crate.

mod engine;
pub mod mutate;
pub mod table;

use table::{TARGETS, Target};

/// The function of a target.
pub fn run(target: &Target) -> Option<fn(&[u8])> {
    let own = engine::TARGETS.iter().chain(carrel_convert::fuzz::TARGETS);
    own.into_iter().find(|(name, _)| *name == target.name).map(|(_, run)| *run)
}

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
