//! Embeds the built interface and checks what its page may call.

fn main() {
    // The interface is compiled in, so that a new one needs a new program.
    println!("cargo:rerun-if-changed=../ui/dist");
    let manifest = tauri_build::AppManifest::new().commands(&["rpc"]);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest)) {
        println!("cargo::error={error:#}");
    }
}
