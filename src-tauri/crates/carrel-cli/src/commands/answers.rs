//! `ask`, `chats …`

use super::NOTHING_FOUND;
use super::libraries::told;
use super::search::{Ranked, print_hits, print_trace, why};
use crate::args::{AskArgs, ChatsCommand};
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, count, plain, plain_lines};
use crate::{places, progress};
use carrel_api::Problem;
use carrel_api::dto::{
    AnswerDto, AppInfo, AskParams, AskStreamEvent, ChatExport, ChatId, ChatList, ChatView, CitationDto,
    ConflictDto, Empty,
};

pub(crate) fn ask(args: AskArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    if args.stream && !output.json {
        return Err(Problem::bad_request("--stream goes with --json; without it the answer streams anyway"));
    }
    let explain = args.retrieval.explain;
    let request = AskParams {
        options: args.retrieval.options(),
        question: args.question,
        libraries: args.libraries,
        documents: args.documents.iter().map(|d| places::document(d)).collect(),
        chat: args.chat,
        n: Some(args.n),
        model: args.model,
        verify: args.verify,
        order: args.order,
    };
    let mut written = String::new();
    let waiting = progress::Waiting::new();
    let model = || -> Option<String> {
        request.model.clone().or_else(|| session.get::<AppInfo>("app.info").ok()?.language_model)
    };
    // Asked for before: the call below answers to nothing else.
    let model = if progress::is_shown() { model() } else { None };
    let model = model.as_deref().unwrap_or("the language model");
    let answer: AnswerDto = session.stream("ask", &request, &mut |event: AskStreamEvent| {
        match &event {
            AskStreamEvent::Stage { name, .. } if name != "search" => waiting.begin(model),
            _ => waiting.end(),
        }
        if args.stream {
            output.event(&event);
        } else if !output.json {
            show(&event, &mut written, output);
        }
    })?;
    drop(waiting);
    if args.stream {
        output.done(&answer);
    } else if output.json {
        output.document(&answer);
    } else {
        finish(&answer, &written, explain, output);
    }
    Ok(match answer.reason.as_deref() {
        _ if answer.mode == "stopped" => crate::signals::INTERRUPTED,
        None => 0,
        Some("not_in_library") => NOTHING_FOUND,
        Some(_) => 1,
    })
}

/// Text as it comes; what happens meanwhile goes to the line on stderr.
fn show(event: &AskStreamEvent, written: &mut String, output: &Output) {
    match event {
        AskStreamEvent::Stage { name, passages, documents } if written.is_empty() => {
            progress::show(&match name.as_str() {
                "read" => format!(
                    "reading {} from {}",
                    count(*passages as usize, "passage", "passages"),
                    count(*documents as usize, "document", "documents")
                ),
                "generate" => "writing".to_owned(),
                "verify" => "checking it against the documents".to_owned(),
                "inventory" => "looking through all documents".to_owned(),
                _ => "searching".to_owned(),
            });
        }
        AskStreamEvent::Progress { done, total } => {
            progress::show(&format!("reading part {done} of {total}"))
        }
        AskStreamEvent::Hop { question, .. } if written.is_empty() => {
            progress::show(&format!("looking up {}", plain(question)));
        }
        AskStreamEvent::Token { text } => {
            if written.is_empty() {
                progress::show("");
            }
            written.push_str(text);
            output.raw(&plain_lines(text));
        }
        _ => {}
    }
}

fn finish(answer: &AnswerDto, written: &str, explain: bool, output: &Output) {
    progress::show("");
    if written.trim().is_empty() {
        output.line(match answer.answer.trim() {
            "" => instead(answer),
            text => plain_lines(text),
        });
    } else if !written.ends_with('\n') {
        output.raw("\n");
    }
    if !written.trim().is_empty() && answer.reason.is_some() {
        output.line(output.paint.paint(Look::Warn, instead(answer)));
    }
    for claim in answer.claims.iter().filter(|claim| claim.verdict != "supported") {
        let verdict = match claim.verdict.as_str() {
            "contradicted" => "Your documents say otherwise",
            _ => "Not supported by your documents",
        };
        let said = format!("{verdict}: “{}”", plain_lines(claim.text.trim()));
        output.line(output.paint.paint(Look::Warn, said));
    }
    if let Some(share) = answer.faithfulness.filter(|share| *share < 1.0) {
        let supported = answer.claims.iter().filter(|claim| claim.verdict == "supported").count();
        let said = format!(
            "{supported} of {} sentences are supported ({:.0} %).",
            answer.claims.len(),
            share * 100.0
        );
        output.line(output.paint.paint(Look::Quiet, said));
    }
    answer.conflicts.iter().for_each(|conflict| self::conflict(conflict, output));
    if !answer.citations.is_empty() {
        output.line("");
        answer.citations.iter().for_each(|c| source(c, answer, explain, output));
    }
    if !answer.nearest.is_empty() {
        output.line("");
        output.line(output.paint.paint(Look::Quiet, "The nearest passages:"));
        output.line("");
        print_hits(&answer.nearest, explain, output);
    }
    if explain {
        print_trace(&answer.trace, output);
    }
    if let Some(chat) = &answer.chat {
        output.message(output.paint.paint(Look::Quiet, format!("chat {chat}")));
    }
}

