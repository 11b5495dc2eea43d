//! `add`, `sync`

use crate::args::{AddArgs, SyncArgs};
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::plain;
use crate::{places, progress};
use carrel_api::Problem;
use carrel_api::dto::{AddRequest, AddWhat, FileProblem, LibraryScope, SyncReportDto};
use std::ffi::OsString;
use std::io::Read as _;

/// Bytes of a text on the standard input: as much as a file may have.
const LONGEST_TEXT: u64 = 512 << 20;

pub(crate) fn run(args: AddArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    if args.id.is_some() && !args.what.iter().any(|w| w == "-") {
        return Err(Problem::bad_request("--id names the text on the standard input: add `-`"));
    }
    let what = args.what.into_iter().map(|word| item(word, args.id.as_deref())).collect::<Result<_, _>>()?;
    let waits = !args.no_wait;
    let request = AddRequest {
        what,
        library: args.library.library,
        watch: args.watch,
        title: args.title,
        tags: args.tags,
        wait: waits,
    };
    let report: SyncReportDto = progress::while_working(session, || session.call("add", &request))?;
    print(&report, output);
    if !waits && session.is_owner() {
        output.message("the rest is done when Carrel runs next: `carrel sync`, `carrel watch` or the window");
    }
    Ok(u8::from(report.refusal().is_some() || args.strict && !report.failed.is_empty()))
}

pub(crate) fn sync(args: SyncArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    let scope = LibraryScope { library: args.library.library };
    let report: SyncReportDto = progress::while_working(session, || session.call("sync", &scope))?;
    print(&report, output);
    Ok(u8::from(report.failure().is_some() || args.strict && !report.failed.is_empty()))
}

fn item(word: OsString, id: Option<&str>) -> Result<AddWhat, Problem> {
    if word == "-" {
        let mut text = String::new();
        std::io::stdin().take(LONGEST_TEXT + 1).read_to_string(&mut text).map_err(|error| {
            Problem::bad_request(format!("the standard input is not UTF-8 text: {error}"))
        })?;
        if text.len() as u64 > LONGEST_TEXT {
            return Err(Problem::bad_request(format!("a text has at most {} MB", LONGEST_TEXT >> 20)));
        }
        return Ok(AddWhat::Text { text, id: id.map(str::to_owned) });
    }
    Ok(match word.into_string() {
        Ok(url) if places::is_address(&url) => AddWhat::Url { url },
        Ok(path) => AddWhat::Path { path: places::place(path) },
        Err(path) => AddWhat::Path { path: places::place(path) },
    })
}

fn print(report: &SyncReportDto, output: &Output) {
    if output.json {
        return output.document(report);
    }
    let files: Vec<(&str, &FileProblem)> = report
        .failed
        .iter()
        .map(|file| (file.state(), file))
        .chain(report.skipped.iter().map(|file| ("skipped", file)))
        .collect();
    let as_state = |state: &str| files.iter().filter(|(word, _)| *word == state).count() as u32;
    let counted = [
        ("added", report.added),
        ("updated", report.updated),
        ("unchanged", report.unchanged),
        ("moved", report.moved),
        ("removed", report.removed),
        ("failed", as_state("failed")),
        ("needs_password", as_state("needs_password")),
        ("no_text", as_state("no_text")),
        ("skipped", as_state("skipped")),
    ];
    let told: Vec<String> =
        counted.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}")).collect();
    output.line(if told.is_empty() { "nothing to do".to_owned() } else { told.join(" · ") });
    for (state, file) in &files {
        let fill = " ".repeat(15_usize.saturating_sub(state.len()));
        output.line(format!("  {}{fill}{}", output.paint.state(state), places::shown(&file.uri)));
        output.line(format!("  {:15}{}", "", output.paint.paint(Look::Quiet, plain(&file.reason))));
    }
}
