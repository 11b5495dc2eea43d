//! One file for each group of commands: parse no further, call, print.
#![expect(clippy::needless_pass_by_value, reason = "each command is handed its arguments over")]

mod add;
mod answers;
mod bench;
mod care;
mod convert;
mod documents;
mod enrichment;
mod eval;
mod jobs;
mod libraries;
mod models;
mod quality;
mod search;
mod sources;
mod status;
mod watch;

use crate::args::{Cli, Command, EvalCommand};
use crate::output::Output;
use crate::password;
use crate::session::Session;
use carrel_api::{AppConfig, Problem};

/// Exit status of what found nothing.
const NOTHING_FOUND: u8 = 3;

/// Carries out a command line and gives its exit status.
pub(crate) fn run(cli: Cli, output: &mut Output) -> Result<u8, Problem> {
    let Cli { data, command, .. } = cli;
    let open = || Session::open(data.clone(), false);
    let current = |libraries: &[String]| Session::open_current(data.clone(), libraries);
    match command {
        Command::Library(command) => libraries::run(command, &open()?, output),
        Command::Add(args) => add::run(args, &open()?, output),
        Command::Source(command) => sources::run(command, &open()?, output),
        Command::Sync(args) => add::sync(args, &open()?, output),
        Command::Watch(args) => watch::run(args, &Session::open(data, true)?, output),
        Command::Status(args) => status::run(args, &open()?, output),
        Command::Documents(args) => {
            let session = current(args.library.library.as_slice())?;
            documents::list(args, &session, output)
        }
        Command::Show(args) => {
            let session = current(args.document.library.library.as_slice())?;
            documents::show(args, &session, output)
        }
        Command::Versions(args) => documents::versions(args, &open()?, output),
        Command::Remove(args) => documents::remove(args, &open()?, output),
        Command::Unlock(args) => {
            // Before a library is opened: an interruption ends the waiting for it.
            let password = password::read(None, args.password_stdin)?;
            documents::unlock(args, password, &open()?, output)
        }
        Command::Convert(args) => convert::run(args, &AppConfig::from_environment(data)?, output),
        Command::Search(args) => {
            let session = current(&args.libraries)?;
            search::run(args, &session, output)
        }
        Command::Ask(args) => {
            let session = current(&args.libraries)?;
            answers::ask(args, &session, output)
        }
        Command::Chats(command) => answers::chats(command, &open()?, output),
        Command::Jobs(command) => jobs::run(command, &open()?, output),
        Command::Models(command) => models::run(command, &open()?, output),
        Command::Doctor(args) => {
            if args.repair {
                care::restore_list(&AppConfig::from_environment(data.clone())?, output)?;
            }
            care::doctor(args, &open()?, output)
        }
        Command::Eval(EvalCommand::Beir { dir, chunking, unrelated, enrichment, cache, retrieval }) => {
            let options =
                eval::beir_options(&dir, chunking, unrelated.as_deref(), enrichment, cache, &retrieval);
            eval::beir(&AppConfig::from_environment(data)?, &options, output)
        }
        Command::Eval(EvalCommand::Spans { dir, budget, chunking, enrichment, cache, retrieval }) => {
            let options = eval::spans_options(&dir, budget, chunking, enrichment, cache, &retrieval);
            eval::spans(&AppConfig::from_environment(data)?, &options, output)
        }
        Command::Eval(command) => quality::run(command, &open, output),
        Command::Bench(command) => bench::run(command, &AppConfig::from_environment(data)?, output),
        Command::Diff(_) => Err(Problem::not_available("diff")),
        Command::Rollback(_) => Err(Problem::not_available("rollback")),
        Command::Graph(_) => Err(Problem::not_available("graph")),
        Command::Export(_) => Err(Problem::not_available("export")),
        Command::Import(_) => Err(Problem::not_available("import")),
        Command::Data(_) => Err(Problem::not_available("data")),
        Command::Serve(_) => Err(Problem::not_available("serve")),
        Command::Mcp(_) => Err(Problem::not_available("mcp")),
    }
}
