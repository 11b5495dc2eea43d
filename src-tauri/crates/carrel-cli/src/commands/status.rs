//! `status`

use crate::args::LibraryArg;
use crate::output::Output;
use crate::places;
use crate::session::Session;
use crate::style::Look;
use crate::table::{bytes, count, plain};
use carrel_api::Problem;
use carrel_api::dto::{DocumentPage, DocumentsRequest, LibraryScope, NotReady, StatusDto};

pub(crate) fn run(args: LibraryArg, session: &Session, output: &Output) -> Result<u8, Problem> {
    let mut status: StatusDto = session.call("status", &LibraryScope { library: args.library.clone() })?;
    complete(&mut status, args.library, session)?;
    if output.json {
        output.document(&status);
    } else {
        print(&status, output);
    }
    Ok(0)
}

/// The answer lists the first thousand of what is not ready; here every one is told.
fn complete(status: &mut StatusDto, library: Option<String>, session: &Session) -> Result<(), Problem> {
    let states: Vec<String> = status.documents.keys().filter(|s| *s != "ready").cloned().collect();
    let all: u32 = status.documents.iter().filter(|(s, _)| *s != "ready").map(|(_, n)| n).sum();
    let places: Vec<NotReady> = status.not_ready.extract_if(.., |row| row.is_place()).collect();
    while !states.is_empty() && (status.not_ready.len() as u32) < all {
        let request = DocumentsRequest {
            library: library.clone(),
            states: states.clone(),
            offset: status.not_ready.len() as u32,
            limit: Some(10_000),
            ..DocumentsRequest::default()
        };
        let page: DocumentPage = session.call("documents.list", &request)?;
        if page.documents.is_empty() {
            break;
        }
        status.not_ready.extend(page.documents.into_iter().map(NotReady::from));
    }
    status.not_ready.extend(places);
    Ok(())
}

fn print(status: &StatusDto, output: &Output) {
    let paint = output.paint;
    output.line(format!(
        "{}  {} of {} searchable",
        paint.paint(Look::Strong, &status.library),
        status.searchable,
        count(status.total as usize, "document", "documents")
    ));
    let states: Vec<String> = status
        .documents
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(s, n)| format!("{n} {}", paint.state(s)))
        .collect();
    let row = |name: &str, text: String| {
        output.line(format!("  {}  {text}", paint.paint(Look::Quiet, format!("{name:<9}"))));
    };
    if !states.is_empty() {
        row("states", states.join(" · "));
    }
    row(
        "passages",
        format!("{} · {} by meaning", count(status.passages as usize, "passage", "passages"), status.vectors),
    );
    row("embedder", status.embedder.clone().unwrap_or_else(|| "none: found by words alone".to_owned()));
    row("indexes", format!("words {} · meaning {}", status.indexes.lexical, status.indexes.dense));
    row("on disk", format!("{} for {} of text", bytes(status.bytes), bytes(status.text_bytes)));
    let helped: Vec<String> = status
        .caches
        .iter()
        .filter(|(_, rate)| rate.asked > 0)
        .map(|(name, rate)| format!("{name} {} of {}", rate.found, rate.asked))
        .collect();
    if !helped.is_empty() {
        row("kept", helped.join(" · "));
    }
    if !status.sources.is_empty() {
        output.line("");
        super::sources::print(&status.sources, output);
    }
    if !status.not_ready.is_empty() {
        output.line("");
    }
    for file in &status.not_ready {
        let fill = " ".repeat(15_usize.saturating_sub(file.state.len()));
        output.line(format!("{}{fill}{}", paint.state(&file.state), places::shown(&file.uri)));
        output.line(format!("{:15}{}", "", paint.paint(Look::Quiet, plain(&file.reason))));
    }
}
