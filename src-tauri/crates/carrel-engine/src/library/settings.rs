//! Settings of a library: how it is cut and embedded, and what orders its hits.
//!
//! Invariant: a change of how passages are made is a generation beside the active one, which answers until the new one is
//! whole.

use super::Library;
use super::shared::Shared;
use crate::chunk::{Chunking, WordsTokenizer};
use crate::error::{EngineError, Result};
use crate::ledger::generations::{self, Recipe};
use crate::ledger::set_meta;
use crate::retrieve::{PathRanks, Rerank};
use crate::seams::Tag;
use crate::writer::WriteTx;
use std::collections::BTreeMap;

const CHUNKING: &str = "chunking";
const EMBEDDER: &str = "embedder";
/// How legs are joined where a search does not say.
const FUSION: &str = "fusion";
/// Values of [`FUSION`], the default first.
const FUSIONS: [&str; 3] = ["auto", "rrf", "convex"];
/// Whether a line of context is written in front of each passage.
const ENRICHMENT: &str = "enrichment";
/// Values of [`ENRICHMENT`], the default first.
const ENRICHMENTS: [&str; 2] = ["off", "on"];
/// What judges the best candidates again where a search does not say, as [`Rerank::parse`] reads it.
const RERANK: &str = "rerank";
/// In which order a language model reads the passages of an answer, where a question does not say.
const ORDER: &str = "order";
/// Values of [`ORDER`], the default first.
const ORDERS: [&str; 2] = ["ends", "descending"];
/// Which paths are trusted more where sources contradict each other: patterns with commas between, the most trusted first.
const TRUST: &str = "trust";
/// The value of [`RERANK`] for what the user chose for all libraries.
const AUTO: &str = "auto";
/// The value of [`EMBEDDER`] for a library that answers by words alone.
const NONE: &str = "none";

impl Library {
    /// Settings of the library (`KEY=VALUE`): `chunking`, `embedder`, `enrichment`, `fusion`, `order`, `rerank`, `trust`.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        let generation = self.shared.generation();
        let chunking = match self.shared.setting(CHUNKING)? {
            Some(chosen) => chosen,
            None => Chunking::from_id(&generation.chunker).unwrap_or_default().setting(),
        };
        let embedder = match self.shared.setting(EMBEDDER)? {
            Some(chosen) => chosen,
            None => generation.space.map_or_else(|| NONE.to_owned(), |space| space.model),
        };
        let enrichment = match self.shared.setting(ENRICHMENT)? {
            Some(chosen) => chosen,
            None => ENRICHMENTS[usize::from(generation.enriched)].to_owned(),
        };
        let fusion = self.shared.setting(FUSION)?.unwrap_or_else(|| FUSIONS[0].to_owned());
        Ok(BTreeMap::from([
            (CHUNKING.to_owned(), chunking),
            (EMBEDDER.to_owned(), embedder),
            (ENRICHMENT.to_owned(), enrichment),
            (FUSION.to_owned(), fusion),
            (RERANK.to_owned(), self.shared.setting(RERANK)?.unwrap_or_else(|| AUTO.to_owned())),
            (ORDER.to_owned(), self.shared.setting(ORDER)?.unwrap_or_else(|| ORDERS[0].to_owned())),
            (TRUST.to_owned(), self.shared.setting(TRUST)?.unwrap_or_default()),
        ]))
    }

    /// What judges the best candidates again where a search does not say.
    pub(crate) fn rerank(&self) -> Result<Rerank> {
        let setting = self.shared.setting(RERANK)?;
        Ok(setting.as_deref().and_then(Rerank::parse).unwrap_or_default())
    }

    /// Patterns of paths in the order of the user's trust.
    pub(crate) fn trusted(&self) -> Result<Vec<String>> {
        let setting = self.shared.setting(TRUST)?.unwrap_or_default();
        Ok(setting
            .split(',')
            .map(str::trim)
            .filter(|pattern| !pattern.is_empty())
            .map(str::to_owned)
            .collect())
    }

    /// Changes settings; unknown keys and bad values are refused whole.
    pub fn change_settings(&self, changes: &BTreeMap<String, String>) -> Result<()> {
        let mut settings = self.settings()?;
        for (key, value) in changes {
            match settings.get_mut(key) {
                Some(setting) if key == RERANK && setting != value => {
                    self.check_rerank(value)?;
                    setting.clone_from(value);
                }
                Some(setting) => setting.clone_from(value),
                None => {
                    return Err(EngineError::Invalid(format!(
                        "a library has no setting {key}: its settings are {CHUNKING}, {EMBEDDER}, {ENRICHMENT}, {FUSION}, {ORDER}, {RERANK} and {TRUST}"
                    )));
                }
            }
        }
        let chunking = settings.get(CHUNKING).map_or("", String::as_str);
        let chunking = Chunking::parse(chunking).ok_or_else(|| {
            EngineError::Invalid(format!("{chunking} is not a chunking: use {}", Chunking::SETTINGS))
        })?;
        for (key, values) in [(FUSION, &FUSIONS[..]), (ENRICHMENT, &ENRICHMENTS), (ORDER, &ORDERS)] {
            if let Some(value) = settings.get(key).filter(|value| !values.contains(&value.as_str())) {
                let usable = values.join(", ");
                return Err(EngineError::Invalid(format!(
                    "{value} is no value of {key}: use one of {usable}"
                )));
            }
        }
        if let Some(patterns) = changes.get(TRUST) {
            PathRanks::new(&patterns.split(',').map(str::trim).collect::<Vec<_>>())?;
        }
        let enriched = settings.get(ENRICHMENT).is_some_and(|value| value == ENRICHMENTS[1]);
        if enriched && changes.contains_key(ENRICHMENT) {
            // It would wait for one without a word.
            self.shared.parts.models.language_model(None)?;
        }
        let embedder = settings.get(EMBEDDER).filter(|id| id.as_str() != NONE);
        // How legs are joined and hits ordered, read and trusted is no matter of how passages are made.
        let cut = changes.keys().any(|key| ![FUSION, RERANK, ORDER, TRUST].contains(&key.as_str()));
        let recipe = cut
            .then(|| recipe(&self.shared, chunking, embedder.map(String::as_str), enriched))
            .transpose()?;
        let changes = changes.clone();
        self.shared.writer.run(move |tx| {
            for (key, value) in &changes {
                set_meta(tx, &format!("setting.{key}"), value)?;
            }
            tx.changed(Tag::Settings);
            recipe.map_or(Ok(()), |recipe| apply(tx, &recipe))
        })?;
        self.ingest.core.work.ring();
        Ok(())
    }

    /// Refuses what names no reranker that can be used now.
    fn check_rerank(&self, word: &str) -> Result<()> {
        match Rerank::parse(word) {
            Some(Rerank::By(ids)) => {
                ids.iter().try_for_each(|id| Ok(self.shared.parts.models.reranker(id).map(drop)?))
            }
            Some(Rerank::Chosen | Rerank::Off) => Ok(()),
            None => Err(EngineError::Invalid(format!(
                "{word} is not a reranker: use {AUTO}, {NONE}, a reranker, or two with a comma between"
            ))),
        }
    }
}

