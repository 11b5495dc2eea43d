//! Other wordings of a question that a language model writes, so that what is worded otherwise is found.
//!
//! Multi-query (a synonym, a more specific and a broader form), sub-queries, and a passage as an answer might read (`HyDE`, Gao et al. 2022).
//! Refuses to replace what was asked: the question itself is searched as ever and weighs most. A model that is not there, does not speak
//! the language or says nothing usable costs a note.

mod decide;
mod join;
mod parse;
mod rewrite;
mod say;

pub(super) use decide::QuestionNeeds;
pub(super) use join::joined;
pub(super) use rewrite::standalone;

use super::trace::{Tracer, stage};
use super::{Leg, Means, SearchRequest, Switch};
use crate::error::{EngineError, Result};
use crate::prompt::{Language, Prompt, defused};
use crate::seams::{EmbedKind, LanguageModel, ModelError};
use std::sync::Arc;
use std::time::Instant;

/// Wordings that multi-query asks for when not told otherwise, and at most.
pub const WORDINGS: usize = 3;
/// See [`WORDINGS`].
pub const MOST_WORDINGS: usize = 8;
/// Sub-queries at most.
const PARTS: usize = 3;
/// Weight beside the question's one: what is only worded otherwise shares it; a part of the question has it for itself, because what it
/// finds is needed besides the rest.
const WEIGHT: f32 = 0.5;
/// Tokens that a model may write for a wording, and for a passage.
const LINE_TOKENS: usize = 40;
const PASSAGE_TOKENS: usize = 120;

macro_rules! prompt {
    ($name:literal) => {
        Prompt::new(
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/", $name, ".en.md")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/", $name, ".zh.md")),
        )
    };
}
use prompt;

const EXPAND: Prompt = prompt!("expand");
const DIVIDE: Prompt = prompt!("divide");
const PASSAGE: Prompt = prompt!("passage");

/// Something that is searched beside the question.
pub(super) struct Variant {
    pub(super) text: String,
    pub(super) kind: EmbedKind,
    pub(super) legs: &'static [Leg],
    pub(super) weight: f32,
}

const BOTH: &[Leg] = &[Leg::Lexical, Leg::Dense];

#[derive(Clone, Copy)]
enum Transform {
    Wordings,
    Parts,
    Passage,
}

impl Transform {
    fn name(self) -> &'static str {
        match self {
            Self::Wordings => "mqe",
            Self::Parts => "sub-queries",
            Self::Passage => "hyde",
        }
    }
}

/// What is searched beside the question: each transform that is on, or on auto where the question needs it.
pub(super) fn variants(
    request: &SearchRequest,
    needs: QuestionNeeds,
    means: Means<'_>,
    tracer: &mut Tracer,
) -> Result<Vec<Variant>> {
    let asked = request.transforms;
    let possible = [
        (Transform::Parts, asked.sub_queries, needs.parts),
        (Transform::Wordings, asked.mqe, needs.missing),
        (Transform::Passage, asked.hyde, needs.asks && needs.far),
    ];
    let mut variants = Vec::new();
    for (transform, switch, sign) in possible {
        if !(switch == Switch::On || switch == Switch::Auto && sign) {
            continue;
        }
        let started = Instant::now();
        let model = match model(request, switch, means) {
            Ok(Some(model)) => model,
            Ok(None) => continue,
            Err(note) => {
                tracer.end(transform.name(), started, None, Some(note));
                continue;
            }
        };
        let (found, tokens) = match made(transform, request, &model, means) {
            Ok(made) => made,
            Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
            Err(error) => {
                let note = Some(format!("left out: {error}"));
                tracer.extend([stage(transform.name(), started, None, note).by(&model.spec().id)]);
                continue;
            }
        };
        let texts: Vec<String> = found.iter().map(|variant| format!("“{}”", variant.text)).collect();
        let note = if texts.is_empty() {
            "the language model said nothing that could be searched".to_owned()
        } else {
            format!("searched as well: {}", texts.join(" · "))
        };
        let done = stage(transform.name(), started, Some(found.len()), Some(note));
        tracer.extend([done.by(&model.spec().id).spent(tokens)]);
        variants.extend(found);
    }
    Ok(variants)
}

/// The language model that words, where one may: on auto only one that is known to be good at it. `Err` says why a switch that is on
/// does nothing.
fn model(
    request: &SearchRequest,
    switch: Switch,
    means: Means<'_>,
) -> std::result::Result<Option<Arc<dyn LanguageModel>>, String> {
    let is_asked = switch == Switch::On;
    let model = match means.models.language_model(request.language_model.as_deref()) {
        Ok(model) => model,
        Err(error) if is_asked => return Err(format!("left out: {error}")),
        Err(_) => return Ok(None),
    };
    let spec = model.spec();
    if !Language::of(&request.query).is_among(&spec.languages) {
        let note = format!("left out: {} does not speak the language of the question", spec.id);
        return if is_asked { Err(note) } else { Ok(None) };
    }
    let is_good = is_asked || spec.rewords;
    Ok(is_good.then_some(model))
}

/// What one transform makes of the question, and the tokens that it cost.
fn made(
    transform: Transform,
    request: &SearchRequest,
    model: &Arc<dyn LanguageModel>,
    means: Means<'_>,
) -> std::result::Result<(Vec<Variant>, usize), ModelError> {
    let question = request.query.as_str();
    let language = Language::of(question);
    let shown = defused(question);
    let most = match transform {
        Transform::Wordings => request.transforms.wordings.clamp(1, MOST_WORDINGS),
        Transform::Parts => PARTS,
        Transform::Passage => 1,
    };
    let count = most.to_string();
    let values = [("question", shown.as_str()), ("count", count.as_str())];
    let (prompt, tokens) = match transform {
        Transform::Wordings => (&EXPAND, most * LINE_TOKENS),
        Transform::Parts => (&DIVIDE, most * LINE_TOKENS),
        Transform::Passage => (&PASSAGE, PASSAGE_TOKENS),
    };
    let parsed = |said: &str| match transform {
        Transform::Passage => parse::passage(said, question).into_iter().collect(),
        _ => parse::questions(said, question, most),
    };
    // What comes after the last wording that is wanted would only cost time.
    let is_enough = |said: &str| {
        !matches!(transform, Transform::Passage) && said.ends_with('\n') && parsed(said).len() >= most
    };
    let messages = prompt.messages(language, &[], &values);
    let said = say::ask(model, messages, tokens, &is_enough, means)?;
    let texts: Vec<String> = parsed(&said.text);
    let (kind, legs, weight) = match transform {
        Transform::Wordings => (EmbedKind::Query, BOTH, WEIGHT / texts.len().max(1) as f32),
        Transform::Parts => (EmbedKind::Query, BOTH, WEIGHT),
        // Its words are made up; only what they mean is looked for, as the passage that it resembles.
        Transform::Passage => (EmbedKind::Passage, &[Leg::Dense][..], WEIGHT),
    };
    let variant = |text| Variant { text, kind, legs, weight };
    Ok((texts.into_iter().map(variant).collect(), said.tokens))
}
