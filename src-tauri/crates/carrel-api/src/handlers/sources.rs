//! `add`, `sync`, `source.*`.

use crate::call::Call;
use crate::dto::{
    AddRequest, AddWhat, Empty, FileProblem, LibraryScope, SourceConfirm, SourceDto, SourceList,
    SourceRemove, SourceWatch, SyncReportDto,
};
use crate::fetch;
use crate::problem::Problem;
use carrel_engine::data_folder::DEFAULT_LIBRARY;
use carrel_engine::domain::{SourceId, SourceKind};
use carrel_engine::error::EngineError;
use carrel_engine::library::{AddItem, AddOptions, DocumentQuery, Library, SyncReport, file_uri};
use std::io::ErrorKind;
use std::sync::Arc;

pub(crate) fn add(call: &Call<'_>, request: AddRequest) -> Result<SyncReportDto, Problem> {
    let library = call.app.library(request.library.as_deref().unwrap_or(DEFAULT_LIBRARY))?;
    if request.title.is_some() && request.what.len() > 1 {
        return Err(Problem::bad_request("a title goes with a single document"));
    }
    let job = call.app.begin_job("add", &subject(&request.what), Some(library.id()), call.cancel)?;
    let result = (|| {
        let mut refused = Vec::new();
        let mut items = Vec::new();
        for what in request.what {
            match item(what, request.watch, call) {
                Ok(item) => items.push(item),
                Err((_, problem)) if problem.is_cancelled() => return Err(problem),
                Err((uri, problem)) => {
                    refused.push(FileProblem { uri, code: problem.code, reason: problem.message });
                }
            }
        }
        let options = AddOptions { title: request.title, tags: request.tags };
        let report = if items.is_empty() {
            SyncReport::default()
        } else {
            library.add(&items, &options, request.wait, call.cancel)?
        };
        let mut report = SyncReportDto::of(report);
        report.failed.extend(refused);
        Ok(report)
    })();
    job.end_as(result, |report| report.refusal().map(|file| file.reason.as_str()))
}

/// One thing to add, or why it cannot be had. A page is fetched here: the user asked for it.
fn item(what: AddWhat, watch: bool, call: &Call<'_>) -> Result<AddItem, (String, Problem)> {
    match what {
        AddWhat::Path { path: named } => {
            let path = super::place(&named).map_err(|problem| (named, problem))?;
            let refused = match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_file() || metadata.is_dir() => {
                    return Ok(AddItem::Path { path, watch });
                }
                Ok(_) => Problem::new(
                    "unreadable",
                    format!("{} is a device, a pipe or a socket, not a file", path.display()),
                ),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    Problem::not_found("file", &path.display().to_string())
                }
                Err(error) => EngineError::io(&path, error).into(),
            };
            Err((file_uri(&path), refused))
        }
        AddWhat::Url { url } => match fetch::page(&url, call.cancel) {
            Ok(page) => Ok(AddItem::Page { url, bytes: page.bytes, media_type: page.media_type }),
            Err(problem) => Err((url, problem)),
        },
        AddWhat::Text { text, id } => {
            if id.as_deref().is_some_and(|id| id.trim().is_empty()) {
                return Err((String::new(), Problem::bad_request("the id of a text is empty")));
            }
            Ok(AddItem::Text { id: id.unwrap_or_else(|| uuid::Uuid::now_v7().to_string()), text })
        }
    }
}

fn subject(what: &[AddWhat]) -> String {
    let first = match what.first() {
        Some(AddWhat::Path { path }) => path.clone(),
        Some(AddWhat::Url { url }) => url.clone(),
        Some(AddWhat::Text { id, .. }) => id.clone().unwrap_or_else(|| "text".to_owned()),
        None => String::new(),
    };
    match what.len() {
        0 | 1 => first,
        n => format!("{first} (+{})", n - 1),
    }
}

