//! The window of Carrel: it hosts the command table and nothing else.
//!
//! The window appears before the engine is open: opening happens on a thread of its own, and calls wait for it on theirs. What the
//! page may do stands in `capabilities/main.json`.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod engine;
mod rpc;
mod window;

use engine::Engine;
use std::process::ExitCode;
use std::sync::Arc;
use tauri::{Manager, RunEvent};
use tracing_subscriber::EnvFilter;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Err(message) = carrel_api::check_processor() {
        return refuse(&message);
    }
    choose_renderer();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();

    let engine = Arc::new(Engine::default());
    engine.open_in_background();
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .manage(Arc::clone(&engine))
        .invoke_handler(tauri::generate_handler![rpc::rpc])
        .setup(|app| Ok(window::open(app)?))
        .on_page_load(|webview, payload| {
            // A page that is loaded again has forgotten its calls; nobody would ever stop them.
            if payload.event() == tauri::webview::PageLoadEvent::Started {
                webview.state::<Arc<Engine>>().stop_calls();
            }
        })
        .build(tauri::generate_context!());
    match app {
        Ok(app) => {
            app.run(|app, event| {
                if matches!(event, RunEvent::Exit) {
                    app.state::<Arc<Engine>>().close();
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => refuse(&format!(
            "The window cannot be opened: {error}. The program `carrel` does the same in a terminal."
        )),
    }
}

/// WebKitGTK's faster renderer leaves the window blank on many graphics drivers.
#[expect(unsafe_code, reason = "the environment can be changed in no other way")]
fn choose_renderer() {
    const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    if cfg!(target_os = "linux") && std::env::var_os(SWITCH).is_none() {
        // SAFETY: no other thread exists yet that could read the environment.
        unsafe { std::env::set_var(SWITCH, "1") };
    }
}

#[expect(clippy::print_stderr, reason = "there is no window to say it in")]
fn refuse(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}
