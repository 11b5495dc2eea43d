//! `add`, `sync`

use crate::args::{AddArgs, SyncArgs};
use crate::output::Output;
use crate::progress;
use crate::session::Session;
use crate::style::Look;
use carrel_api::Problem;
use carrel_api::dto::{AddRequest, AddWhat, LibraryScope, SyncReportDto};
use std::io::Read as _;

pub(crate) fn run(args: AddArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    if args.id.is_some() && !args.what.iter().any(|w| w == "-") {
        return Err(Problem::bad_request("--id names the text on the standard input: add `-`"));
    }
    let what = args.what.iter().map(|word| item(word, args.id.as_deref())).collect::<Result<_, _>>()?;
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
    let nothing = report.added + report.updated + report.unchanged + report.moved == 0;
    let wrong = nothing && !(report.failed.is_empty() && report.skipped.is_empty());
    Ok(u8::from(wrong || args.strict && !report.failed.is_empty()))
}

pub(crate) fn sync(args: SyncArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    let scope = LibraryScope { library: args.library.library };
    let report: SyncReportDto = progress::while_working(session, || session.call("sync", &scope))?;
    print(&report, output);
    let nothing = report.added + report.updated + report.unchanged + report.moved + report.removed == 0;
    Ok(u8::from(!report.failed.is_empty() && (nothing || args.strict)))
}

fn item(word: &str, id: Option<&str>) -> Result<AddWhat, Problem> {
    if word == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|error| {
            Problem::bad_request(format!("the standard input is not UTF-8 text: {error}"))
        })?;
        return Ok(AddWhat::Text { text, id: id.map(str::to_owned) });
    }
    if carrel_api::is_url(word) {
        return Ok(AddWhat::Url { url: word.to_owned() });
    }
    let path = std::path::absolute(word).map_err(|error| Problem::bad_request(format!("{word}: {error}")))?;
    let path = path.into_os_string().into_string();
    let path = path.map_err(|p| {
        Problem::bad_request(format!("{} is not a name in Unicode", p.display()))
            .hint("add the folder that holds it")
    })?;
    Ok(AddWhat::Path { path })
}

fn print(report: &SyncReportDto, output: &Output) {
    if output.json {
        return output.document(report);
    }
    let counted = [
        ("added", report.added),
        ("updated", report.updated),
        ("unchanged", report.unchanged),
        ("moved", report.moved),
        ("removed", report.removed),
        ("failed", report.failed.len() as u32),
        ("skipped", report.skipped.len() as u32),
    ];
    let told: Vec<String> =
        counted.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}")).collect();
    output.line(if told.is_empty() { "nothing to do".to_owned() } else { told.join(" · ") });
    for (look, files) in [(Look::Bad, &report.failed), (Look::Quiet, &report.skipped)] {
        for file in files {
            let word = if look as u8 == Look::Bad as u8 { "failed" } else { "skipped" };
            output.line(format!("  {}  {}", output.paint.paint(look, format!("{word:<7}")), file.uri));
            output.line(format!("           {}", output.paint.paint(Look::Quiet, &file.reason)));
        }
    }
}
