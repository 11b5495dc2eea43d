//! The same kind of window with nothing in it: what `cargo xtask measure` compares the start of Carrel's window with.

fn main() {
    let context = tauri::generate_context!("examples/empty/tauri.conf.json");
    if let Err(error) = tauri::Builder::default().run(context) {
        tracing::error!(%error, "the window cannot be opened");
    }
}
