//! The command line: what can be typed, and its help.
//!
//! It only describes. What is not built yet is declared all the same where it is promised, so that it is refused with a code
//! and never ignored.

mod chats;
mod measure;
mod models;
mod retrieval;

use clap::{ArgGroup, Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use chats::{ChatsCommand, RatingWord, ScopeArgs};
pub(crate) use measure::{BenchCommand, BenchCommon, EvalCommand, RunsCommand};
pub(crate) use models::{EndpointCommand, ModelsCommand};
pub(crate) use retrieval::Retrieval;

/// Your documents, searchable and answerable, on your own machine.
#[derive(Debug, Parser)]
#[command(
    name = "carrel",
    version,
    about = "Your documents, searchable and answerable, on your own machine",
    after_long_help = "\
EXAMPLES
  carrel add ~/Documents --watch              follow a folder
  carrel search 'notice period' -n 5          passages with their places
  carrel ask 'How long is the notice period?' an answer with its sources
  carrel status                               what is searchable, and what is not and why

EXIT STATUS
  0 done · 1 the work failed · 2 wrong usage · 3 nothing found · 130 interrupted

ENVIRONMENT
  CARREL_DATA    the data folder
  CARREL_MODELS  where models lie
  NO_COLOR       no colours",
    subcommand_required = true,
    arg_required_else_help = true,
    infer_subcommands = false,
    max_term_width = 110
)]
pub(crate) struct Cli {
    /// The data folder; `CARREL_DATA` when not given
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Libraries: list, create, rename, remove, settings
    #[command(subcommand)]
    Library(LibraryCommand),
    /// Add files, folders, web pages or text
    #[command(after_long_help = "\
EXAMPLES
  carrel add lease.pdf notes/ --tag flat
  carrel add ~/Documents --watch
  carrel add https://example.org/article
  echo 'The meter reads 4711' | carrel add - --id meter --title 'The meter'")]
    Add(AddArgs),
    /// Sources: list, remove
    #[command(
        subcommand,
        after_long_help = "\
EXAMPLES
  carrel source list
  carrel source remove ID --keep    the documents stay, no longer as a folder
  carrel source remove ID --drop    the documents leave the library; the files stay on the disk"
    )]
    Source(SourceCommand),
    /// Rescan all sources and return when nothing is left to do
    Sync(SyncArgs),
    /// Stay and keep in sync until interrupted
    Watch(LibraryArg),
    /// What is searchable, and what is not and why
    Status(LibraryArg),
    /// List documents
    #[command(after_long_help = "\
EXAMPLES
  carrel documents --state failed
  carrel --json documents --library Research")]
    Documents(DocumentsArgs),
    /// Print the text of a document, or its passages
    #[command(after_long_help = "\
EXAMPLES
  carrel show lease.pdf
  carrel show 'The lease of the flat'
  carrel show lease.pdf --passages")]
    Show(ShowArgs),
    /// List the versions of a document
    Versions(DocumentArg),
    /// Remove a document; one of a watched folder is not taken in again
    Remove(DocumentArg),
    /// Read an encrypted document with its password
    #[command(after_long_help = "\
EXAMPLES
  carrel unlock contract.pdf --password-stdin < password.txt
  CARREL_PASSWORD=… carrel unlock contract.pdf")]
    Unlock(UnlockArgs),
    /// Print the Markdown of a file, without any library
    Convert(ConvertArgs),
    /// Search by words and by meaning
    #[command(after_long_help = "\
QUERIES
  \"notice period\"       these words next to each other
  -garage               without a word; -\"two words\" too
  type:pdf path:GLOB tag:T after:2025 before:2025-06-30
                        only such documents; -type: -path: -tag: all but them

EXAMPLES
  carrel search 'notice period'
  carrel search '\"notice period\" -garage type:pdf'
  carrel search ISO-27001 --legs lexical
  carrel search 'rent increase' --filter type=pdf --filter after=2025-01-01 --explain
  carrel search 'rent' --library Home --library Research")]
    Search(SearchArgs),
    /// Ask a question and get an answer with its sources
    #[command(after_long_help = "\
