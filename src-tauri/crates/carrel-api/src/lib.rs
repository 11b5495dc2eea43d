//! The one surface of Carrel: use cases, DTOs, problems and the command table under window, terminal, HTTP and MCP.
//!
//! It alone wires engine, converters and models ([`App::open`]); shells only host it ([`Host`]). Only types of this crate cross a
//! process or language border. Each command is declared once in [`commands`], and the TypeScript bindings follow from that table.

mod app;
mod call;
pub mod codegen;
pub mod commands;
pub mod dto;
mod events;
mod fetch;
mod handlers;
mod host;
mod jobs;
pub mod measure;
mod models;
pub mod problem;
mod processor;
mod reader;
mod transcript;

pub use app::{App, AppConfig, convert_file};
pub use call::Lines;
pub use carrel_engine::cancel::Cancel;
pub use carrel_engine::library::{file_uri, path_of_uri};
pub use carrel_models::leaving;
pub use events::EventHub;
pub use fetch::is_url;
pub use host::Host;
pub use problem::Problem;
pub use processor::check_processor;
