//! `chats …`

use super::answers;
use super::libraries::told;
use crate::args::{ChatsCommand, RatingWord, ScopeArgs};
use crate::output::Output;
use crate::places;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, count, plain, plain_lines};
use carrel_api::Problem;
use carrel_api::dto::{
    AnswerDto, ChatDto, ChatExport, ChatExportRequest, ChatId, ChatList, ChatPin, ChatPlace, ChatRate,
    ChatRename, ChatScope, ChatScopeChange, ChatTurn, ChatView, ChatsRequest, Empty, Rated, ScopeDocument,
    ScopeFolder, TurnDto,
};

pub(crate) fn run(command: ChatsCommand, session: &Session, output: &Output) -> Result<u8, Problem> {
    match command {
        ChatsCommand::List => list(&session.get("chats.list")?, output),
        ChatsCommand::Search { words } => {
            let found: ChatList =
                session.call("chats.list", &ChatsRequest { words: Some(words.join(" ")) })?;
            list(&found, output);
            if found.chats.is_empty() {
                return Ok(super::NOTHING_FOUND);
            }
        }
        ChatsCommand::Show { id, turn } => {
            let view: ChatView = session.call("chats.show", &ChatPlace { id, turn })?;
            if output.json {
                output.document(&view);
                return Ok(0);
            }
            if let Some(scope) = scope_line(&view.chat.scope) {
                output.line(output.paint.paint(Look::Quiet, scope));
                output.line("");
            }
            for turn in &view.turns {
                show_turn(turn, output);
            }
        }
        ChatsCommand::Export { id, file, turn } => {
            let path = file.map(places::place);
            let request = ChatExportRequest { id, turn, path: path.clone() };
            let export: ChatExport = session.call("chats.export", &request)?;
            match path {
                Some(path) if !output.json => output.message(format!("wrote {}", places::shown(&path))),
                None if !output.json => output.raw(&plain_lines(&export.markdown)),
                _ => output.document(&export),
            }
        }
        ChatsCommand::Rename { id, title } => {
            let chat: ChatDto = session.call("chats.rename", &ChatRename { id, title })?;
            told(&chat, format!("renamed the chat to {}", plain(&chat.title)), output);
        }
        ChatsCommand::Pin { id, off } => {
            let chat: ChatDto = session.call("chats.pin", &ChatPin { id, pinned: !off })?;
            let done = if off { "took the pin from" } else { "pinned" };
            told(&chat, format!("{done} {}", plain(&chat.title)), output);
        }
        ChatsCommand::Scope(args) => {
            let chat = scope(args, session)?;
            told(
                &chat,
                scope_line(&chat.scope).unwrap_or_else(|| "in the library default".to_owned()),
                output,
            );
        }
        ChatsCommand::Branch { id, turn } => {
            let sentence = format!("the chat goes on from the branch of turn {turn}");
            let _: Empty = session.call("chats.branch", &ChatTurn { id, turn })?;
            told(&Empty {}, sentence, output);
        }
        ChatsCommand::Rate { id, turn, rating, note } => {
            let (rating, word) = match rating {
                RatingWord::Good => (Some("good".to_owned()), "noted as good"),
                RatingWord::Bad => (Some("bad".to_owned()), "noted as not good"),
                RatingWord::None => (None, "took the rating back"),
            };
            let rated: Rated = session.call("chats.rate", &ChatRate { id, turn, rating, note })?;
            let mut sentence = word.to_owned();
            if !rated.libraries.is_empty() {
                let names: Vec<String> = rated.libraries.iter().map(|name| plain(name)).collect();
                sentence.push_str(&format!("; now a question of the library {}", names.join(", ")));
            }
            told(&rated, sentence, output);
        }
        ChatsCommand::Remove { id } => {
            let sentence = format!("removed the chat {id}");
            let _: Empty = session.call("chats.remove", &ChatId { id })?;
            told(&Empty {}, sentence, output);
        }
    }
    Ok(0)
}