EXAMPLES
  carrel ask 'How long is the notice period?'
  carrel ask 'And for the garage?' --chat ID
  carrel ask 'What does it say about pets?' --document lease.pdf
  carrel --json ask 'How long is the notice period?' --stream")]
    Ask(AskArgs),
    /// Chats: find, show, narrow, rate, export
    #[command(
        subcommand,
        after_long_help = "\
EXAMPLES
  carrel ask 'How long is the notice period?' --chat new --filter type=pdf
  carrel ask 'And for the garage?' --chat ID
  carrel ask 'And for the cellar?' --chat ID --instead 2
  carrel chats search 'notice garage'
  carrel chats scope ID --library Home --folder ~/Papers/Lease
  carrel chats rate ID 2 good
  carrel chats export ID lease-questions.md"
    )]
    Chats(ChatsCommand),
    /// What is running and waiting
    #[command(subcommand)]
    Jobs(JobsCommand),
    /// Models and endpoints
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Check ledger, indexes, models and disk, and mend them
    Doctor(DoctorArgs),
    /// Measure the quality of search
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Measure speeds and memory
    #[command(subcommand)]
    Bench(BenchCommand),

    #[command(hide = true)]
    Diff(Later),
    #[command(hide = true)]
    Rollback(Later),
    #[command(hide = true)]
    Graph(Later),
    #[command(hide = true)]
    Export(Later),
    #[command(hide = true)]
    Import(Later),
    #[command(hide = true)]
    Data(Later),
    #[command(hide = true)]
    Serve(Later),
    #[command(hide = true)]
    Mcp(Later),
}

