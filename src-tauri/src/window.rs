//! The window: its size, which it keeps, and where its page may go.

use carrel_api::AppConfig;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tauri::{App, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent};

const SMALLEST: (f64, f64) = (900.0, 600.0);

/// What is kept of a window, in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Size {
    width: f64,
    height: f64,
    maximized: bool,
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 1280.0, height: 800.0, maximized: false }
    }
}

impl Size {
    /// As kept; the default where nothing or nonsense is.
    fn kept(file: Option<&PathBuf>) -> Self {
        let text = file.and_then(|file| std::fs::read_to_string(file).ok());
        let size: Option<Size> = text.and_then(|text| serde_json::from_str(&text).ok());
        let sane = |size: &Size| {
            (SMALLEST.0..10_000.0).contains(&size.width) && (SMALLEST.1..10_000.0).contains(&size.height)
        };
        size.filter(sane).unwrap_or_default()
    }

    fn of(window: &WebviewWindow, before: Self) -> tauri::Result<Self> {
        if window.is_maximized()? {
            return Ok(Self { maximized: true, ..before });
        }
        let size = window.inner_size()?.to_logical(window.scale_factor()?);
        Ok(Self { width: size.width, height: size.height, maximized: false })
    }
}

/// Opens the window.
pub(crate) fn open(app: &App) -> tauri::Result<()> {
    let file = app.path().app_config_dir().ok().map(|folder| folder.join("window.json"));
    let size = Size::kept(file.as_ref());
    let mut window = WebviewWindowBuilder::new(app, "main", WebviewUrl::default());
    // Language, appearance and what was searched for are the user's data, and belong to the data folder in use.
    if let Ok(config) = AppConfig::from_environment(None) {
        window = window.data_directory(config.data.join("window"));
    }
    let window = window
        .title("Carrel")
        .inner_size(size.width, size.height)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .maximized(size.maximized)
        .on_navigation(is_own_page)
        .build()?;
    let same = window.clone();
    window.on_window_event(move |event| {
        if matches!(event, WindowEvent::CloseRequested { .. }) {
            keep(file.as_ref(), Size::of(&same, size).unwrap_or(size));
        }
    });
    Ok(())
}

/// The page never leaves the program: a link that should open elsewhere goes through the opener.
fn is_own_page(url: &Url) -> bool {
    url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost")
}

/// Losing it costs nothing, so a failure is only logged.
fn keep(file: Option<&PathBuf>, size: Size) {
    let Some(file) = file else { return };
    let write = || {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, serde_json::to_vec(&size)?)
    };
    if let Err(error) = write() {
        tracing::warn!(%error, file = %file.display(), "the window's size was not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_documents_cannot_replace_the_page() {
        for (url, own) in [
            ("tauri://localhost/index.html", true),
            ("http://tauri.localhost/", true),
            ("https://example.net/tauri.localhost", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(is_own_page(&url.parse().unwrap()), own, "{url}");
        }
    }

    #[test]
    fn a_size_that_cannot_be_is_not_taken() {
        let folder = std::env::temp_dir().join(format!("carrel-window-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("window.json");
        let size = Size { width: 1400.0, height: 900.0, maximized: true };
        keep(Some(&file), size);
        assert_eq!(Size::kept(Some(&file)), size);
        for nonsense in [
            "",
            "{",
            r#"{"width":1,"height":1,"maximized":false}"#,
            r#"{"width":1e9,"height":900,"maximized":false}"#,
        ] {
            std::fs::write(&file, nonsense).unwrap();
            assert_eq!(Size::kept(Some(&file)), Size::default(), "{nonsense}");
        }
        assert_eq!(Size::kept(None), Size::default());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
