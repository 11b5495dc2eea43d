//! One line on stderr that says how far a long call is. Only on a terminal.

use crate::session::Session;
use crate::table::{cut, plain};
use carrel_api::Problem;
use carrel_api::dto::ActivityDto;
use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Carries out `work` while the activity of the program is shown.
pub(crate) fn while_working<T>(
    session: &Session,
    work: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    if !is_shown() {
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

/// How long something may take before it is said that it is waited for.
const UNSAID: Duration = Duration::from_secs(2);

/// Says what is waited for, and how long already, where that takes more than [`UNSAID`].
pub(crate) struct Waiting {
    since: Arc<Mutex<Option<(String, Instant)>>>,
    /// Dropping it ends the thread that speaks.
    _ends: Sender<()>,
}

impl Waiting {
    /// Nothing is waited for yet.
    pub(crate) fn new() -> Self {
        let since: Arc<Mutex<Option<(String, Instant)>>> = Arc::default();
        let (ends, ended) = channel::<()>();
        if is_shown() {
            let theirs = Arc::clone(&since);
            std::thread::spawn(move || {
                while ended.recv_timeout(Duration::from_millis(500)) == Err(RecvTimeoutError::Timeout) {
                    // Held while it speaks: whoever has what was waited for writes after it.
                    let since = theirs.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some((what, begun)) = &*since
                        && begun.elapsed() >= UNSAID
                    {
                        show(&format!(
                            "waiting for {what} ({} s); Ctrl-C stops it",
                            begun.elapsed().as_secs()
                        ));
                    }
                }
            });
        }
        Self { since, _ends: ends }
    }

    /// From now on this is waited for.
    pub(crate) fn begin(&self, what: &str) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Some((what.to_owned(), Instant::now()));
    }

    /// It is there.
    pub(crate) fn end(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.take().is_some() {
            show("");
        }
    }
}

/// Whether anybody sees the line.
pub(crate) fn is_shown() -> bool {
    std::io::stderr().is_terminal()
}

/// Replaces the line.
pub(crate) fn show(text: &str) {
    let mut stderr = std::io::stderr().lock();
    if !stderr.is_terminal() {
        return;
    }
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| usize::from(w.0));
    let _ = write!(stderr, "\r\x1b[K{}", cut(&plain(text), width.saturating_sub(1)));
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
        if let Some(part) = &p.part {
            text.push_str(&format!(", {}", part.for_people()));
        }
    }
    text
}