/// Whatever is typed after a command that is not built yet.
#[derive(Debug, Args)]
pub(crate) struct Later {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub(crate) rest: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LibraryArg {
    /// The library
    #[arg(long, short = 'l', value_name = "NAME")]
    pub(crate) library: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DocumentArg {
    /// Id, path or URI; or the end of a path, a file name or a title, if only one document has it
    #[arg(value_name = "DOC")]
    pub(crate) document: OsString,
    #[command(flatten)]
    pub(crate) library: LibraryArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LibraryCommand {
    /// List all libraries
    List,
    /// Create a library
    Create {
        /// Its name
        name: String,
    },
    /// Rename a library
    Rename {
        /// Its name now
        old: String,
        /// Its name then
        new: String,
    },
    /// Remove a library with all it holds; your files stay where they are
    Remove {
        /// Its name
        name: String,
        /// Yes, remove it
        #[arg(long)]
        yes: bool,
    },
    /// Show or change settings
    #[command(after_long_help = "\
SETTINGS
  chunking   how documents are cut, in tokens:
             auto                  by a preset for the kind of each document
             SIZE/OVERLAP          along the structure
             fixed:SIZE, sliding:SIZE/OVERLAP
             semantic:SIZE         where the subject changes
             parent-child:SIZE/SECTION
             pages                 by page or section
             short, mixed, technical, tables: presets; none: at the model's window only
  embedder   the id of an installed model, or none to search by words alone
  enrichment on or off (the default): a language model writes a line of context for each passage, which is
             searched with it; `carrel library enrichment NAME --estimate` says before what that costs
  fusion     how words and meaning are joined: auto, rrf or convex

EXAMPLES
  carrel library settings default
  carrel library settings Research chunking=technical")]
    Settings {
        /// Its name
        name: String,
        /// What to change; without any, all are shown
        #[arg(value_name = "KEY=VALUE")]
        changes: Vec<String>,
    },
    /// How far the lines of context of a library are
    #[command(after_long_help = "\
EXAMPLES
  carrel library enrichment default --estimate
  carrel library settings default enrichment=on
  carrel library enrichment default --wait")]
    Enrichment {
        /// Its name
        name: String,
        /// Write three lines, which are not kept, and say what all would cost
        #[arg(long)]
        estimate: bool,
        /// Return when no passage waits for its line: what is written meanwhile stays, however this ends
        #[arg(long)]
        wait: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// Files, folders, URLs, or `-` for text on the standard input
    #[arg(required = true, value_name = "WHAT")]
    pub(crate) what: Vec<OsString>,
    #[command(flatten)]
    pub(crate) library: LibraryArg,
    /// Follow changes in the folders
    #[arg(long)]
    pub(crate) watch: bool,
    /// Title of a single document
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Give a tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Names the text on the standard input: the same id again is a new version
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Return as soon as everything is queued
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// End with 1 if any file failed
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// List all sources
    List(LibraryArg),
    /// Remove a source, and say what becomes of its documents
    #[command(group(ArgGroup::new("fate").required(true).args(["keep", "drop"])))]
    Remove {
        /// Its id, as `source list` shows it
        id: String,
        /// Keep its documents in the library, as single files
        #[arg(long)]
        keep: bool,
        /// Drop its documents from the library; the files stay on the disk
        #[arg(long)]
        drop: bool,
        #[command(flatten)]
        library: LibraryArg,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    pub(crate) library: LibraryArg,
    /// End with 1 if any file failed
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DocumentsArgs {
    #[command(flatten)]
    pub(crate) library: LibraryArg,
    /// Only documents in this state; may be repeated
    #[arg(long = "state", value_name = "STATE")]
    pub(crate) states: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) document: DocumentArg,
    /// A version's number
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u32>,
    /// Its passages with spans, pages and tokens
    #[arg(long)]
    pub(crate) passages: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    pub(crate) document: DocumentArg,
    /// Read the password from the standard input
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The file to read
    pub(crate) file: PathBuf,
    /// Password of an encrypted file (others can see it in the list of processes)
    #[arg(long, value_name = "P", conflicts_with = "password_stdin")]
    pub(crate) password: Option<String>,
    /// Read the password from the standard input
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words to look for, or what they mean
    pub(crate) query: String,
    /// A library; may be repeated; `*` for all
    #[arg(long = "library", short = 'l', value_name = "NAME")]
    pub(crate) libraries: Vec<String>,
    /// How many passages
    #[arg(short = 'n', default_value_t = 10, value_name = "N")]
    pub(crate) n: u32,
    #[command(flatten)]
    pub(crate) retrieval: Retrieval,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// What you want to know
    pub(crate) question: String,
    /// A library; may be repeated; `*` for all
    #[arg(long = "library", short = 'l', value_name = "NAME")]
    pub(crate) libraries: Vec<String>,
    /// Ask about this document (as for `show`); may be repeated
    #[arg(long = "document", value_name = "DOC")]
    pub(crate) documents: Vec<OsString>,
    /// The chat that it belongs to; `new` begins one
    #[arg(long, value_name = "ID")]
    pub(crate) chat: Option<String>,
    /// Ask it in the place of this turn of the chat, as a branch beside it
    #[arg(long, value_name = "TURN", requires = "chat")]
    pub(crate) instead: Option<u32>,
    /// How many passages are looked at; the model reads as many of them as it reads well
    #[arg(short = 'n', default_value_t = 5, value_name = "N")]
    pub(crate) n: u32,
    /// The language model
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// With --json: one event a line while the answer is made
    #[arg(long)]
    pub(crate) stream: bool,
    #[command(flatten)]
    pub(crate) retrieval: Retrieval,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// List running and recent jobs
    List,
    /// Stop a job
    Cancel {
        /// Its id, as `jobs list` shows it
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Mend what can be mended
    #[arg(long)]
    pub(crate) repair: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn everything_that_is_offered_is_explained() {
        fn look(command: &clap::Command, path: &str) {
            for argument in command.get_arguments().filter(|a| !a.is_hide_set()) {
                assert!(argument.get_help().is_some(), "{path}: {} is not explained", argument.get_id());
            }
            for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
                let path = format!("{path} {}", below.get_name());
                assert!(below.get_about().is_some(), "{path} is not explained");
                look(below, &path);
            }
        }
        look(&Cli::command(), "carrel");
    }

    #[test]
    fn two_dashes_end_the_options() {
        let cli = Cli::try_parse_from(["carrel", "search", "--json", "--", "--rerank"]).unwrap();
        assert!(cli.json);
        assert!(matches!(cli.command, Command::Search(SearchArgs { query, .. }) if query == "--rerank"));
    }
}
