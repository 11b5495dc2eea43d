//! Colours for people: only on a terminal, and never against `NO_COLOR`.

use anstyle::{AnsiColor, Style};
use std::fmt;
use std::io::IsTerminal as _;

/// What a piece of text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    /// Titles.
    Strong,
    /// What is only there to be looked up.
    Quiet,
    /// Well.
    Good,
    /// To be looked at.
    Warn,
    /// Wrong.
    Bad,
    /// A matched word.
    Match,
    /// Numbers of sources.
    Accent,
}

/// Paints or does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter {
    colours: bool,
}

impl Painter {
    /// For the standard output.
    pub(crate) fn stdout() -> Self {
        Self { colours: wanted() && std::io::stdout().is_terminal() }
    }

    /// For the standard error.
    pub(crate) fn stderr() -> Self {
        Self { colours: wanted() && std::io::stderr().is_terminal() }
    }

    /// `text`, painted.
    pub(crate) fn paint(self, look: Look, text: impl fmt::Display) -> String {
        if !self.colours {
            return text.to_string();
        }
        let style = match look {
            Look::Strong => Style::new().bold(),
            Look::Quiet => Style::new().dimmed(),
            Look::Good => AnsiColor::Green.on_default(),
            Look::Warn => AnsiColor::Yellow.on_default(),
            Look::Bad => AnsiColor::Red.on_default(),
            Look::Match => AnsiColor::Yellow.on_default().bold(),
            Look::Accent => AnsiColor::Blue.on_default(),
        };
        format!("{style}{text}{style:#}")
    }

    /// The look of a document's state.
    pub(crate) fn state(self, state: &str) -> String {
        let look = match state {
            "ready" => Look::Good,
            "failed" | "missing" | "unreadable" => Look::Bad,
            "partial" | "needs_password" | "no_text" => Look::Warn,
            _ => Look::Quiet,
        };
        self.paint(look, state)
    }
}

fn wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
