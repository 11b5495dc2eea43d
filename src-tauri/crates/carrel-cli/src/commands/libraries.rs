//! `library …`

use super::enrichment;
use crate::args::LibraryCommand;
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, bytes, count, plain, plain_lines};
use carrel_api::Problem;
use carrel_api::dto::{
    Empty, LibraryDto, LibraryList, LibraryName, LibraryRename, LibrarySettingsRequest, Settings,
};
use std::collections::BTreeMap;

pub(crate) fn run(command: LibraryCommand, session: &Session, output: &Output) -> Result<u8, Problem> {
    match command {
        LibraryCommand::List => {
            let list: LibraryList = session.get("library.list")?;
            if output.json {
                output.document(&list);
            } else {
                table(&list, output);
            }
        }
        LibraryCommand::Create { name } => {
            let library: LibraryDto = session.call("library.create", &LibraryName { name })?;
            told(&library, format!("created the library {}", library.name), output);
        }
        LibraryCommand::Rename { old, new } => {
            let sentence = format!("renamed the library {old} to {new}");
            let library: LibraryDto = session.call("library.rename", &LibraryRename { old, new })?;
            told(&library, sentence, output);
        }
        LibraryCommand::Remove { name, yes } => {
            if !yes {
                return Err(Problem::bad_request(format!(
                    "removing {name} removes its index, versions and settings"
                ))
                .hint("say --yes to remove it; your own files stay where they are"));
            }
            let sentence = format!("removed the library {name}");
            let _: Empty = session.call("library.remove", &LibraryName { name })?;
            told(&Empty {}, sentence, output);
        }
        LibraryCommand::Settings { name, changes } => {
            let changes = changes.iter().map(|c| pair(c)).collect::<Result<BTreeMap<_, _>, _>>()?;
            let settings: Settings =
                session.call("library.settings", &LibrarySettingsRequest { name, changes })?;
            if output.json {
                output.document(&settings);
            } else {
                for (key, value) in &settings.settings {
                    output.line(format!("{key}={value}"));
                }
                if let Some(warning) = &settings.warning {
                    output.message(format!("note: {warning}"));
                }
            }
        }
        LibraryCommand::Enrichment { name, estimate, wait } => {
            enrichment::run(&name, estimate, wait, session, output)?;
        }
    }
    Ok(0)
}

fn pair(word: &str) -> Result<(String, String), Problem> {
    let parts = word.split_once('=').filter(|(key, _)| !key.is_empty());
    let (key, value) = parts.ok_or_else(|| Problem::bad_request(format!("{word} is not KEY=VALUE")))?;
    Ok((key.to_owned(), value.to_owned()))
}

/// A result as JSON, or a sentence.
pub(super) fn told(value: &impl serde::Serialize, sentence: String, output: &Output) {
    if output.json {
        output.document(value);
    } else {
        output.line(plain_lines(&sentence));
    }
}

fn table(list: &LibraryList, output: &Output) {
    let paint = output.paint;
    let mut table =
        Table::new(&[Column::Flexible, Column::Right, Column::Right, Column::Right, Column::Left]);
    for library in &list.libraries {
        if library.problem.is_some() {
            continue;
        }
        table.row(vec![
            Cell::painted(&library.name, move |t| paint.paint(Look::Strong, t)),
            count(library.documents as usize, "document", "documents").into(),
            count(library.passages as usize, "passage", "passages").into(),
            bytes(library.bytes).into(),
            Cell::painted(library.embedder.as_deref().unwrap_or("words only"), move |t| {
                paint.paint(Look::Quiet, t)
            }),
        ]);
    }
    for line in table.lines(output.width()) {
        output.line(line);
    }
    for library in &list.libraries {
        let Some(problem) = &library.problem else { continue };
        let name = paint.paint(Look::Strong, plain(&library.name));
        output.line(format!(
            "{name}  {} {}",
            paint.paint(Look::Bad, "cannot be opened:"),
            plain(&problem.message)
        ));
        if let Some(hint) = &problem.hint {
            output.line(format!("  {}", plain(hint)));
        }
    }
}
