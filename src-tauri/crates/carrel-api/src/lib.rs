//! The one surface of Carrel: use cases, DTOs, problems and the command table under window, terminal, HTTP and MCP.
//!
//! It alone wires engine, converters and models ([`App::open`]); shells only host it. Only types of this crate cross a process or
//! language border. Each command is declared once in [`commands`], and the TypeScript bindings follow from that table.

pub mod codegen;
pub mod commands;
pub mod dto;
pub mod problem;
