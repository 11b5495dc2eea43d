//! `ask`.

use super::chats::chat_id;
use super::scope;
use crate::call::Call;
use crate::dto::{AnswerDto, AskParams, AskStreamEvent, ChatScope, CitationDto, ClaimDto, TraceDto};
use crate::models;
use crate::problem::Problem;
use carrel_engine::answer::{self, AskEvent, AskRequest};
use carrel_engine::data_folder::{NewTurn, Turn};
use carrel_engine::domain::ChatId;
use carrel_engine::retrieve::{Preset, Switch};
use carrel_engine::seams::{Message, Role, Tag};

/// Turns of a chat that the model is reminded of.
const REMEMBERED: usize = 6;

pub(crate) fn ask(
    call: &Call<'_>,
    request: AskParams,
    lines: &mut dyn FnMut(AskStreamEvent),
) -> Result<AnswerDto, Problem> {
    if let Some(id) = &request.model {
        // Before anything is searched: without hits nobody would hear of it.
        models::check_language_model(&call.app.models, id)?;
    }
    let chat = match request.chat.as_deref() {
        None | Some("new") => None,
        Some(id) => Some(call.app.data.chat(chat_id(id)?)?),
    };
    let before = match &chat {
        Some(chat) => call.app.data.before(chat.id, request.instead)?,
        None if request.instead.is_some() => {
            return Err(Problem::bad_request(
                "a question stands instead of another in a chat alone: name the chat",
            ));
        }
        None => Vec::new(),
    };
    let kept = chat.as_ref().map_or_else(|| request.scope.clone().unwrap_or_default(), ChatScope::of);
    let named = kept.named(call.app, &request)?;
    let scope = kept.with(named);
    let look = scope.look(call.app)?;

    let mut options = super::search::with_settings(&request.options, &look.libraries)?;
    options.filters = look.filters;
    let mut search = super::search::search_request(&request.question, request.n.unwrap_or(5), &options)?;
    search.filter.documents = look.documents;
    search.filter.folders = look.folders;
    // Costs nothing beside writing an answer, and changes nothing where one step is enough (README).
    search.reuse = true;
    search.multi_hop |= super::search::preset(request.options.preset.as_deref())? != Preset::Fast;
    if !before.is_empty() && options.rewrite.is_none() {
        search.transforms.rewrite = Switch::Auto;
    }
    let names = call.app.names(&look.libraries)?;
    let ask = AskRequest { search, history: history(&before), documents: look.named, model: request.model };
    let mut draft = Draft::default();
    let answered = answer::ask(&look.libraries, &ask, &*call.app.models, call.cancel, &mut |event| {
        let line = match event {
            AskEvent::Stage { name, passages, documents } => AskStreamEvent::Stage {
                name: name.to_owned(),
                passages: passages as u32,
                documents: documents as u32,
            },
            AskEvent::Token(text) => AskStreamEvent::Token { text },
            AskEvent::Citation(citation) => {
                AskStreamEvent::Citation { citation: Box::new(CitationDto::of(*citation, &names)) }
            }
            AskEvent::Claim(claim) => AskStreamEvent::Claim { claim: ClaimDto::of(claim) },
        };
        draft.take(&line);
        lines(line);
    });
    let answered = answered.map(|answer| AnswerDto::of(answer, &names)).map_err(Problem::from);
    if request.chat.is_none() {
        return answered;
    }
    // A failure is kept as what it is: a chat that forgot it would show a question that nobody answered, or none at all.
    let (mut answer, failure) = match answered {
        Ok(answer) => (answer, None),
        Err(problem) => (draft.failed(&problem), Some(problem)),
    };
    let chat = match chat {
        Some(chat) => chat.id,
        None => call.app.data.create_chat(&title(&request.question), &scope::json(&scope)?)?,
    };
    let parent = before.last().map(|turn| turn.number);
    answer.turn = Some(keep(call, chat, parent, &request.question, &mut answer)?);
    match failure {
        None => Ok(answer),
        Some(problem) => Err(problem.detail("chat", chat.to_string())),
    }
}

/// Keeps a question with its answer in a chat. The number of the turn.
fn keep(
    call: &Call<'_>,
    chat: ChatId,
    parent: Option<u32>,
    question: &str,
    answer: &mut AnswerDto,
) -> Result<u32, Problem> {
    answer.chat = Some(chat.to_string());
    let kept = serde_json::to_string(answer).map_err(Problem::internal)?;
    let turn = NewTurn { parent, question, answer: &kept, said: &answer.answer };
    let number = call.app.data.append_turn(chat, &turn)?;
    call.app.events.changed(Tag::Chats, None);
    Ok(number)
}

/// What was told of an answer so far.
#[derive(Default)]
struct Draft {
    text: String,
    citations: Vec<CitationDto>,
    claims: Vec<ClaimDto>,
}

impl Draft {
    fn take(&mut self, line: &AskStreamEvent) {
        match line {
            AskStreamEvent::Token { text } => self.text.push_str(text),
            AskStreamEvent::Citation { citation } => self.citations.push((**citation).clone()),
            AskStreamEvent::Claim { claim } => self.claims.push(claim.clone()),
            AskStreamEvent::Stage { .. } => {}
        }
    }

    /// The answer that it would have been, with why it is none.
    fn failed(self, problem: &Problem) -> AnswerDto {
        AnswerDto {
            answer: self.text,
            grounded: false,
            reason: Some("failed".to_owned()),
            mode: "failed".to_owned(),
            citations: self.citations,
            claims: self.claims,
            conflicts: Vec::new(),
            nearest: Vec::new(),
            model: None,
            chat: None,
            turn: None,
            problem: Some(problem.clone()),
            trace: TraceDto::default(),
        }
    }
}

/// The last turns as messages. What failed is left out, and what cannot be read any more: a chat must not become unusable by it.
fn history(turns: &[Turn]) -> Vec<Message> {
    let recent = &turns[turns.len().saturating_sub(REMEMBERED)..];
    let messages = recent.iter().filter_map(|turn| {
        let answer: AnswerDto = serde_json::from_str(&turn.answer).ok()?;
        if answer.reason.as_deref() == Some("failed") {
            return None;
        }
        let question = Message { role: Role::User, content: turn.question.clone() };
        Some([question, Message { role: Role::Assistant, content: answer.answer }])
    });
    messages.flatten().collect()
}

/// The first line of a question, at most 80 characters.
fn title(question: &str) -> String {
    let line = question.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title("  What is the notice period?\nAnd why?"), "What is the notice period?");
        let long = "语".repeat(200);
        assert_eq!(title(&long).chars().count(), 81);
    }
}
