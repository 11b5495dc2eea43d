//! `chats.rate`, `chats.rated`: what the user thinks of an answer, and the questions of a library that come of it.
//!
//! A good answer becomes a question of each library that it cites, with the cited spans as what answers it. Taking the rating
//! back takes the question back. Refuses to call anything right that was not cited.

use super::chats::{chat_id, turn_dto};
use crate::call::Call;
use crate::dto::{AnswerDto, ChatRate, ChatScope, CitationDto, Empty, Rated, RatedList, RatedTurn};
use crate::problem::Problem;
use carrel_engine::data_folder::{Rating, Turn};
use carrel_engine::domain::{ChatId, QuestionId, Span};
use carrel_engine::quality::{Question, QuestionKind, Right};
use carrel_engine::seams::Tag;
use std::collections::BTreeMap;

/// Longest note, in characters.
const LONGEST: usize = 2_000;

pub(crate) fn chats_rate(call: &Call<'_>, request: ChatRate) -> Result<Rated, Problem> {
    let chat = chat_id(&request.id)?;
    let rating =
        match request.rating.as_deref() {
            None => None,
            Some(word) => Some(Rating::parse(word).ok_or_else(|| {
                Problem::bad_request(format!("{word} is not a rating: use good, bad or none"))
            })?),
        };
    let note = request.note.as_deref().map(str::trim).filter(|note| !note.is_empty() && rating.is_some());
    if note.is_some_and(|note| note.chars().count() > LONGEST) {
        return Err(Problem::bad_request(format!("a note has at most {LONGEST} characters")));
    }
    let before = call.app.data.before(chat, Some(request.turn))?;
    let turn = call.app.data.rate_turn(chat, request.turn, rating, note)?;
    let answer = turn_dto(turn.clone())?.answer;
    let question = standalone(&turn, &answer, before.last());
    let mut rated = Rated::default();
    for (name, citations) in by_library(&answer) {
        // A library that is gone needs no question.
        let Ok(library) = call.app.library(&name) else { continue };
        let id = question_id(chat, turn.number, &name);
        let right = right(&citations)?;
        if rating == Some(Rating::Good) && !right.is_empty() {
            library.add_question(&Question {
                id,
                text: question.clone(),
                kind: QuestionKind::Written,
                answer: Some(without_marks(&answer)),
                right,
                created: library.now(),
            })?;
            rated.libraries.push(name);
        } else {
            library.remove_questions(&[id])?;
        }
    }
    call.app.events.changed(Tag::Chats, None);
    Ok(rated)
}

pub(crate) fn chats_rated(call: &Call<'_>, _: Empty) -> Result<RatedList, Problem> {
    let mut turns = Vec::new();
    for (chat, turn) in call.app.data.rated_turns(Rating::Bad)? {
        // What cannot be read any more is left out.
        let Ok(answer) = serde_json::from_str::<AnswerDto>(&turn.answer) else { continue };
        let before = call.app.data.before(chat, Some(turn.number))?;
        turns.push(RatedTurn {
            chat: chat.to_string(),
            turn: turn.number,
            question: standalone(&turn, &answer, before.last()),
            note: turn.note,
            libraries: ChatScope::of(&call.app.data.chat(chat)?).libraries,
            created: turn.created.to_string(),
        });
    }
    Ok(RatedList { turns })
}

/// The question as it was searched: one of a later turn may say little without the chat.
fn standalone(turn: &Turn, answer: &AnswerDto, before: Option<&Turn>) -> String {
    let stages = &answer.trace.stages;
    let note = stages.iter().filter(|stage| stage.name == "rewrite").find_map(|stage| stage.note.as_deref());
    let reworded = note.and_then(|note| note.strip_prefix("searched as “")?.strip_suffix('”'));
    match (reworded, note, before) {
        (Some(reworded), ..) => reworded.to_owned(),
        (None, Some("searched with the question before"), Some(before)) => {
            format!("{} {}", before.question.trim(), turn.question.trim())
        }
        _ => turn.question.trim().to_owned(),
    }
}

/// The same question for the same turn, whenever it is asked for.
fn question_id(chat: ChatId, turn: u32, library: &str) -> QuestionId {
    let hash = blake3::hash(format!("{chat} {turn} {library}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    QuestionId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

fn by_library(answer: &AnswerDto) -> BTreeMap<String, Vec<&CitationDto>> {
    let mut libraries: BTreeMap<String, Vec<&CitationDto>> = BTreeMap::new();
    for citation in &answer.citations {
        libraries.entry(citation.document.library.clone()).or_default().push(citation);
    }
    libraries
}

/// The cited spans, each once.
fn right(citations: &[&CitationDto]) -> Result<Vec<Right>, Problem> {
    let mut right: Vec<Right> = Vec::new();
    for citation in citations {
        let span = Span::new(citation.quote_start as usize, citation.quote_end as usize);
        let one = Right {
            document: citation.document.id.parse().map_err(Problem::internal)?,
            title: citation.document.title.clone(),
            version: citation.document.version,
            span: Some(span),
            quote: citation.quote.clone(),
        };
        if !citation.quote.is_empty() && !right.contains(&one) {
            right.push(one);
        }
    }
    Ok(right)
}

/// The answer without its `[n]` marks.
fn without_marks(answer: &AnswerDto) -> String {
    let mut text = answer.answer.clone();
    for citation in &answer.citations {
        let mark = format!("[{}]", citation.number);
        text = text.replace(&format!(" {mark}"), "").replace(&mark, "");
    }
    text.trim().to_owned()
}
