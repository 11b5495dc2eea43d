//! `ask`

use super::NOTHING_FOUND;
use super::search::{Ranked, print_hits, print_trace, why};
use crate::args::AskArgs;
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::{count, plain, plain_lines};
use crate::{places, progress};
use carrel_api::Problem;
use carrel_api::dto::{AnswerDto, AppInfo, AskParams, AskStreamEvent, CitationDto};

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
        instead: args.instead,
        scope: None,
        n: Some(args.n),
        model: args.model,
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
                _ => "searching".to_owned(),
            });
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

pub(super) fn finish(answer: &AnswerDto, written: &str, explain: bool, output: &Output) {
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
        let said = format!("Not supported by your documents: “{}”", plain_lines(claim.text.trim()));
        output.line(output.paint.paint(Look::Warn, said));
    }
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
        (Some("failed"), _) => {
            let why = answer.problem.as_ref().map_or("the answer failed", |problem| problem.message.as_str());
            return format!("Not answered: {}", plain(why));
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
