//! The one command that the page can call.

use crate::engine::Engine;
use carrel_api::Problem;
use serde_json::Value;
use std::sync::Arc;
use tauri::State;
use tauri::ipc::Channel;

/// Carries out a command of the table. `call` is the page's name for this call, by which `call.cancel` stops it; lines of a stream
/// arrive on `on_event` in order, all before the answer.
#[tauri::command]
pub(crate) async fn rpc(
    engine: State<'_, Arc<Engine>>,
    call: String,
    name: String,
    params: Value,
    on_event: Channel<Value>,
) -> Result<Value, Problem> {
    let engine = Arc::clone(&engine);
    let work = move || {
        engine.call(&call, &name, params, &mut |line| {
            // A page that went away hears nothing any more.
            on_event.send(line).ok();
        })
    };
    match tauri::async_runtime::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Problem::internal(error)),
    }
}
