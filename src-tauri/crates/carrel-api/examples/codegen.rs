//! Writes the TypeScript bindings into `ui/src/bindings`; `cargo xtask codegen` runs it.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/bindings");
    carrel_api::codegen::write(&folder).map(|_| ())
}
