//! `source …`

use super::libraries::told;
use crate::args::SourceCommand;
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, count};
use carrel_api::Problem;
use carrel_api::dto::{Empty, LibraryScope, SourceDto, SourceList, SourceRemove};

pub(crate) fn run(command: SourceCommand, session: &Session, output: &Output) -> Result<u8, Problem> {
    match command {
        SourceCommand::List(args) => {
            let list: SourceList = session.call("source.list", &LibraryScope { library: args.library })?;
            if output.json {
                output.document(&list);
            } else if list.sources.is_empty() {
                output.line("no sources yet; add a folder with `carrel add FOLDER --watch`");
            } else {
                print(&list.sources, output);
            }
        }
        SourceCommand::Remove { id, keep, drop: _, library } => {
            let sentence = format!(
                "removed the source {id}; its documents are {}",
                if keep { "kept" } else { "dropped" }
            );
            let request = SourceRemove { id, library: library.library, keep };
            let _: Empty = session.call("source.remove", &request)?;
            told(&Empty {}, sentence, output);
        }
    }
    Ok(0)
}

/// Sources as a table.
pub(super) fn print(sources: &[SourceDto], output: &Output) {
    let paint = output.paint;
    let mut table = Table::new(&[Column::Left, Column::Flexible, Column::Right, Column::Left, Column::Left]);
    for source in sources {
        let place = match source.kind.as_str() {
            "files" => "single files",
            "texts" => "texts",
            "pages" => "web pages",
            _ => source.path.as_deref().unwrap_or_default(),
        };
        let (look, word) = if source.needs_confirmation {
            (Look::Warn, "many files vanished: confirm in the window")
        } else if !source.present {
            (Look::Warn, "not there now")
        } else if source.watched {
            (Look::Good, "watched")
        } else {
            (Look::Quiet, "")
        };
        table.row(vec![
            Cell::painted(&source.id, move |t| paint.paint(Look::Quiet, t)),
            place.into(),
            count(source.documents as usize, "document", "documents").into(),
            source.library.as_str().into(),
            Cell::painted(word, move |t| paint.paint(look, t)),
        ]);
    }
    for line in table.lines(output.width()) {
        output.line(line);
    }
}