fn list(list: &ChatList, output: &Output) {
    if output.json {
        output.document(list);
        return;
    }
    let paint = output.paint;
    let quiet = |text: &str| Cell::painted(text, move |t| paint.paint(Look::Quiet, t));
    let mut table = Table::new(&[Column::Left, Column::Flexible, Column::Left, Column::Right, Column::Left]);
    for chat in &list.chats {
        let title =
            chat.excerpt.as_ref().map_or_else(|| chat.title.clone(), |e| format!("{}: {e}", chat.title));
        table.row(vec![
            quiet(&chat.id),
            title.as_str().into(),
            quiet(if chat.pinned { "pinned" } else { "" }),
            count(chat.turns as usize, "question", "questions").into(),
            quiet(chat.updated.get(..10).unwrap_or_default()),
        ]);
    }
    table.lines(output.width()).iter().for_each(|line| output.line(line));
}

fn show_turn(turn: &TurnDto, output: &Output) {
    let paint = output.paint;
    output.line(paint.paint(Look::Strong, plain_lines(&turn.question)));
    let mut about = vec![format!("turn {}", turn.number)];
    if turn.siblings.len() > 1 {
        let others = turn.siblings.iter().filter(|n| **n != turn.number);
        let others: Vec<String> = others.map(u32::to_string).collect();
        about.push(format!("other branches: turn {}", others.join(", ")));
    }
    match turn.rating.as_deref() {
        Some("good") => about.push("good".to_owned()),
        Some("bad") => about.push("not good".to_owned()),
        _ => {}
    }
    about.extend(turn.note.as_deref().map(|note| format!("“{}”", plain(note))));
    output.line(paint.paint(Look::Quiet, about.join(" · ")));
    output.line("");
    answers::finish(&AnswerDto { chat: None, ..turn.answer.clone() }, "", false, output);
    output.line("");
}

/// Shows a scope, or changes it.
fn scope(args: ScopeArgs, session: &Session) -> Result<ChatDto, Problem> {
    let view: ChatView =
        session.call("chats.show", &ChatPlace { id: args.id.clone(), ..ChatPlace::default() })?;
    let mut scope = if args.clear { ChatScope::default() } else { view.chat.scope.clone() };
    if !args.libraries.is_empty() {
        scope.libraries = args.libraries;
    }
    if !args.folders.is_empty() {
        let folder = |path: &_| ScopeFolder { path: places::place(path), ..ScopeFolder::default() };
        scope.folders = args.folders.iter().map(folder).collect();
    }
    if !args.tags.is_empty() {
        scope.tags = args.tags;
    }
    if !args.documents.is_empty() {
        let document = |name: &_| ScopeDocument { id: places::document(name), ..ScopeDocument::default() };
        scope.documents = args.documents.iter().map(|name| document(name.as_os_str())).collect();
    }
    if !args.filters.is_empty() {
        scope.filters = args.filters;
    }
    if scope == view.chat.scope {
        return Ok(view.chat);
    }
    session.call("chats.scope", &ChatScopeChange { id: args.id, scope })
}

/// Where the questions of a chat look; `None` where nothing was said.
fn scope_line(scope: &ChatScope) -> Option<String> {
    let mut parts = Vec::new();
    let libraries: Vec<String> = scope.libraries.iter().map(|name| plain(name)).collect();
    match libraries.as_slice() {
        [] => {}
        [all] if all == "*" => parts.push("in all libraries".to_owned()),
        names => parts.push(format!("in the library {}", names.join(", "))),
    }
    parts.extend(scope.folders.iter().map(|folder| format!("folder {}", plain(&folder.path))));
    parts.extend(scope.documents.iter().map(|document| format!("document {}", plain(&document.title))));
    parts.extend(scope.tags.iter().map(|tag| format!("tag {}", plain(tag))));
    parts.extend(scope.filters.iter().map(|filter| plain(filter)));
    (!parts.is_empty()).then(|| parts.join(" · "))
}
