//! `eval questions`, `generate`, `list`, `remove`, `runs`, `tune`: the library's own questions.

use super::libraries::told;
use crate::args::{EvalCommand, LibraryArg, Retrieval, RunsCommand};
use crate::output::Output;
use crate::progress;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, bytes, count, plain};
use carrel_api::Problem;
use carrel_api::dto::{
    ComparisonDto, DifferenceDto, Empty, EvaluationRun, FileQuestion, GenerateRequestDto, GeneratedDto,
    LibraryScope, LibrarySettingsRequest, QualityEvent, QualityRunRequest, QuestionList, QuestionRefs,
    QuestionResultDto, RunList, RunPair, RunRef, Settings, TuneDto, TuneEstimate, TuneRequest,
};
use serde_json::json;
use std::path::Path;

/// Metrics of a run for people, the chief one first.
const METRICS: [(&str, &str); 8] = [
    ("ndcg@10", "order of the first ten"),
    ("recall@5", "right passages among the first five"),
    ("recall@10", "right passages among the first ten"),
    ("mrr@10", "how far up the first right one stands"),
    ("hit@5", "questions with a right one among five"),
    ("precision@5", "of the first five, how many are right"),
    ("context_precision", "right ones above wrong ones"),
    ("context_recall", "of the right text, how much is there"),
];

pub(crate) fn run(
    command: EvalCommand,
    open: &dyn Fn() -> Result<Session, Problem>,
    output: &Output,
) -> Result<u8, Problem> {
    match command {
        EvalCommand::Questions { answers: true, .. } => {
            return Err(Problem::not_available("eval questions --answers"));
        }
        EvalCommand::Questions { file, library, keep, retrieval, .. } => {
            questions(file.as_deref(), library, keep, &retrieval, open, output)?;
        }
        EvalCommand::Generate { count, library } => generate(count, library, &open()?, output)?,
        EvalCommand::List(library) => list(library, &open()?, output)?,
        EvalCommand::Remove { ids, library } => {
            let sentence = format!("removed {}", count(ids.len(), "question", "questions"));
            let _: Empty = open()?.call("quality.remove", &QuestionRefs { library: library.library, ids })?;
            told(&Empty {}, sentence, output);
        }
        EvalCommand::Runs(command) => runs(command, &open()?, output)?,
        EvalCommand::Tune { library, chunking, fusion, rerank, estimate, apply } => {
            let library = library.library;
            let request = TuneRequest { library, chunkings: chunking, fusions: fusion, rerankers: rerank };
            tune(&request, estimate, apply, &open()?, output)?;
        }
        // Those that need no data folder were carried out before.
        EvalCommand::Beir { .. } | EvalCommand::Spans { .. } => {}
    }
    Ok(0)
}

/// Shows how far a work is.
fn shown(event: &QualityEvent) {
    let QualityEvent::Progress { done, total, note } = event;
    progress::show(&format!("{done} of {total} · {note}"));
}

fn questions(
    file: Option<&Path>,
    library: LibraryArg,
    keep: bool,
    retrieval: &Retrieval,
    open: &dyn Fn() -> Result<Session, Problem>,
    output: &Output,
) -> Result<(), Problem> {
    let request = QualityRunRequest {
        library: library.library,
        options: retrieval.options(),
        questions: file.map(read).transpose()?.unwrap_or_default(),
        keep,
    };
    let run: EvaluationRun = open()?.stream("quality.run", &request, &mut |event| shown(&event))?;
    progress::show("");
    if output.json {
        output.document(&run);
        return Ok(());
    }
    print_run(&run, output);
    print_failures(&run.results, output);
    output.line(output.paint.paint(Look::Quiet, format!("  {:<20}{}", "run", run.id)));
    Ok(())
}

