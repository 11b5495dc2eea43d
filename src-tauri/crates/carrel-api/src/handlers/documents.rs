//! `documents.list`, `folders.list`, `document.*`, `reader.open`, `convert`.

use super::sources::{parse_source, source_id};
use crate::call::Call;
use crate::dto::{
    ConvertRequestDto, ConvertedDto, DocumentDto, DocumentPage, DocumentRequest, DocumentText,
    DocumentsRequest, Empty, FilePartDto, FolderDto, FolderList, FolderRef, FoldersRequest, LocationDto,
    PassageDto, PassageList, PlaceDto, ReaderRequest, ReaderView, RetryRequest, UnlockRequest, VersionDto,
    VersionList, WarningDto,
};
use crate::problem::Problem;
use crate::reader;
use carrel_engine::cancel::Cancel;
use carrel_engine::data_folder::DEFAULT_LIBRARY;
use carrel_engine::domain::{Document, DocumentState, Location, SourceId, Span};
use carrel_engine::library::{DocumentOrder, DocumentQuery};
use carrel_engine::quality;
use carrel_engine::seams::{
    ConvertError, ConvertInput, ConvertRequest, DocumentConverter, LOCKED_PART, Limits,
};

/// Bytes of a password. Office takes 255 characters, PDF 127 bytes.
const LONGEST_PASSWORD: usize = 1_024;
/// Passwords tried for one document.
const MOST_PASSWORDS: usize = 16;

pub(crate) fn documents_list(call: &Call<'_>, request: DocumentsRequest) -> Result<DocumentPage, Problem> {
    let name = request.library.as_deref().unwrap_or(DEFAULT_LIBRARY);
    let library = call.app.library(name)?;
    let states = request.states.iter().map(|word| state(word)).collect::<Result<_, _>>()?;
    let query = DocumentQuery {
        states,
        below: request.folder.as_ref().map(folder).transpose()?,
        name: request.name.filter(|n| !n.trim().is_empty()),
        order: order(request.order.as_deref())?,
        offset: request.offset as usize,
        limit: request.limit.unwrap_or(u32::MAX) as usize,
    };
    let (documents, total) = library.documents(&query)?;
    let documents = documents.into_iter().map(|d| DocumentDto::of(d, name)).collect();
    Ok(DocumentPage { documents, total: total as u32 })
}

pub(crate) fn folders_list(call: &Call<'_>, request: FoldersRequest) -> Result<FolderList, Problem> {
    let library = call.app.library(request.library.as_deref().unwrap_or(DEFAULT_LIBRARY))?;
    let parent = request.parent.as_ref().map(folder).transpose()?;
    let folders = library.folders(parent.as_ref().map(|(source, path)| (*source, path.as_slice())))?;
    let folders = folders
        .into_iter()
        .map(|f| FolderDto {
            folder: FolderRef { source: source_id(&library, f.source), path: hex(&f.path) },
            name: f.name,
            documents: f.documents as u32,
            has_folders: f.has_folders,
        })
        .collect();
    Ok(FolderList { folders })
}

pub(crate) fn document_show(call: &Call<'_>, request: DocumentRequest) -> Result<DocumentText, Problem> {
    let (name, library, document) = call.app.find_document(&request.document, request.library.as_deref())?;
    if document.version.is_none() && request.version.is_none() {
        return Err(Problem::without_text(&document));
    }
    let text = library.version_text(document.id, request.version)?;
    Ok(DocumentText {
        document: DocumentDto::of(document, &name),
        version: text.version.number,
        markdown: text.markdown.to_string(),
        locations: text.locations.iter().map(|l| LocationDto::of(l.span, &l.location)).collect(),
    })
}

pub(crate) fn document_passages(call: &Call<'_>, request: DocumentRequest) -> Result<PassageList, Problem> {
    let (name, library, document) = call.app.find_document(&request.document, request.library.as_deref())?;
    let passages = if document.version.is_none() && request.version.is_none() {
        Vec::new()
    } else {
        library.passages(document.id, request.version)?
    };
    let version = request.version.or(document.version).unwrap_or(0);
    let passages = passages.into_iter().map(PassageDto::of).collect();
    Ok(PassageList { document: DocumentDto::of(document, &name), version, passages })
}

pub(crate) fn document_versions(call: &Call<'_>, request: DocumentRequest) -> Result<VersionList, Problem> {
    let (_, library, document) = call.app.find_document(&request.document, request.library.as_deref())?;
    let versions = library.versions(document.id)?.into_iter().map(VersionDto::of).collect();
    Ok(VersionList { versions })
}

pub(crate) fn document_remove(call: &Call<'_>, request: DocumentRequest) -> Result<Empty, Problem> {
    let (_, library, document) = call.app.find_document(&request.document, request.library.as_deref())?;
    library.remove_document(document.id)?;
    Ok(Empty {})
}

pub(crate) fn document_retry(call: &Call<'_>, request: RetryRequest) -> Result<Empty, Problem> {
    if let Some(document) = &request.document {
        let (_, library, document) = call.app.find_document(document, request.library.as_deref())?;
        library.retry(Some(document.id))?;
    } else {
        for (_, library) in call.app.scope(request.library.as_deref())? {
            library.retry(None)?;
        }
    }
    Ok(Empty {})
}

