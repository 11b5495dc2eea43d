//! `library.*`, `status`.

use crate::app::Opened;
use crate::call::Call;
use crate::dto::{
    DocumentDto, Empty, EnrichmentDto, EnrichmentEstimateDto, EnrichmentRequest, EnrichmentSample,
    HitRateDto, IndexStates, LibraryAdvice, LibraryDto, LibraryList, LibraryName, LibraryRename,
    LibraryScope, LibrarySettingsRequest, NotReady, Settings, StatusDto,
};
use crate::problem::Problem;
use carrel_engine::data_folder::DEFAULT_LIBRARY;
use carrel_engine::domain::DocumentState;
use carrel_engine::library::{DocumentQuery, IndexState, Library};
use carrel_engine::seams::Tag;
use carrel_engine::text::plain_text;
use std::sync::Arc;

/// Passages that are tried to say what enrichment costs.
const SAMPLES: usize = 3;
/// Characters of such a passage that are shown.
const SHOWN: usize = 240;

/// Documents that `status` lists with their reasons; `documents.list` has the rest.
const NOT_READY: usize = 1_000;

pub(crate) fn library_list(call: &Call<'_>, _: Empty) -> Result<LibraryList, Problem> {
    let describe =
        |(name, library): (String, Opened)| match library.and_then(|l: Arc<Library>| describe(&name, &l)) {
            Ok(described) => described,
            Err(problem) => LibraryDto { name, problem: Some(problem), ..LibraryDto::default() },
        };
    Ok(LibraryList { libraries: call.app.each()?.map(describe).collect() })
}

pub(crate) fn library_create(call: &Call<'_>, request: LibraryName) -> Result<LibraryDto, Problem> {
    let entry = call.app.data.create_library(request.name.trim())?;
    call.app.events.changed(Tag::Libraries, None);
    describe(&entry.name, &*call.app.library(&entry.name)?)
}

pub(crate) fn library_rename(call: &Call<'_>, request: LibraryRename) -> Result<LibraryDto, Problem> {
    let new = request.new.trim();
    call.app.data.rename_library(&request.old, new)?;
    super::scope::follow_rename(call.app, &request.old, new)?;
    call.app.events.changed(Tag::Libraries, None);
    describe(new, &*call.app.library(new)?)
}

pub(crate) fn library_remove(call: &Call<'_>, request: LibraryName) -> Result<Empty, Problem> {
    call.app.data.remove_library(&request.name)?;
    call.app.events.changed(Tag::Libraries, None);
    call.app.events.changed(Tag::Documents, None);
    Ok(Empty {})
}

pub(crate) fn library_settings(
    call: &Call<'_>,
    request: LibrarySettingsRequest,
) -> Result<Settings, Problem> {
    let library = call.app.library(&request.name)?;
    if !request.changes.is_empty() {
        library.change_settings(&request.changes)?;
        call.app.events.changed(Tag::Settings, Some(library.id()));
    }
    let warning = library.settings_warnings()?.into_iter().next();
    Ok(Settings { settings: library.settings()?, warning })
}

pub(crate) fn library_enrichment(
    call: &Call<'_>,
    request: EnrichmentRequest,
) -> Result<EnrichmentDto, Problem> {
    let library = call.app.library(&request.name)?;
    let estimate = if request.estimate {
        let estimate = library.estimate_enrichment(SAMPLES, call.cancel)?;
        let sample = |(passage, line): (String, Option<String>)| {
            let plain = plain_text(&passage, false).split_whitespace().collect::<Vec<_>>().join(" ");
            let end = plain.char_indices().nth(SHOWN).map(|(at, _)| at);
            let passage = end.map_or(plain.clone(), |end| format!("{}…", &plain[..end]));
            EnrichmentSample { passage, line }
        };
        Some(EnrichmentEstimateDto {
            model: estimate.model,
            local: estimate.local,
            passages: estimate.passages as u32,
            seconds: estimate.time.as_secs_f64(),
            tokens_read: estimate.tokens_read,
            tokens_written: estimate.tokens_written,
            samples: estimate.samples.into_iter().map(sample).collect(),
        })
    } else {
        None
    };
    let state = library.enrichment()?;
    Ok(EnrichmentDto {
        on: state.on,
        passages: state.passages as u32,
        lines: state.lines as u32,
        waiting: state.waiting as u32,
        estimate,
    })
}

pub(crate) fn library_advice(call: &Call<'_>, request: LibraryScope) -> Result<LibraryAdvice, Problem> {
    let library = call.app.library(request.library.as_deref().unwrap_or(DEFAULT_LIBRARY))?;
    let narrow = library.status()?.space.is_none_or(|space| !space.scripts.is_empty());
    let multilingual = if narrow { call.app.models.multilingual_embedder() } else { None };
    Ok(LibraryAdvice {
        multilingual: multilingual.map(|model| super::models::described(call, model)),
        foreign_share: library.foreign_share()?,
    })
}

pub(crate) fn status(call: &Call<'_>, request: LibraryScope) -> Result<StatusDto, Problem> {
    let name = request.library.as_deref().unwrap_or(DEFAULT_LIBRARY);
    let library = call.app.library(name)?;
    let status = library.status()?;
    let (total, searchable) = (status.present() as u32, status.searchable() as u32);
    let states = DocumentState::ALL.into_iter().filter(|s| *s != DocumentState::Ready).collect();
    let query = DocumentQuery { states, limit: NOT_READY, ..DocumentQuery::default() };
    let (documents, _) = library.documents(&query)?;
    let documents = documents.into_iter().map(|d| NotReady::from(DocumentDto::of(d, name)));
    let not_ready = documents.chain(status.unreadable.into_iter().map(NotReady::place)).collect();
    Ok(StatusDto {
        library: name.to_owned(),
        documents: status.documents.iter().map(|(s, n)| (s.as_str().to_owned(), *n as u32)).collect(),
        total,
        searchable,
        passages: status.passages as u32,
        vectors: status.vectors as u32,
        bytes: status.bytes,
        text_bytes: status.text_bytes,
        embedder: status.space.map(|s| s.model),
        indexes: IndexStates { lexical: index_word(status.lexical), dense: index_word(status.dense) },
        not_ready,
        sources: super::sources::described(&library, name)?,
        caches: status
            .caches
            .into_iter()
            .map(|(name, rate)| (name.to_owned(), HitRateDto { found: rate.found, asked: rate.asked }))
            .collect(),
    })
}

fn describe(name: &str, library: &Library) -> Result<LibraryDto, Problem> {
    let status = library.status()?;
    Ok(LibraryDto {
        name: name.to_owned(),
        documents: status.present() as u32,
        passages: status.passages as u32,
        bytes: status.bytes,
        embedder: status.space.map(|s| s.model),
        problem: None,
    })
}

fn index_word(state: IndexState) -> String {
    match state {
        IndexState::Current => "current",
        IndexState::Behind => "behind",
        IndexState::Rebuilding => "rebuilding",
        IndexState::Absent => "absent",
    }
    .to_owned()
}
