//! A measurement, not a test: when the window shows its first content with 10,000 documents, against an empty Tauri window.

use crate::stage::Stage;
use crate::webdriver::Session;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const RUNS: usize = 7;

/// `cargo xtask measure` names the folder of release programs and a data folder that it has filled.
#[test]
fn first_content_against_an_empty_window() {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(programs), Some(data)) = (variable("CARREL_MEASURE"), variable("CARREL_MEASURE_DATA")) else {
        eprintln!("skipped: `cargo xtask measure` alone measures");
        return;
    };
    let (carrel, empty) = (programs.join("carrel-desktop"), programs.join("examples/empty_window"));
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for run in 0..=RUNS {
        let (first, second) = (first_content(&carrel, &data), first_content(&empty, &data));
        // The first of each finds nothing in the system's caches.
        if run > 0 {
            ours.push(first);
            theirs.push(second);
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{{\"window_s\": {ours:.3}, \"empty_window_s\": {theirs:.3}, \"difference_s\": {:.3}, \"runs\": {RUNS}}}",
        ours - theirs
    );
}

/// Seconds from asking for the window to its first content.
fn first_content(program: &Path, data: &Path) -> f64 {
    let mut stage = Stage::bare("start");
    let asked = now();
    let page = stage.start(program, data);
    let shown = page.until("the first content", Duration::from_secs(60), || painted(page));
    shown / 1000.0 - asked
}

/// When it was painted, in milliseconds of the wall clock.
fn painted(page: &Session) -> Option<f64> {
    let script = "const paint = performance.getEntriesByName('first-contentful-paint')[0];
        return paint ? performance.timeOrigin + paint.startTime : null;";
    page.script(script).as_f64()
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs_f64()).unwrap_or_default()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
