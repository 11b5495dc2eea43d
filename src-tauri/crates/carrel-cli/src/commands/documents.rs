//! `documents`, `show`, `versions`, `remove`, `unlock`

use super::libraries::told;
use crate::args::{DocumentArg, DocumentsArgs, ShowArgs, UnlockArgs};
use crate::output::Output;
use crate::places;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, bytes, plain, plain_lines};
use carrel_api::Problem;
use carrel_api::dto::{
    DocumentDto, DocumentPage, DocumentRequest, DocumentText, DocumentsRequest, Empty, PassageList,
    UnlockRequest, VersionList,
};
use serde_json::json;

/// Documents asked for at a time.
const PAGE: u32 = 10_000;

pub(crate) fn list(args: DocumentsArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    let mut documents: Vec<DocumentDto> = Vec::new();
    loop {
        let request = DocumentsRequest {
            library: args.library.library.clone(),
            states: args.states.clone(),
            offset: documents.len() as u32,
            limit: Some(PAGE),
            ..DocumentsRequest::default()
        };
        let page: DocumentPage = session.call("documents.list", &request)?;
        let got = page.documents.len();
        documents.extend(page.documents);
        if got == 0 || documents.len() as u32 >= page.total {
            break;
        }
    }
    if output.json {
        output.document(&json!({ "documents": documents }));
        return Ok(0);
    }
    let paint = output.paint;
    let mut table = Table::new(&[Column::Left, Column::Flexible, Column::Left, Column::Right, Column::Left]);
    for document in &documents {
        table.row(vec![
            Cell::painted(&document.state, move |t| paint.state(t)),
            document.title.as_str().into(),
            Cell::painted(document.date.as_deref().and_then(|d| d.get(..10)).unwrap_or_default(), move |t| {
                paint.paint(Look::Quiet, t)
            }),
            bytes(document.bytes).into(),
            Cell::painted(places::shown(&document.uri), move |t| paint.paint(Look::Quiet, t)),
        ]);
    }
    for line in table.lines(output.width().max(120)) {
        output.line(line);
    }
    Ok(0)
}

pub(crate) fn show(args: ShowArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    let request = DocumentRequest { version: args.version, ..request(args.document) };
    if args.passages {
        let list: PassageList = session.call("document.passages", &request)?;
        if output.json {
            output.document(&list);
            return Ok(0);
        }
        for (i, passage) in list.passages.iter().enumerate() {
            if i > 0 {
                output.line("");
            }
            let place = passage.location.for_people().map(|p| format!(" · {p}")).unwrap_or_default();
            let head = format!("{}–{} · {} tokens{place}", passage.start, passage.end, passage.tokens);
            output.line(output.paint.paint(Look::Accent, plain(&head)));
            if !passage.heading_path.is_empty() {
                output.line(output.paint.paint(Look::Strong, plain(&passage.heading_path.join(" › "))));
            }
            output.line(plain_lines(passage.text.trim_end()));
        }
        return Ok(0);
    }
    let text: DocumentText = session.call("document.show", &request)?;
    if output.json {
        output.document(&text);
    } else {
        output.raw(&plain_lines(&text.markdown));
        if !text.markdown.ends_with('\n') {
            output.raw("\n");
        }
    }
    Ok(0)
}

pub(crate) fn versions(args: DocumentArg, session: &Session, output: &Output) -> Result<u8, Problem> {
    let list: VersionList = session.call("document.versions", &request(args))?;
    if output.json {
        output.document(&list);
        return Ok(0);
    }
    let paint = output.paint;
    let mut table = Table::new(&[Column::Right, Column::Left, Column::Right, Column::Left, Column::Left]);
    for version in &list.versions {
        table.row(vec![
            version.number.to_string().into(),
            version.created.get(..19).unwrap_or(&version.created).replace('T', " ").into(),
            format!("{} characters", version.characters).into(),
            Cell::painted(&version.converter, move |t| paint.paint(Look::Quiet, t)),
            Cell::painted(if version.active { "active" } else { "" }, move |t| paint.paint(Look::Good, t)),
        ]);
    }
    for line in table.lines(output.width()) {
        output.line(line);
    }
    Ok(0)
}

pub(crate) fn remove(args: DocumentArg, session: &Session, output: &Output) -> Result<u8, Problem> {
    let sentence = format!("removed {}", args.document.display());
    let _: Empty = session.call("document.remove", &request(args))?;
    told(&Empty {}, sentence, output);
    Ok(0)
}

pub(crate) fn unlock(
    args: UnlockArgs,
    password: Option<String>,
    session: &Session,
    output: &Output,
) -> Result<u8, Problem> {
    let name = args.document.document.display().to_string();
    let asked = request(args.document);
    let Some(password) = password else {
        // One that is not there, or not locked, is not asked a password for.
        let list: PassageList = session.call("document.passages", &asked)?;
        let code = list.document.code.as_deref();
        let is_locked = matches!(code, Some("needs_password" | "wrong_password" | "locked_part"));
        return Err(if is_locked {
            Problem::bad_request("no password was given").hint("use --password-stdin or set CARREL_PASSWORD")
        } else {
            Problem::bad_request(format!("{name} needs no password"))
        });
    };
    let unlock = UnlockRequest { document: asked.document, library: asked.library, password };
    let document: DocumentDto =
        session.call("document.unlock", &unlock).map_err(|problem| problem.detail("name", name.as_str()))?;
    let left = document.reason.as_deref().filter(|_| document.code.as_deref() == Some("locked_part"));
    let left = left.map(|reason| format!(", but {reason}")).unwrap_or_default();
    told(&json!({ "document": document }), format!("unlocked {name}{left}"), output);
    Ok(0)
}

fn request(args: DocumentArg) -> DocumentRequest {
    DocumentRequest {
        document: places::document(&args.document),
        library: args.library.library,
        version: None,
    }
}
