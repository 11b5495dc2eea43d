//! A display of its own, a fresh home, and the real built program in it.

use crate::webdriver::Session;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Everything that one test of the window has to itself.
pub(crate) struct Stage {
    /// A folder for the documents of the test.
    pub(crate) papers: PathBuf,
    page: Option<Session>,
    port: u16,
    home: TempDir,
    display: String,
    pictures: PathBuf,
    // Ended in this order.
    children: Vec<Child>,
}

impl Stage {
    /// Opens the window under a display of its own, or `None` where only plain tests run: `cargo xtask test` sets `CARREL_E2E`
    /// to the folder for pictures.
    pub(crate) fn open(name: &str) -> Option<Self> {
        if std::env::var_os("CARREL_E2E").is_none() {
            eprintln!("skipped: the window is driven by `cargo xtask test` alone");
            return None;
        }
        let mut stage = Self::bare(name);
        let program = program();
        assert!(program.is_file(), "{} is not built; `cargo xtask test` builds it", program.display());
        let data = stage.home.path().join("data");
        stage.start(&program, &data);
        Some(stage)
    }

    /// A display and a home with no window yet.
    pub(crate) fn bare(name: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let papers = home.path().join("papers");
        let pictures =
            std::env::var_os("CARREL_E2E").map_or_else(|| home.path().into(), PathBuf::from).join(name);
        for folder in [&papers, &pictures] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        let (display_server, display) = start_display();
        Self {
            papers,
            page: None,
            port: free_port(),
            home,
            display,
            pictures,
            children: vec![display_server],
        }
    }

    /// Starts a program with a window and returns when its page can be spoken to.
    pub(crate) fn start(&mut self, program: &Path, data: &Path) -> &Session {
        let mut driver = Command::new("WebKitWebDriver");
        driver
            .arg(format!("--port={}", self.port))
            .arg("--host=127.0.0.1")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        at_home(&mut driver, self.home.path(), &self.display);
        driver.env("CARREL_DATA", data);
        driver.env("TAURI_WEBVIEW_AUTOMATION", "true").env("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
        self.children.insert(0, driver.spawn().expect("WebKitWebDriver, of the package webkit2gtk-driver"));
        wait_for_port(self.port);
        self.page.insert(Session::start(self.port, &program.to_string_lossy()).expect("the window"))
    }

    /// The window.
    pub(crate) fn page(&self) -> &Session {
        self.page.as_ref().expect("a window that was started")
    }

    /// Puts a document of the sample library among the papers.
    pub(crate) fn paper(&self, sample: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/library").join(sample);
        let to = self.papers.join(from.file_name().expect("a name"));
        std::fs::copy(&from, &to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        to
    }

    /// Keeps a picture of the whole display, once what moves has come to rest.
    pub(crate) fn picture(&self, name: &str) {
        std::thread::sleep(Duration::from_millis(700));
        let file = self.pictures.join(format!("{name}.png"));
        let taken = self.run("import", ["-window".as_ref(), "root".as_ref(), file.as_os_str()]);
        assert!(taken, "no picture: is imagemagick there?");
    }

    /// Runs a program on this display and waits for it.
    pub(crate) fn run<'a>(&self, program: &str, arguments: impl IntoIterator<Item = &'a OsStr>) -> bool {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        at_home(&mut command, self.home.path(), &self.display);
        command.status().is_ok_and(|status| status.success())
    }

    /// Moves or presses the real mouse of this display.
    pub(crate) fn mouse(&self, words: &[&str]) {
        assert!(self.run("xdotool", words.iter().map(OsStr::new)), "xdotool {words:?}");
    }

    /// Starts a program on this display that lives as long as the stage.
    pub(crate) fn keep(&mut self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        at_home(&mut command, self.home.path(), &self.display);
        self.children.insert(0, command.spawn().unwrap_or_else(|error| panic!("{program}: {error}")));
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let file = self.pictures.join("failed.png");
            self.run("import", ["-window".as_ref(), "root".as_ref(), file.as_os_str()]);
            eprintln!("the display at the failure: {}", file.display());
        }
        if let Some(page) = &self.page {
            page.end();
        }
        for child in &mut self.children {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// The program lies beside the folder of the test programs.
fn program() -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.ancestors().nth(2).expect("target/debug/deps/…").join("carrel-desktop")
}

fn at_home(command: &mut Command, home: &Path, display: &str) {
    command.env("HOME", home).env("DISPLAY", display).env("LANG", "C.UTF-8");
    // No accessibility bus, no portals: they would only wait for services that are not there.
    command.env("NO_AT_BRIDGE", "1").env("GTK_USE_PORTAL", "0").env("GDK_BACKEND", "x11");
    for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "WAYLAND_DISPLAY"] {
        command.env_remove(name);
    }
}

/// A display whose number the server chooses, so that tests never meet on one.
fn start_display() -> (Child, String) {
    let mut server = Command::new("Xvfb");
    server.args(["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp"]);
    server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = server.spawn().expect("Xvfb, of the package xvfb");
    let mut number = String::new();
    BufReader::new(server.stdout.take().expect("piped"))
        .read_line(&mut number)
        .expect("the display's number");
    let number = number.trim();
    assert!(!number.is_empty(), "Xvfb did not start");
    (server, format!(":{number}"))
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("a port").port()
}

fn wait_for_port(port: u16) {
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(30), "WebKitWebDriver does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
}
