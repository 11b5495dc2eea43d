//! `ask`, `chats.*`.

use crate::call::Call;
use crate::dto::{
    AnswerDto, AskParams, AskStreamEvent, ChatDto, ChatExport, ChatId, ChatList, ChatRename, ChatView, Empty,
    TurnDto,
};
use crate::models;
use crate::problem::Problem;
use carrel_engine::answer::{self, AskRequest, Order, Verify};
use carrel_engine::data_folder::{DEFAULT_LIBRARY, Turn};
use carrel_engine::domain;
use carrel_engine::library::Library;
use carrel_engine::retrieve::Preset;
use carrel_engine::seams::{Message, Role, Tag};
use std::fmt::Write as _;
use std::sync::Arc;

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
    let libraries = call.app.libraries(&request.libraries)?;
    let options = super::search::with_settings(&request.options, &libraries)?;
    let mut search = super::search::search_request(&request.question, request.n.unwrap_or(5), &options)?;
    // Costs nothing beside writing an answer, and changes nothing where one step is enough (README).
    search.reuse = true;
    search.multi_hop |= super::search::preset(request.options.preset.as_deref())? != Preset::Fast;
    let scope = match request.libraries.as_slice() {
        [one] if one != "*" => Some(one.as_str()),
        [] => Some(DEFAULT_LIBRARY),
        _ => None,
    };
    let mut documents = Vec::new();
    for name in &request.documents {
        documents.push(call.app.find_document(name, scope)?.2.id);
    }
    let chat = match request.chat.as_deref() {
        None | Some("new") => None,
        Some(id) => Some(chat_id(id)?),
    };
    let history = match chat {
        Some(id) => history(&call.app.data.chat(id)?.1),
        None => Vec::new(),
    };
    let names = call.app.names(&libraries)?;
    let (verify, order) = care(&request, &libraries)?;
    let ask =
        AskRequest { history, documents, model: request.model, verify, order, ..AskRequest::new(search) };
    let answer = answer::ask(&libraries, &ask, &*call.app.models, call.cancel, &mut |event| {
        lines(AskStreamEvent::of(event, &names));
    })?;
    let mut answer = AnswerDto::of(answer, &names);
    if request.chat.is_some() {
        let chat = match chat {
            Some(id) => id,
            None => call.app.data.create_chat(&title(&request.question))?,
        };
        answer.chat = Some(chat.to_string());
        let kept = serde_json::to_string(&answer).map_err(Problem::internal)?;
        call.app.data.append_turn(chat, &request.question, &kept)?;
        call.app.events.changed(Tag::Chats, None);
    }
    Ok(answer)
}

/// How an answer is verified, and in which order its passages are read: as the question says, or its preset and its libraries.
fn care(request: &AskParams, libraries: &[Arc<Library>]) -> Result<(Verify, Order), Problem> {
    let verify = match request.verify.as_deref() {
        Some(word) => Verify::parse(word).ok_or_else(|| {
            Problem::bad_request(format!("{word} is no way to verify: use code, auto or thorough"))
        })?,
        None => match super::search::preset(request.options.preset.as_deref())? {
            Preset::Fast => Verify::Code,
            Preset::Balanced => Verify::Auto,
            Preset::Thorough => Verify::Thorough,
        },
    };
    let word = match &request.order {
        Some(word) => word.clone(),
        None => {
            let settings =
                libraries.iter().map(|library| library.settings()).collect::<Result<Vec<_>, _>>()?;
            let mut orders =
                settings.into_iter().map(|mut settings| settings.remove("order").unwrap_or_default());
            let first = orders.next().unwrap_or_default();
            if orders.all(|order| order == first) { first } else { String::new() }
        }
    };
    let order = match word.as_str() {
        "" => Order::default(),
        word => Order::parse(word)
            .ok_or_else(|| Problem::bad_request(format!("{word} is no order: use ends or descending")))?,
    };
    Ok((verify, order))
}

pub(crate) fn chats_list(call: &Call<'_>, _: Empty) -> Result<ChatList, Problem> {
    Ok(ChatList { chats: call.app.data.chats()?.into_iter().map(ChatDto::of).collect() })
}

pub(crate) fn chats_show(call: &Call<'_>, request: ChatId) -> Result<ChatView, Problem> {
    let (chat, turns) = call.app.data.chat(chat_id(&request.id)?)?;
    let turns = turns.into_iter().map(turn).collect::<Result<_, _>>()?;
    Ok(ChatView { chat: ChatDto::of(chat), turns })
}

pub(crate) fn chats_export(call: &Call<'_>, request: ChatId) -> Result<ChatExport, Problem> {
    let view = chats_show(call, request)?;
    Ok(ChatExport { markdown: export(&view) })
}

pub(crate) fn chats_rename(call: &Call<'_>, request: ChatRename) -> Result<Empty, Problem> {
    call.app.data.rename_chat(chat_id(&request.id)?, request.title.trim())?;
    call.app.events.changed(Tag::Chats, None);
    Ok(Empty {})
}

pub(crate) fn chats_remove(call: &Call<'_>, request: ChatId) -> Result<Empty, Problem> {
    call.app.data.remove_chat(chat_id(&request.id)?)?;
    call.app.events.changed(Tag::Chats, None);
    Ok(Empty {})
}

fn chat_id(id: &str) -> Result<domain::ChatId, Problem> {
    id.parse().map_err(|_| Problem::not_found("chat", id))
}

fn turn(turn: Turn) -> Result<TurnDto, Problem> {
    Ok(TurnDto {
        number: turn.number,
        question: turn.question,
        answer: serde_json::from_str(&turn.answer).map_err(Problem::internal)?,
        created: turn.created.to_string(),
    })
}

/// The last turns as messages. What cannot be read any more is left out: a chat must not become unusable by it.
fn history(turns: &[Turn]) -> Vec<Message> {
    let recent = &turns[turns.len().saturating_sub(REMEMBERED)..];
    let messages = recent.iter().filter_map(|turn| {
        let answer: AnswerDto = serde_json::from_str(&turn.answer).ok()?;
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

/// A chat as Markdown, each answer with its sources.
fn export(view: &ChatView) -> String {
    let mut text = format!("# {}\n", view.chat.title);
    for turn in &view.turns {
        let _ = write!(text, "\n## {}\n\n{}\n", turn.question.replace('\n', " "), turn.answer.answer.trim());
        if turn.answer.citations.is_empty() {
            continue;
        }
        text.push_str("\nSources:\n\n");
        for c in &turn.answer.citations {
            let place = c.passage.location.for_people().map(|p| format!(", {p}")).unwrap_or_default();
            let quote = c.shown();
            let _ = writeln!(
                text,
                "{}. {}{place}, version {} — “{quote}” <{}>",
                c.number, c.document.title, c.document.version, c.document.uri
            );
        }
    }
    text
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
