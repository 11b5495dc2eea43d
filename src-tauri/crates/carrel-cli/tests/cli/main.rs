//! The real program `carrel`, as people and scripts use it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and one that is skipped says so"
)]

mod audio;
mod chats;
mod damage;
mod models;
#[cfg(unix)]
mod owner;
mod quality;
mod shapes;
mod support;
mod unlock;
mod usage;