pub(crate) fn document_unlock(call: &Call<'_>, request: UnlockRequest) -> Result<DocumentDto, Problem> {
    plausible(Some(&request.password))?;
    let (name, library, document) = call.app.find_document(&request.document, request.library.as_deref())?;
    let has_locked_part =
        |document: &Document| matches!(&document.reason, Some(reason) if reason.code == LOCKED_PART);
    match document.state {
        // One that failed may have been read with a password, and have taken too long or too much.
        DocumentState::NeedsPassword | DocumentState::Failed => {}
        _ if has_locked_part(&document) => {}
        _ => return Err(Problem::bad_request(format!("{} needs no password", document.title))),
    }
    let changed = library.unlock(document.id, &request.password, call.cancel)?;
    let document = library.document(document.id)?;
    let is_wrong =
        matches!(&document.reason, Some(reason) if reason.code == ConvertError::WrongPassword.code());
    if is_wrong || (!changed && has_locked_part(&document)) {
        return Err(Problem::from(ConvertError::WrongPassword).detail("name", document.title.as_str()));
    }
    if !document.state.is_searchable() {
        return Err(Problem::without_text(&document));
    }
    Ok(DocumentDto::of(document, &name))
}

/// Refuses what no program takes for a password, before it is made a key of.
fn plausible(password: Option<&str>) -> Result<(), Problem> {
    match password {
        Some(all) if all.lines().any(|password| password.len() > LONGEST_PASSWORD) => {
            Err(Problem::bad_request(format!("a password has at most {LONGEST_PASSWORD} bytes")))
        }
        Some(all) if all.lines().count() > MOST_PASSWORDS => {
            Err(Problem::bad_request(format!("at most {MOST_PASSWORDS} passwords are tried, one a line")))
        }
        _ => Ok(()),
    }
}

pub(crate) fn reader_open(call: &Call<'_>, request: ReaderRequest) -> Result<ReaderView, Problem> {
    let (name, library, document) = call.app.document(&request.document, request.library.as_deref())?;
    let text = library.version_text(document.id, request.version)?;
    let versions = library.versions(document.id)?;
    let mut marked = request.start.map(|start| {
        let end = request.end.unwrap_or(start).max(start);
        Span::new(start as usize, end as usize)
    });
    let mut quoted = true;
    if let (Some(quote), Some(span)) = (request.quote.as_deref(), marked) {
        marked = quality::find(&text.markdown, span, quote);
        quoted = marked.is_some();
    }
    let page = reader::render(&text.markdown, &text.blocks, marked);
    let location = marked.map(|span| Location::of_span(span, &text.locations)).unwrap_or_default();
    Ok(ReaderView {
        document: DocumentDto::of(document, &name),
        version: text.version.number,
        versions: versions.len() as u32,
        created: text.version.created.to_string(),
        active: text.version.active,
        quoted,
        html: page.html,
        outline: page.outline,
        breadcrumb: page.breadcrumb,
        location: PlaceDto::of(&location),
    })
}

pub(crate) fn convert(call: &Call<'_>, request: ConvertRequestDto) -> Result<ConvertedDto, Problem> {
    convert_with(&*call.app.converter, request, call.cancel, &mut |_| {})
}

/// The same for a surface without a data folder.
pub(crate) fn convert_with(
    converter: &dyn DocumentConverter,
    request: ConvertRequestDto,
    cancel: &Cancel,
    begun: &mut dyn FnMut(&FilePartDto),
) -> Result<ConvertedDto, Problem> {
    plausible(request.password.as_deref())?;
    let path = super::place(&request.path)?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let request = ConvertRequest {
        input: ConvertInput::Path(path),
        name,
        password: request.password,
        limits: Limits::default(),
    };
    let converted = converter
        .convert_by_parts(&request, cancel, &mut |part| begun(&part.into()))
        .map_err(|error| Problem::of_file(&request.name, error))?;
    Ok(ConvertedDto {
        locations: converted.locations.iter().map(|l| LocationDto::of(l.span, &l.location)).collect(),
        markdown: converted.markdown,
        media_type: converted.media_type,
        title: converted.title,
        complete: converted.complete,
        warnings: converted
            .warnings
            .into_iter()
            .map(|w| WarningDto { code: w.code, message: w.message })
            .collect(),
    })
}

fn state(word: &str) -> Result<DocumentState, Problem> {
    DocumentState::parse(word).ok_or_else(|| {
        let known: Vec<&str> = DocumentState::ALL.iter().map(|s| s.as_str()).collect();
        Problem::bad_request(format!("{word} is not a state of a document: use one of {}", known.join(", ")))
    })
}

fn order(word: Option<&str>) -> Result<DocumentOrder, Problem> {
    Ok(match word {
        None | Some("path") => DocumentOrder::Path,
        Some("title") => DocumentOrder::Title,
        Some("modified") => DocumentOrder::Modified,
        Some("size") => DocumentOrder::Size,
        Some("state") => DocumentOrder::State,
        Some(other) => {
            return Err(Problem::bad_request(format!(
                "{other} is not an order: use one of path, title, modified, size, state"
            )));
        }
    })
}

fn folder(reference: &FolderRef) -> Result<(SourceId, Vec<u8>), Problem> {
    let unknown = || Problem::not_found("folder", &reference.path);
    let (_, source) =
        parse_source(&reference.source).ok_or_else(|| Problem::not_found("source", &reference.source))?;
    Ok((source, unhex(&reference.path).ok_or_else(unknown)?))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_path_survives_as_raw_bytes() {
        for path in [&b""[..], b"a/b", b"\xff\xfe/caf\xc3\xa9"] {
            assert_eq!(unhex(&hex(path)).as_deref(), Some(path));
        }
        assert_eq!(unhex("zz"), None);
        assert_eq!(unhex("abc"), None);
        assert_eq!(unhex("é"), None);
    }
}