impl Library {
    /// What speaks against the settings, in sentences for people.
    pub fn settings_warnings(&self) -> Result<Vec<String>> {
        let chunking = self.settings()?.remove(CHUNKING).and_then(|setting| Chunking::parse(&setting));
        Ok(chunking.and_then(Chunking::warning).into_iter().collect())
    }

    /// The most tokens around a passage that are handed to a language model with it, where the chunking says so.
    pub(crate) fn section_tokens(&self) -> Option<usize> {
        Chunking::from_id(&self.shared.generation().chunker)?.section()
    }
}

/// How passages are made by this chunking and embedder, with or without lines of context.
fn recipe(shared: &Shared, chunking: Chunking, embedder: Option<&str>, enriched: bool) -> Result<Recipe> {
    let embedder = embedder.map(|id| shared.parts.models.embedder(id)).transpose()?;
    Ok(Recipe {
        chunker: chunking.id(),
        tokenizer: match &embedder {
            Some(embedder) => embedder.tokenizer().id().to_owned(),
            None => WordsTokenizer::ID.to_owned(),
        },
        space: embedder.map(|embedder| embedder.space().clone()),
        analyzer: crate::text::ANALYZER.to_owned(),
        enriched,
    })
}

/// Begins the generation that the recipe asks for, unless it is there already. Where there is nothing to cut, it takes over
/// at once.
fn apply(tx: &mut WriteTx<'_>, recipe: &Recipe) -> Result<()> {
    if recipe.made(&generations::active(tx)?) {
        return generations::abandon(tx);
    }
    if generations::building(tx)?.is_some_and(|building| recipe.made(&building)) {
        return Ok(());
    }
    let begun = generations::begin(tx, recipe)?;
    if generations::to_fill(tx, begun, 1)?.is_empty() {
        generations::swap(tx)?;
    }
    Ok(())
}

/// Brings the generation in line with the program and the models that are here now: an analyzer or chunker of another
/// version, and an embedder that was not installed when the library was made.
pub(super) fn adopt(shared: &Shared) -> Result<()> {
    let active = shared.generation();
    let installed = match (&active.space, shared.setting(EMBEDDER)?) {
        (None, None) => shared.parts.models.default_embedder(),
        _ => None,
    };
    let known = Chunking::from_id(&active.chunker);
    if installed.is_none() && known.is_some() {
        return Ok(());
    }
    let chunking = match shared.setting(CHUNKING)? {
        Some(chosen) => Chunking::parse(&chosen).unwrap_or_default(),
        None => known.unwrap_or_default(),
    };
    let model = installed.or_else(|| active.space.map(|space| space.model));
    let recipe = match recipe(shared, chunking, model.as_deref(), active.enriched) {
        Ok(recipe) => recipe,
        Err(e) => {
            // It answers as it did before; the next start tries again.
            tracing::warn!("a library goes on as it was made: {e}");
            return Ok(());
        }
    };
    shared.writer.run(move |tx| apply(tx, &recipe))
}