pub(crate) fn sync(call: &Call<'_>, request: LibraryScope) -> Result<SyncReportDto, Problem> {
    let mut total = SyncReportDto::default();
    let scope = match request.library {
        Some(name) => vec![(name.clone(), Ok(call.app.library(&name)?))],
        None => call.app.each()?.collect(),
    };
    for (name, library) in scope {
        let library = match library {
            Ok(library) => library,
            Err(problem) => {
                total.failed.push(FileProblem { uri: name, code: problem.code, reason: problem.message });
                continue;
            }
        };
        let job = call.app.begin_job("sync", &name, Some(library.id()), call.cancel)?;
        let report = library.sync(call.cancel).map(SyncReportDto::of).map_err(Problem::from);
        total.join(job.end_as(report, |report| report.failure().map(|file| file.reason.as_str()))?);
    }
    Ok(total)
}

pub(crate) fn source_list(call: &Call<'_>, request: LibraryScope) -> Result<SourceList, Problem> {
    let mut sources = Vec::new();
    for (name, library) in call.app.scope(request.library.as_deref())? {
        sources.extend(described(&library, &name)?);
    }
    Ok(SourceList { sources })
}

pub(crate) fn source_remove(call: &Call<'_>, request: SourceRemove) -> Result<Empty, Problem> {
    let (source, library) = find(call, &request.id, request.library.as_deref())?;
    library.remove_source(source, request.keep)?;
    Ok(Empty {})
}

pub(crate) fn source_watch(call: &Call<'_>, request: SourceWatch) -> Result<Empty, Problem> {
    let (source, library) = find(call, &request.id, Some(&request.library))?;
    library.set_watched(source, request.watched)?;
    Ok(Empty {})
}

pub(crate) fn source_confirm(call: &Call<'_>, request: SourceConfirm) -> Result<Empty, Problem> {
    let (source, library) = find(call, &request.id, Some(&request.library))?;
    library.confirm_deletions(source, request.deleted)?;
    Ok(Empty {})
}

/// A source by its id as `source.list` gives it, or by its row alone.
fn find(call: &Call<'_>, id: &str, library: Option<&str>) -> Result<(SourceId, Arc<Library>), Problem> {
    let unknown = || Problem::not_found("source", id);
    let (prefix, row) = parse_source(id).ok_or_else(unknown)?;
    let mut found = Vec::new();
    for (name, library) in call.app.scope(library)? {
        let ours = prefix.is_none_or(|p| tail(&library) == p);
        if ours && library.sources()?.iter().any(|s| s.id == row) {
            found.push((name, library));
        }
    }
    match found.len() {
        0 => Err(unknown()),
        1 => Ok((row, found.swap_remove(0).1)),
        _ => Err(Problem::new("ambiguous", format!("several libraries have a source {id}"))
            .hint("say which library with --library")
            .detail("name", id)
            .detail("candidates", found.into_iter().map(|(n, _)| n).collect::<Vec<_>>())),
    }
}

/// The id of a source outside: the end of its library's id, and its row.
pub(super) fn source_id(library: &Library, source: SourceId) -> String {
    format!("{}-{source}", tail(library))
}

/// The row of a source's id, and the end of its library's id where it is there.
pub(super) fn parse_source(id: &str) -> Option<(Option<&str>, SourceId)> {
    let (prefix, row) = id.rsplit_once('-').map_or((None, id), |(p, r)| (Some(p), r));
    Some((prefix, row.parse().ok()?))
}

fn tail(library: &Library) -> String {
    let id = library.id().0.simple().to_string();
    id[id.len() - 8..].to_owned()
}

/// The sources of a library as they cross the border.
pub(super) fn described(library: &Library, name: &str) -> Result<Vec<SourceDto>, Problem> {
    let describe = |source: carrel_engine::domain::Source| {
        let query =
            DocumentQuery { below: Some((source.id, Vec::new())), limit: 1, ..DocumentQuery::default() };
        let (_, documents) = library.documents(&query)?;
        Ok(SourceDto {
            id: source_id(library, source.id),
            library: name.to_owned(),
            kind: match source.kind {
                SourceKind::Folder => "folder",
                SourceKind::Files => "files",
                SourceKind::Texts => "texts",
                SourceKind::Pages => "pages",
            }
            .to_owned(),
            path: (source.kind == SourceKind::Folder).then(|| source.root.display().to_string()),
            watched: source.watched,
            present: source.present,
            needs_confirmation: source.needs_confirmation,
            documents: documents as u32,
        })
    };
    library.sources()?.into_iter().map(describe).collect()
}