/// Questions of a file, one JSON object a line.
fn read(path: &Path) -> Result<Vec<FileQuestion>, Problem> {
    let bad = |what: String| Problem::bad_request(format!("{}{what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| bad(format!(": {error}")))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let question = |(n, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| bad(format!(", line {}: {error}", n + 1)))
    };
    let questions: Vec<FileQuestion> = lines.map(question).collect::<Result<_, _>>()?;
    if questions.is_empty() {
        return Err(bad(" holds no questions".to_owned()));
    }
    Ok(questions)
}

fn print_run(run: &EvaluationRun, output: &Output) {
    let paint = output.paint;
    output.line(format!(
        "{}  {} · {} · {}",
        paint.paint(Look::Strong, plain(&run.library)),
        count(run.documents as usize, "document", "documents"),
        count(run.passages as usize, "passage", "passages"),
        count(run.questions as usize, "question", "questions")
    ));
    for (name, meaning) in METRICS {
        let Some(value) = run.metrics.get(name) else { continue };
        output.line(format!("  {name:<20}{value:.4}  {}", paint.paint(Look::Quiet, meaning)));
    }
    for (name, value) in &run.settings {
        output.line(paint.paint(Look::Quiet, format!("  {name:<20}{}", plain(value))));
    }
}

fn print_failures(results: &[QuestionResultDto], output: &Output) {
    let paint = output.paint;
    let failed: Vec<&QuestionResultDto> = results.iter().filter(|r| r.outcome != "found").collect();
    if failed.is_empty() {
        output.line("  every question found what answers it");
        return;
    }
    output.line(format!("  {} without what answers them:", count(failed.len(), "question", "questions")));
    let mut table = Table::new(&[Column::Left, Column::Flexible, Column::Left]);
    for result in failed {
        let rank = |rank: Option<u32>| rank.map_or_else(|| "—".to_owned(), |rank| rank.to_string());
        let ranks = format!("words {}, meaning {}", rank(result.lexical), rank(result.dense));
        table.row(vec![
            Cell::painted(format!("  {}", lost(&result.outcome)), move |t| paint.paint(Look::Bad, t)),
            result.text.as_str().into(),
            Cell::painted(ranks, move |t| paint.paint(Look::Quiet, t)),
        ]);
    }
    table.lines(output.width()).iter().for_each(|line| output.line(line));
}

/// Where a question was lost, in words.
fn lost(outcome: &str) -> &str {
    match outcome {
        "gone" => "not in the library any more",
        "not_converted" => "the document has no text",
        "not_retrieved" => "not retrieved",
        "ranked_low" => "too far down",
        "lost_in_fusion" => "lost in fusion",
        "lost_in_reranking" => "lost in reranking",
        "gated" => "found, but an answer would be refused",
        other => other,
    }
}

fn generate(wanted: u32, library: LibraryArg, session: &Session, output: &Output) -> Result<(), Problem> {
    let request = GenerateRequestDto { library: library.library, count: Some(wanted) };
    let made: GeneratedDto = session.stream("quality.generate", &request, &mut |event| shown(&event))?;
    progress::show("");
    if output.json {
        output.document(&made);
        return Ok(());
    }
    let by =
        made.model.as_deref().map_or_else(|| "by code alone".to_owned(), |model| format!("with {model}"));
    output.line(format!(
        "{} of {} tried, {by}",
        count(made.questions.len(), "question", "questions"),
        count(made.tried as usize, "passage", "passages")
    ));
    for (fault, n) in &made.refused {
        let fault = fault.replace('_', " ");
        output.line(output.paint.paint(Look::Quiet, format!("  refused: {fault:<22}{n}")));
    }
    print_questions(&QuestionList { questions: made.questions }, output);
    Ok(())
}

fn list(library: LibraryArg, session: &Session, output: &Output) -> Result<(), Problem> {
    let list: QuestionList = session.call("quality.questions", &LibraryScope { library: library.library })?;
    if output.json {
        output.document(&list);
    } else if list.questions.is_empty() {
        output.line("no questions yet: make some with `carrel eval generate`");
    } else {
        print_questions(&list, output);
    }
    Ok(())
}

fn print_questions(list: &QuestionList, output: &Output) {
    let paint = output.paint;
    for question in &list.questions {
        output.line(format!(
            "{}  {}",
            paint.paint(Look::Strong, plain(&question.text)),
            paint.paint(Look::Quiet, format!("{} {}", question.kind, question.id))
        ));
        for right in &question.right {
            let state = if right.state == "here" { "" } else { " (not there any more)" };
            let quote: String = plain(&right.quote).chars().take(160).collect();
            output.line(format!("  {}{state}: {quote}", plain(&right.place.title)));
        }
    }
}

fn runs(command: RunsCommand, session: &Session, output: &Output) -> Result<(), Problem> {
    match command {
        RunsCommand::List(LibraryArg { library }) => {
            let list: RunList = session.call("quality.runs", &LibraryScope { library })?;
            if output.json {
                output.document(&list);
                return Ok(());
            }
            if list.runs.is_empty() {
                output.line("no runs yet: `carrel eval questions` makes one");
            }
            let mut table = Table::new(&[
                Column::Left,
                Column::Right,
                Column::Right,
                Column::Right,
                Column::Flexible,
                Column::Left,
            ]);
            for run in &list.runs {
                let value = |name| run.metrics.get(name).copied().unwrap_or_default();
                let chosen = ["chunking", "fusion", "rerank", "legs"]
                    .map(|key| run.settings.get(key).map_or("", String::as_str));
                table.row(vec![
                    run.created.chars().take(16).collect::<String>().replace('T', " ").into(),
                    count(run.questions as usize, "question", "questions").into(),
                    format!("ndcg@10 {:.3}", value("ndcg@10")).into(),
                    format!("recall@10 {:.3}", value("recall@10")).into(),
                    chosen.join(" · ").into(),
                    run.id.as_str().into(),
                ]);
            }
            table.lines(output.width()).iter().for_each(|line| output.line(line));
        }
        RunsCommand::Show { run, library } => {
            let run: EvaluationRun =
                session.call("quality.show", &RunRef { library: library.library, id: run })?;
            if output.json {
                output.document(&run);
            } else {
                print_run(&run, output);
                print_failures(&run.results, output);
            }
        }
        RunsCommand::Compare { first, second, library } => {
            let request = RunPair { library: library.library, first, second };
            let comparison: ComparisonDto = session.call("quality.compare", &request)?;
            if output.json {
                output.document(&comparison);
            } else {
                print_comparison(&comparison, output);
            }
        }
        RunsCommand::Remove { run, library } => {
            let sentence = format!("forgot {run}");
            let _: Empty = session.call("quality.forget", &RunRef { library: library.library, id: run })?;
            told(&Empty {}, sentence, output);
        }
    }
    Ok(())
}

fn print_comparison(comparison: &ComparisonDto, output: &Output) {
    let paint = output.paint;
    output.line(paint.paint(Look::Strong, &comparison.verdict));
    output
        .line(format!("  {} that both asked", count(comparison.questions as usize, "question", "questions")));
    for (key, value) in &comparison.second.settings {
        let before = comparison.first.settings.get(key).map_or("", String::as_str);
        if before != value {
            output.line(format!("  {key}: {} → {}", plain(before), plain(value)));
        }
    }
    let mut table =
        Table::new(&[Column::Left, Column::Right, Column::Right, Column::Right, Column::Left, Column::Left]);
    table.row(["", "first", "second", "difference", "95 %", ""].map(Cell::from).into());
    for difference in &comparison.metrics {
        table.row(vec![
            format!("  {}", difference.metric).into(),
            format!("{:.3}", difference.first).into(),
            format!("{:.3}", difference.second).into(),
            format!("{:+.3}", difference.difference).into(),
            format!("{:+.3} … {:+.3}", difference.low, difference.high).into(),
            verdict(difference, output),
        ]);
    }
    table.lines(output.width()).iter().for_each(|line| output.line(line));
}

/// The verdict of one metric in a word or two.
fn verdict(difference: &DifferenceDto, output: &Output) -> Cell {
    let (word, look) = match difference.verdict.as_str() {
        "better" => ("really better", Look::Good),
        "worse" => ("really worse", Look::Bad),
        "same" => ("the same", Look::Quiet),
        "too_few" => ("too few questions", Look::Quiet),
        _ => ("may be chance", Look::Quiet),
    };
    let paint = output.paint;
    Cell::painted(format!("{word}, p = {:.3}", difference.p), move |t| paint.paint(look, t))
}

fn tune(
    request: &TuneRequest,
    only_estimate: bool,
    apply: bool,
    session: &Session,
    output: &Output,
) -> Result<(), Problem> {
    let estimate: TuneEstimate = session.call("quality.estimate", request)?;
    if only_estimate && output.json {
        output.document(&estimate);
        return Ok(());
    }
    let sentence = format!(
        "{} with {}: {} to embed at most, about {}, and {} of disk meanwhile",
        count(estimate.candidates as usize, "setting", "settings"),
        count(estimate.questions as usize, "question", "questions"),
        count(estimate.tokens as usize, "token", "tokens"),
        duration(estimate.seconds),
        bytes(estimate.bytes)
    );
    if only_estimate {
        output.line(sentence);
        return Ok(());
    }
    output.message(sentence);
    let tuned: TuneDto = session.stream("quality.tune", request, &mut |event| shown(&event))?;
    progress::show("");
    let winner = tuned.winner.and_then(|at| tuned.candidates.get(at as usize));
    let applied = match winner.filter(|_| apply) {
        Some(winner) => {
            let name = request.library.clone().unwrap_or_else(|| "default".to_owned());
            let changes = winner.settings.clone();
            let _: Settings = session.call("library.settings", &LibrarySettingsRequest { name, changes })?;
            true
        }
        None => false,
    };
    if output.json {
        let mut document = serde_json::to_value(&tuned).map_err(Problem::internal)?;
        document["estimate"] = json!(estimate);
        document["applied"] = json!(applied);
        output.document(&document);
        return Ok(());
    }
    print_tuned(&tuned, output);
    if applied {
        output.line("Applied: the library answers as before until its new passages are ready.");
    }
    Ok(())
}

fn print_tuned(tuned: &TuneDto, output: &Output) {
    let paint = output.paint;
    let mut table = Table::new(&[
        Column::Left,
        Column::Left,
        Column::Left,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Left,
    ]);
    table.row(
        ["chunking", "fusion", "rerank", "passages", "ndcg@10", "recall@10", "ms", ""].map(Cell::from).into(),
    );
    for candidate in &tuned.candidates {
        let metric = |name| candidate.metrics.get(name).copied().unwrap_or_default();
        let of = |key| candidate.settings.get(key).map_or("", String::as_str);
        table.row(vec![
            of("chunking").into(),
            of("fusion").into(),
            of("rerank").into(),
            candidate.passages.to_string().into(),
            format!("{:.3}", metric("ndcg@10")).into(),
            format!("{:.3}", metric("recall@10")).into(),
            format!("{:.1}", candidate.query_ms).into(),
            match &candidate.difference {
                Some(difference) => verdict(difference, output),
                None => Cell::painted("now", move |t| paint.paint(Look::Quiet, t)),
            },
        ]);
    }
    table.lines(output.width()).iter().for_each(|line| output.line(line));
    output.line(paint.paint(Look::Strong, &tuned.verdict));
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{} s", s.ceil().max(1.0)),
        s if s < 5_400.0 => format!("{} min", (s / 60.0).round()),
        s => format!("{:.1} h", s / 3_600.0),
    }
}
