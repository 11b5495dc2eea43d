//! `eval …`, `bench …`

use super::{LibraryArg, Retrieval};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// A collection with corpus.jsonl, queries.jsonl and qrels.tsv
    Beir {
        /// The folder of the collection
        dir: PathBuf,
        /// How documents are cut: a strategy, or `none` to cut at the model's window only
        #[arg(long, value_name = "S")]
        chunking: Option<String>,
        /// A collection whose questions this one cannot answer: how well they are told apart
        #[arg(long, value_name = "DIR")]
        unrelated: Option<PathBuf>,
        /// Let the language model write a line of context for each passage first: slow
        #[arg(long)]
        enrichment: bool,
        /// Keep vectors here between runs
        #[arg(long, value_name = "DIR")]
        cache: Option<PathBuf>,
        #[command(flatten)]
        retrieval: Retrieval,
    },
    /// A collection of whole documents with docs/NAME.md and spans.jsonl
    Spans {
        /// The folder of the collection
        dir: PathBuf,
        /// Most characters returned for a question
        #[arg(long, default_value_t = 5_000, value_name = "N")]
        budget: usize,
        /// How documents are cut; several give a table, and `all` is every strategy
        #[arg(long, value_name = "S", value_delimiter = ',')]
        chunking: Vec<String>,
        /// Let the language model write a line of context for each passage first: slow
        #[arg(long)]
        enrichment: bool,
        /// Keep vectors here between runs
        #[arg(long, value_name = "DIR")]
        cache: Option<PathBuf>,
        #[command(flatten)]
        retrieval: Retrieval,
    },
    /// The library's own questions, or those of a file: is what answers them found?
    #[command(after_long_help = "\
FILE
  one JSON object a line:
  {\"question\": \"How long is the notice period?\", \"document\": \"lease.pdf\", \"quote\": \"ninety days\"}
  {\"question\": \"Which contracts run out in 2027?\", \"documents\": [\"lease.pdf\", \"phone.pdf\"]}

EXAMPLES
  carrel eval questions
  carrel eval questions mine.jsonl --keep
  carrel eval questions --fusion rrf && carrel eval runs compare previous last")]
    Questions {
        /// Questions, one JSON object a line; the library's own when not given
        file: Option<PathBuf>,
        #[command(flatten)]
        library: LibraryArg,
        /// Take the questions of the file into the library's set
        #[arg(long, requires = "file")]
        keep: bool,
        #[arg(long, hide = true)]
        answers: bool,
        #[command(flatten)]
        retrieval: Retrieval,
    },
    /// Make questions of the library's own passages, each checked for being answerable
    Generate {
        /// How many more, at most 50
        #[arg(short = 'n', default_value_t = 30, value_name = "N")]
        count: u32,
        #[command(flatten)]
        library: LibraryArg,
    },
    /// List the library's questions
    List(LibraryArg),
    /// Remove questions of the library's set
    Remove {
        /// Their ids, as `eval list` shows them
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        library: LibraryArg,
    },
    /// Earlier runs over the library's questions: list, show, compare
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Try ways to cut and to join legs, and rerankers, on a copy of the library, by its own questions
    Tune {
        #[command(flatten)]
        library: LibraryArg,
        /// Ways to cut that are tried; a usual choice when not given
        #[arg(long, value_name = "S", value_delimiter = ',')]
        chunking: Vec<String>,
        /// Fusions that are tried; all when not given
        #[arg(long, value_name = "F", value_delimiter = ',')]
        fusion: Vec<String>,
        /// Rerankers that are tried beside the present one: none, late-interaction, a model, or all that are here
        #[arg(long, value_name = "M")]
        rerank: Vec<String>,
        /// Say what it will cost, and try nothing
        #[arg(long)]
        estimate: bool,
        /// Set what is really better, where anything is
        #[arg(long)]
        apply: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List the runs, oldest first
    List(LibraryArg),
    /// Each question of a run, and where it was lost
    Show {
        /// Its id, the end of it, or `last`
        run: String,
        #[command(flatten)]
        library: LibraryArg,
    },
    /// Whether the second run is better than the first, or only luckier
    Compare {
        /// The run that is compared with: its id, the end of it, `previous` or `last`
        first: String,
        /// The run that is judged
        second: String,
        #[command(flatten)]
        library: LibraryArg,
    },
    /// Forget a run
    Remove {
        /// Its id, the end of it, or `last`
        run: String,
        #[command(flatten)]
        library: LibraryArg,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// The embedder, on passages of 256 tokens
    Embed {
        /// The embedder; the default one when not given
        #[arg(long, value_name = "M")]
        model: Option<String>,
        /// A corpus.jsonl to cut passages from; generated when not given
        #[arg(long, value_name = "FILE")]
        corpus: Option<PathBuf>,
        /// Passages handed over at a time
        #[arg(long, default_value_t = 16)]
        batch: usize,
        /// Passages of a run
        #[arg(long, default_value_t = 64)]
        passages: usize,
        /// Tokens of a passage
        #[arg(long, default_value_t = 256)]
        tokens: usize,
        #[command(flatten)]
        common: BenchCommon,
    },
    /// A reranker, on the 20 pairs of one search
    Rerank {
        /// The cross-encoder; one of the shape of the default embedder when not given
        #[arg(long, value_name = "M")]
        model: Option<String>,
        /// A corpus.jsonl to cut passages from; generated when not given
        #[arg(long, value_name = "FILE")]
        corpus: Option<PathBuf>,
        /// Tokens of a pair
        #[arg(long, default_value_t = 256)]
        tokens: usize,
        #[command(flatten)]
        common: BenchCommon,
    },
    /// Conversion, cutting, embedding and indexing of a folder
    Ingest {
        /// A folder to take in; generated files when not given
        folder: Option<PathBuf>,
        /// How many files to generate
        #[arg(long, default_value_t = 200)]
        files: usize,
        #[command(flatten)]
        common: BenchCommon,
    },
    /// Search over a library
    Search {
        /// A folder to search; generated files when not given
        folder: Option<PathBuf>,
        /// How many files to generate
        #[arg(long, default_value_t = 200)]
        files: usize,
        /// How many questions
        #[arg(long, default_value_t = 200)]
        queries: usize,
        #[command(flatten)]
        common: BenchCommon,
    },
    /// A language model: tokens that it reads and writes in a second
    Answer {
        /// The language model; the chosen one when not given
        #[arg(long, value_name = "M")]
        model: Option<String>,
        /// Tokens of the prompt
        #[arg(long, default_value_t = 512, value_name = "N")]
        prompt: usize,
        /// Tokens that are written
        #[arg(long, default_value_t = 64, value_name = "N")]
        tokens: usize,
        #[command(flatten)]
        common: BenchCommon,
    },
    /// Search in a large library, idle and while documents come in
    Scale {
        /// A folder with corpus.jsonl and queries.jsonl to make passages of; generated ones when not given
        collection: Option<PathBuf>,
        /// Passages of the library; their vectors are made up, so that it is built in minutes
        #[arg(long, default_value_t = 100_000)]
        passages: usize,
        /// How many questions
        #[arg(long, default_value_t = 100)]
        queries: usize,
        #[command(flatten)]
        common: BenchCommon,
    },
}

#[derive(Debug, Args)]
pub(crate) struct BenchCommon {
    /// Threads to use; one per core when not given
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// A command that prints one JSON line with the same keys; run in turn
    #[arg(long, value_name = "COMMAND")]
    pub(crate) peer: Option<String>,
    /// Runs of each
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) runs: usize,
}