/// Two sources that contradict each other, one below the other, the preferred one first.
fn conflict(conflict: &ConflictDto, output: &Output) {
    let paint = output.paint;
    output.line("");
    output.line(paint.paint(Look::Warn, "Your documents contradict each other:"));
    for side in &conflict.sides {
        let mut head = vec![paint.paint(Look::Strong, plain(&side.document.title))];
        head.extend(side.passage.location.for_people().map(|place| plain(&place)));
        head.extend(side.date.clone());
        output.line(format!("  - {}", head.join(" · ")));
        output.line(format!("    “{}”", plain_lines(&side.excerpt)));
        output.line(format!("    {}", paint.paint(Look::Quiet, places::shown(&side.document.uri))));
    }
    let likely = match conflict.likely.as_str() {
        "age" => "One is older than the other.",
        "kind" => "They are documents of different kinds.",
        _ => "Nothing tells why.",
    };
    let preferred = match conflict.preferred.as_deref() {
        Some("later") => " The first is preferred, because it is dated later.",
        Some("rank") => " The first is preferred, because you trust its place more.",
        _ => " Neither is preferred.",
    };
    output.line(format!("    {}", paint.paint(Look::Quiet, format!("{likely}{preferred}"))));
}

/// What is said where there is no text.
fn instead(answer: &AnswerDto) -> String {
    let words = match (answer.reason.as_deref(), &answer.model) {
        (Some("not_in_library"), _) => "Your library does not hold an answer to this.",
        (Some("no_model"), Some(model)) => {
            return format!(
                "{model} does not speak the language of this question: choose another model with `carrel ask --model <ID>`."
            );
        }
        (Some("no_model"), None) => {
            let why = answer.trace.stages.iter().find(|stage| stage.name == "model");
            if let Some(note) = why.and_then(|stage| stage.note.as_deref()) {
                return plain(note);
            }
            "No language model is installed: get one with `carrel models get smollm2-135m-instruct`."
        }
        (Some("retrieval_failed"), _) => "The search failed, so nothing was answered: run `carrel doctor`.",
        _ => "Stopped before a word was written.",
    };
    words.to_owned()
}

fn source(citation: &CitationDto, answer: &AnswerDto, explain: bool, output: &Output) {
    let paint = output.paint;
    let mut head = vec![paint.paint(Look::Strong, plain(&citation.document.title))];
    head.extend(citation.passage.location.for_people().map(|place| plain(&place)));
    output.line(format!(
        "{} {}",
        paint.paint(Look::Accent, format!("[{}]", citation.number)),
        head.join(" · ")
    ));
    output.line(format!("    “{}”", plain_lines(citation.shown())));
    output.line(format!("    {}", paint.paint(Look::Quiet, places::shown(&citation.document.uri))));
    if let Some(ranked) = Ranked::citation(citation).filter(|_| explain) {
        output.line(format!("    {}", paint.paint(Look::Quiet, plain(&why(&ranked)))));
    }
    let carried = answer.claims.iter().filter(|c| c.citations.contains(&citation.number)).count();
    if carried > 1 {
        output.line(format!("    {}", paint.paint(Look::Quiet, format!("carries {carried} sentences"))));
    }
}

pub(crate) fn chats(command: ChatsCommand, session: &Session, output: &Output) -> Result<u8, Problem> {
    match command {
        ChatsCommand::List => {
            let list: ChatList = session.get("chats.list")?;
            if output.json {
                output.document(&list);
                return Ok(0);
            }
            let paint = output.paint;
            let mut table = Table::new(&[Column::Left, Column::Flexible, Column::Right, Column::Left]);
            for chat in &list.chats {
                table.row(vec![
                    Cell::painted(&chat.id, move |t| paint.paint(Look::Quiet, t)),
                    chat.title.as_str().into(),
                    count(chat.turns as usize, "question", "questions").into(),
                    Cell::painted(chat.updated.get(..10).unwrap_or_default(), move |t| {
                        paint.paint(Look::Quiet, t)
                    }),
                ]);
            }
            table.lines(output.width()).iter().for_each(|line| output.line(line));
        }
        ChatsCommand::Show { id } => {
            let view: ChatView = session.call("chats.show", &ChatId { id })?;
            if output.json {
                output.document(&view);
                return Ok(0);
            }
            for turn in &view.turns {
                output.line(output.paint.paint(Look::Strong, plain_lines(&turn.question)));
                output.line("");
                finish(&AnswerDto { chat: None, ..turn.answer.clone() }, "", false, output);
                output.line("");
            }
        }
        ChatsCommand::Export { id } => {
            let export: ChatExport = session.call("chats.export", &ChatId { id })?;
            if output.json {
                output.document(&export);
            } else {
                output.raw(&plain_lines(&export.markdown));
            }
        }
        ChatsCommand::Remove { id } => {
            let sentence = format!("removed the chat {id}");
            let _: Empty = session.call("chats.remove", &ChatId { id })?;
            told(&Empty {}, sentence, output);
        }
    }
    Ok(0)
}
