//! A question of a chat as it would be asked without the chat.

use super::{decide, model, parse, prompt, say};
use crate::error::{EngineError, Result};
use crate::prompt::{Language, Prompt, defused};
use crate::retrieve::trace::{Tracer, stage};
use crate::retrieve::{Means, SearchRequest, Switch};
use crate::seams::{Message, ModelError, Role};
use crate::text::analyze_query;
use std::time::Instant;

const REWRITE: Prompt = prompt!("rewrite");
/// Tokens that a question may have.
const TOKENS: usize = 80;
/// Messages that are shown, and characters of each.
const MESSAGES: usize = 4;
const CHARACTERS: usize = 400;

/// The question as it is searched. Where no language model rewords it and it says too little by itself ("and how tall?"), it is
/// searched with the question before. Every word of it stays in what is searched.
pub(in crate::retrieve) fn standalone(
    request: &SearchRequest,
    means: Means<'_>,
    tracer: &mut Tracer,
) -> Result<String> {
    let question = &request.query;
    let Some(before) = request.history.iter().rev().find(|message| message.role == Role::User) else {
        return Ok(question.clone());
    };
    let switch = request.transforms.rewrite;
    if switch == Switch::On || switch == Switch::Auto && decide::points_back(question) {
        let started = Instant::now();
        match model(request, switch, means) {
            Ok(None) => {}
            Err(note) => tracer.end("rewrite", started, None, Some(note)),
            Ok(Some(model)) => {
                let chat = chat(&request.history);
                let values = [("chat", chat.as_str()), ("question", &defused(question))];
                let messages = REWRITE.messages(Language::of(question), &[], &values);
                let is_enough =
                    |said: &str| said.ends_with('\n') && parse::question(said, question).is_some();
                let said = match say::ask(&model, messages, TOKENS, &is_enough, means) {
                    Ok(said) => said,
                    Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
                    Err(error) => {
                        let note = Some(format!("left out: {error}"));
                        tracer.extend([stage("rewrite", started, None, note).by(&model.spec().id)]);
                        return Ok(with_the_one_before(question, before, tracer));
                    }
                };
                let reworded = parse::question(&said.text, question).map(|text| whole(text, question));
                let note = match &reworded {
                    Some(text) => format!("searched as “{text}”"),
                    None => "the language model said nothing that could be searched".to_owned(),
                };
                let done = stage("rewrite", started, None, Some(note));
                tracer.extend([done.by(&model.spec().id).spent(said.tokens)]);
                if let Some(reworded) = reworded {
                    return Ok(reworded);
                }
            }
        }
    }
    Ok(with_the_one_before(question, before, tracer))
}

/// A reworded question with the words of the original that it lost: a model may leave out what counts.
fn whole(reworded: String, question: &str) -> String {
    let there = analyze_query(&reworded, false, &[]).content;
    let lost = analyze_query(question, false, &[]).content.iter().any(|term| !there.contains(term));
    if lost { format!("{reworded} {question}") } else { reworded }
}

fn with_the_one_before(question: &str, before: &Message, tracer: &mut Tracer) -> String {
    if analyze_query(question, false, &[]).content.len() > 1 {
        return question.to_owned();
    }
    let note = "searched with the question before".to_owned();
    tracer.end("rewrite", Instant::now(), None, Some(note));
    format!("{} {question}", before.content)
}

/// The last messages, each by its beginning.
fn chat(history: &[Message]) -> String {
    let line = |message: &Message| {
        let who = match message.role {
            Role::User => "Q",
            Role::Assistant | Role::System => "A",
        };
        let text = defused(message.content.trim()).replace('\n', " ");
        match text.char_indices().nth(CHARACTERS) {
            Some((end, _)) => format!("{who}: {}…", &text[..end]),
            None => format!("{who}: {text}"),
        }
    };
    let last = history.len().saturating_sub(MESSAGES);
    history.iter().skip(last).map(line).collect::<Vec<_>>().join("\n")
}
