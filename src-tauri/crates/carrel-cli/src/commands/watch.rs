//! `watch`

use crate::args::LibraryArg;
use crate::output::Output;
use crate::places;
use crate::session::Session;
use crate::style::Look;
use crate::table::count;
use carrel_api::Problem;
use carrel_api::dto::{Empty, LibraryScope, WatchEvent};

pub(crate) fn run(args: LibraryArg, session: &Session, output: &Output) -> Result<u8, Problem> {
    let scope = LibraryScope { library: args.library };
    let ended: Result<Empty, Problem> = session.stream("watch", &scope, &mut |event: WatchEvent| {
        if output.json {
            output.event(&event);
            return;
        }
        match event {
            WatchEvent::Watching { sources } => {
                output.message(format!(
                    "watching {}; Ctrl-C ends it",
                    count(sources as usize, "folder", "folders")
                ));
            }
            WatchEvent::Document { uri, state, library } => {
                let fill = " ".repeat(15_usize.saturating_sub(state.len()));
                let library = output.paint.paint(Look::Quiet, library);
                let place = places::shown(&uri);
                output.line(format!("{}{fill}{place}  {library}", output.paint.state(&state)));
            }
        }
    });
    match ended {
        Ok(Empty {}) => {}
        Err(problem) if problem.is_cancelled() => {}
        Err(problem) => return Err(problem),
    }
    if output.json {
        output.done(&Empty {});
    }
    // It only ends by being interrupted.
    Ok(crate::signals::INTERRUPTED)
}
