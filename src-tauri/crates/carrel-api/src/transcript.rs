//! A chat as Markdown: each question with its answer, and the sources with title, place, quote and where they lie.

use crate::dto::{AnswerDto, ChatView, CitationDto, TurnDto};
use carrel_engine::library::path_of_uri;
use std::fmt::Write as _;

/// The chat with its title.
pub(crate) fn chat(view: &ChatView) -> String {
    format!("# {}\n{}", line(&view.chat.title), turns(view))
}

/// Its turns alone.
pub(crate) fn turns(view: &ChatView) -> String {
    view.turns.iter().map(turn).collect()
}

fn turn(turn: &TurnDto) -> String {
    let answer = &turn.answer;
    let mut text = format!("\n## {}\n", line(&turn.question));
    if !answer.answer.trim().is_empty() {
        let _ = write!(text, "\n{}\n", answer.answer.trim());
    }
    if let Some(what) = instead(answer) {
        let _ = write!(text, "\n*{what}*\n");
    }
    for claim in answer.claims.iter().filter(|claim| claim.verdict != "supported") {
        let _ = write!(text, "\n> Not supported by the sources: “{}”\n", line(&claim.text));
    }
    if !answer.citations.is_empty() {
        text.push_str("\nSources:\n\n");
        for citation in &answer.citations {
            let _ = writeln!(text, "{}", source(citation));
        }
    }
    if let Some(note) = &turn.note {
        let _ = write!(text, "\nNote: {}\n", line(note));
    }
    text
}

/// What is said where there is no answer, or not all of it.
fn instead(answer: &AnswerDto) -> Option<String> {
    Some(match answer.reason.as_deref() {
        Some("not_in_library") => "Not in the library.".to_owned(),
        Some("no_model") => "Not answered: no language model.".to_owned(),
        Some("retrieval_failed") => "Not answered: the search failed.".to_owned(),
        Some("failed") => match &answer.problem {
            Some(problem) => format!("Failed: {}", line(&problem.message)),
            None => "Failed.".to_owned(),
        },
        _ if answer.mode == "stopped" => "Stopped.".to_owned(),
        _ => return None,
    })
}

fn source(citation: &CitationDto) -> String {
    let document = &citation.document;
    let place = citation.passage.location.for_people().map(|place| format!(", {place}")).unwrap_or_default();
    let uri =
        path_of_uri(&document.uri).map_or_else(|| document.uri.clone(), |path| path.display().to_string());
    format!(
        "{}. {}{place}, version {} — “{}” — `{}`",
        citation.number,
        line(&document.title),
        document.version,
        line(citation.shown()),
        uri.replace('`', "'")
    )
}

/// A text in one line, which can begin nothing of Markdown's own.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
