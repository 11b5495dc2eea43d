//! One line on stderr that says how far a long call is. Only on a terminal.

use crate::session::Session;
use crate::table::cut;
use carrel_api::Problem;
use carrel_api::dto::ActivityDto;
use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Carries out `work` while the activity of the program is shown.
pub(crate) fn while_working<T>(
    session: &Session,
    work: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, waiting) = channel::<()>();
        scope.spawn(move || {
            while waiting.recv_timeout(Duration::from_millis(250)) == Err(RecvTimeoutError::Timeout) {
                if let Ok(activity) = session.get::<ActivityDto>("activity") {
                    show(&describe(&activity));
                }
            }
            show("");
        });
        let result = work();
        drop(done);
        result
    })
}

/// Replaces the line.
pub(crate) fn show(text: &str) {
    let mut stderr = std::io::stderr().lock();
    if !stderr.is_terminal() {
        return;
    }
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| usize::from(w.0));
    let _ = write!(stderr, "\r\x1b[K{}", cut(text, width.saturating_sub(1)));
    let _ = stderr.flush();
}

fn describe(activity: &ActivityDto) -> String {
    let Some(p) = activity.progress.first() else { return String::new() };
    if p.paused {
        return "paused".to_owned();
    }
    let mut text =
        if p.total > 0 { format!("{} of {} documents", p.done, p.total) } else { "looking".to_owned() };
    if p.scanning {
        text.push_str(" · scanning");
    }
    if p.embedding > 0 {
        text.push_str(&format!(" · {} passages to embed", p.embedding));
    }
    if let Some(current) = &p.current {
        text.push_str(&format!(" · {current}"));
    }
    text
}
