//! `chats …`

use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;

#[derive(Debug, Subcommand)]
pub(crate) enum ChatsCommand {
    /// List all chats, pinned ones first
    List,
    /// Find chats by words of their titles, questions and answers
    Search {
        /// Each of them stands in the chat
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
    },
    /// Show a chat
    Show {
        /// Its id, as `chats list` shows it
        id: String,
        /// Show the branch through this turn
        #[arg(long, value_name = "TURN")]
        turn: Option<u32>,
    },
    /// Print a chat as Markdown with its sources, or write it to a file
    Export {
        /// Its id, as `chats list` shows it
        id: String,
        /// A file whose name ends with .md; written over where it is there
        file: Option<OsString>,
        /// This turn alone
        #[arg(long, value_name = "TURN")]
        turn: Option<u32>,
    },
    /// Rename a chat
    Rename {
        /// Its id, as `chats list` shows it
        id: String,
        /// The new title
        title: String,
    },
    /// Put a chat above the others
    Pin {
        /// Its id, as `chats list` shows it
        id: String,
        /// Put it back among them
        #[arg(long)]
        off: bool,
    },
    /// Show where the questions of a chat look, or say so: each kind that is named stands in the place of what was there
    Scope(ScopeArgs),
    /// Go on from another branch of a chat
    Branch {
        /// Its id, as `chats list` shows it
        id: String,
        /// A turn of the branch
        turn: u32,
    },
    /// Say what you think of an answer; a good one becomes a question by which the library's search is measured
    Rate {
        /// The chat's id, as `chats list` shows it
        id: String,
        /// The turn
        turn: u32,
        /// What you think
        rating: RatingWord,
        /// Why
        #[arg(long)]
        note: Option<String>,
    },
    /// Remove a chat
    Remove {
        /// Its id, as `chats list` shows it
        id: String,
    },
}

/// What somebody thinks of an answer.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RatingWord {
    Good,
    Bad,
    None,
}

#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// The chat's id, as `chats list` shows it
    pub(crate) id: String,
    /// A library; may be repeated; `*` for all
    #[arg(long = "library", short = 'l', value_name = "NAME")]
    pub(crate) libraries: Vec<String>,
    /// A folder with everything below; may be repeated
    #[arg(long = "folder", value_name = "DIR")]
    pub(crate) folders: Vec<OsString>,
    /// What has one of these tags; may be repeated
    #[arg(long = "tag", value_name = "T")]
    pub(crate) tags: Vec<String>,
    /// A document (as for `show`); may be repeated
    #[arg(long = "document", value_name = "DOC")]
    pub(crate) documents: Vec<OsString>,
    /// Another filter, as of a search: `type=pdf`, `after=2025`; may be repeated
    #[arg(long = "filter", value_name = "KEY=VALUE")]
    pub(crate) filters: Vec<String>,
    /// Forget what was there before
    #[arg(long)]
    pub(crate) clear: bool,
}
