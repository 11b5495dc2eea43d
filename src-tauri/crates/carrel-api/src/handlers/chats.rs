//! `chats.*`.

use super::scope;
use crate::call::Call;
use crate::dto::{
    AnswerDto, ChatDto, ChatExport, ChatExportRequest, ChatId, ChatList, ChatPin, ChatPlace, ChatRename,
    ChatScope, ChatScopeChange, ChatTurn, ChatView, ChatsRequest, Empty, TurnDto,
};
use crate::problem::Problem;
use crate::transcript;
use carrel_engine::data_folder::{ChatEntry, FoundChat, Rating, Turn};
use carrel_engine::domain;
use carrel_engine::error::EngineError;
use carrel_engine::seams::Tag;

/// Longest title, in characters.
const LONGEST: usize = 200;

pub(crate) fn chats_list(call: &Call<'_>, request: ChatsRequest) -> Result<ChatList, Problem> {
    let found = call.app.data.find_chats(request.words.as_deref().unwrap_or_default())?;
    let chat = |found: FoundChat| ChatDto { excerpt: found.excerpt, ..ChatDto::of(found.chat) };
    Ok(ChatList { chats: found.into_iter().map(chat).collect() })
}

pub(crate) fn chats_show(call: &Call<'_>, request: ChatPlace) -> Result<ChatView, Problem> {
    let (chat, turns) = call.app.data.branch(chat_id(&request.id)?, request.turn)?;
    let turns = turns.into_iter().map(turn_dto).collect::<Result<_, _>>()?;
    Ok(ChatView { chat: ChatDto::of(chat), turns })
}

pub(crate) fn chats_branch(call: &Call<'_>, request: ChatTurn) -> Result<Empty, Problem> {
    call.app.data.show_branch(chat_id(&request.id)?, request.turn)?;
    call.app.events.changed(Tag::Chats, None);
    Ok(Empty {})
}

pub(crate) fn chats_export(call: &Call<'_>, request: ChatExportRequest) -> Result<ChatExport, Problem> {
    let mut view = chats_show(call, ChatPlace { id: request.id, turn: request.turn })?;
    if let Some(turn) = request.turn {
        view.turns.retain(|one| one.number == turn);
    }
    let markdown = if request.turn.is_some() { transcript::turns(&view) } else { transcript::chat(&view) };
    if let Some(path) = &request.path {
        let path = super::place(path)?;
        // The page can ask for this: it must not be able to overwrite anything else.
        if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("md")) {
            return Err(Problem::bad_request(format!("{} does not end with .md", path.display())));
        }
        std::fs::write(&path, &markdown).map_err(|error| EngineError::io(&path, error))?;
    }
    Ok(ChatExport { markdown })
}

pub(crate) fn chats_rename(call: &Call<'_>, request: ChatRename) -> Result<ChatDto, Problem> {
    let title = request.title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() || title.chars().count() > LONGEST {
        return Err(Problem::bad_request(format!("a chat needs a title of 1 to {LONGEST} characters")));
    }
    changed(call, &request.id, |id| Ok(call.app.data.rename_chat(id, &title)?))
}

pub(crate) fn chats_pin(call: &Call<'_>, request: ChatPin) -> Result<ChatDto, Problem> {
    changed(call, &request.id, |id| Ok(call.app.data.pin_chat(id, request.pinned)?))
}

pub(crate) fn chats_scope(call: &Call<'_>, request: ChatScopeChange) -> Result<ChatDto, Problem> {
    let chat = call.app.data.chat(chat_id(&request.id)?)?;
    let scope = request.scope.checked(call.app, &ChatScope::of(&chat))?;
    let scope = scope::json(&scope)?;
    changed(call, &request.id, |id| Ok(call.app.data.scope_chat(id, &scope)?))
}

pub(crate) fn chats_remove(call: &Call<'_>, request: ChatId) -> Result<Empty, Problem> {
    call.app.data.remove_chat(chat_id(&request.id)?)?;
    call.app.events.changed(Tag::Chats, None);
    Ok(Empty {})
}

fn changed(
    call: &Call<'_>,
    id: &str,
    change: impl FnOnce(domain::ChatId) -> Result<(), Problem>,
) -> Result<ChatDto, Problem> {
    let id = chat_id(id)?;
    change(id)?;
    call.app.events.changed(Tag::Chats, None);
    let chat: ChatEntry = call.app.data.chat(id)?;
    Ok(ChatDto::of(chat))
}

pub(super) fn chat_id(id: &str) -> Result<domain::ChatId, Problem> {
    id.parse().map_err(|_| Problem::not_found("chat", id))
}

pub(super) fn turn_dto(turn: Turn) -> Result<TurnDto, Problem> {
    let mut answer: AnswerDto = serde_json::from_str(&turn.answer).map_err(Problem::internal)?;
    answer.turn = Some(turn.number);
    Ok(TurnDto {
        number: turn.number,
        parent: turn.parent,
        siblings: turn.siblings,
        question: turn.question,
        answer,
        created: turn.created.to_string(),
        rating: turn.rating.map(|rating: Rating| rating.as_str().to_owned()),
        note: turn.note,
    })
}
