//! `quality.*`: questions of a library, runs over them, settings tried against each other.

use crate::call::Call;
use crate::dto::{
    ComparisonDto, Empty, EvaluationRun, FileQuestion, GenerateRequestDto, GeneratedDto, LibraryScope,
    MarkedRight, QualityEvent, QualityRunRequest, QuestionDto, QuestionList, QuestionRefs, QuestionWrite,
    RetrievalOptions, RunList, RunPair, RunRef, TuneDto, TuneEstimate, TuneRequest, Tuned,
};
use crate::measure;
use crate::problem::Problem;
use carrel_engine::data_folder::DEFAULT_LIBRARY;
use carrel_engine::domain::{DocumentId, QuestionId, RunId, Span};
use carrel_engine::library::Library;
use carrel_engine::quality::{self, Case, CaseRight, Question, QuestionKind, Right};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Questions that are made when the caller does not say, and at most.
const COUNT: (u32, u32) = (30, 50);
/// Least time between two lines about progress.
const PACE: Duration = Duration::from_millis(100);
/// Key of the ledger: what came of trying settings last.
const TUNED: &str = "quality.tuned";

/// Takes lines about how far a work is.
type Lines<'a> = &'a mut dyn FnMut(QualityEvent);

fn library<'a>(call: &Call<'_>, name: Option<&'a String>) -> Result<(&'a str, Arc<Library>), Problem> {
    let name = name.map_or(DEFAULT_LIBRARY, String::as_str);
    Ok((name, call.app.library(name)?))
}

pub(crate) fn quality_questions(call: &Call<'_>, request: LibraryScope) -> Result<QuestionList, Problem> {
    let (_, library) = library(call, request.library.as_ref())?;
    Ok(QuestionList { questions: library.questions()?.into_iter().map(QuestionDto::of).collect() })
}

pub(crate) fn quality_write(call: &Call<'_>, request: QuestionWrite) -> Result<QuestionDto, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    if request.right.is_empty() {
        return Err(Problem::bad_request("mark at least one passage that answers the question"));
    }
    let right =
        request.right.iter().map(|right| marked(call, name, &library, right)).collect::<Result<_, _>>()?;
    let question = question(&library, &request.text, right)?;
    library.add_question(&question)?;
    written(&library, question.id)
}

pub(crate) fn quality_remove(call: &Call<'_>, request: QuestionRefs) -> Result<Empty, Problem> {
    let (_, library) = library(call, request.library.as_ref())?;
    let parse = |id: &String| id.parse().map_err(|_| Problem::not_found("question", id));
    let ids: Vec<QuestionId> = request.ids.iter().map(parse).collect::<Result<_, _>>()?;
    library.remove_questions(&ids)?;
    Ok(Empty {})
}

pub(crate) fn quality_generate(
    call: &Call<'_>,
    request: GenerateRequestDto,
    lines: Lines<'_>,
) -> Result<GeneratedDto, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    let count = request.count.unwrap_or(COUNT.0);
    if count == 0 || count > COUNT.1 {
        return Err(Problem::bad_request(format!("between 1 and {} questions are made at a time", COUNT.1)));
    }
    working(call, "questions", name, &library, lines, |told| {
        let mut progress = |done: usize, total: usize| told(done, total, "making questions");
        let made =
            quality::generate(&library, count as usize, &*call.app.models, &mut progress, call.cancel)?;
        let new: Vec<QuestionId> = made.questions.iter().map(|q| q.id).collect();
        let questions = library.questions()?.into_iter().filter(|q| new.contains(&q.question.id));
        Ok(GeneratedDto {
            questions: questions.map(QuestionDto::of).collect(),
            tried: made.tried as u32,
            refused: made.refused.iter().map(|(fault, n)| (fault.as_str().to_owned(), *n as u32)).collect(),
            model: made.model,
        })
    })
}

pub(crate) fn quality_run(
    call: &Call<'_>,
    request: QualityRunRequest,
    lines: Lines<'_>,
) -> Result<EvaluationRun, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    let options = super::search::with_settings(&request.options, std::slice::from_ref(&library))?;
    let search = super::search_request("check", 10, &options)?;
    let cases: Vec<Case> = if request.questions.is_empty() {
        library.questions()?.iter().map(|q| Case::from(&q.question)).collect()
    } else {
        let case = |question: &FileQuestion| from_file(call, name, &library, question, request.keep);
        request.questions.iter().map(case).collect::<Result<_, _>>()?
    };
    if cases.is_empty() {
        return Err(Problem::bad_request(format!("the library {name} has no questions to ask"))
            .hint("make some with `carrel eval generate`, or give a file of your own"));
    }
    working(call, "evaluation", name, &library, lines, |told| {
        let mut progress = |done: usize, total: usize| told(done, total, "asking");
        let run = quality::run(
            &library,
            &cases,
            &quality::How { request: &search, settings: settings(&options), gate: true },
            &*call.app.models,
            &mut progress,
            call.cancel,
        )?;
        library.keep_run(&run)?;
        Ok(EvaluationRun::of(run, name, true))
    })
}

pub(crate) fn quality_runs(call: &Call<'_>, request: LibraryScope) -> Result<RunList, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    Ok(RunList { runs: library.runs()?.into_iter().map(|run| EvaluationRun::of(run, name, false)).collect() })
}

pub(crate) fn quality_show(call: &Call<'_>, request: RunRef) -> Result<EvaluationRun, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    Ok(EvaluationRun::of(library.run(run_id(&library, &request.id)?)?, name, true))
}

pub(crate) fn quality_forget(call: &Call<'_>, request: RunRef) -> Result<Empty, Problem> {
    let (_, library) = library(call, request.library.as_ref())?;
    library.remove_run(run_id(&library, &request.id)?)?;
    Ok(Empty {})
}

pub(crate) fn quality_compare(call: &Call<'_>, request: RunPair) -> Result<ComparisonDto, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    let first = library.run(run_id(&library, &request.first)?)?;
    let second = library.run(run_id(&library, &request.second)?)?;
    Ok(ComparisonDto::of(first, second, name))
}

pub(crate) fn quality_estimate(call: &Call<'_>, request: TuneRequest) -> Result<TuneEstimate, Problem> {
    let (_, library) = library(call, request.library.as_ref())?;
    measure::estimate(call.app, &library, &request, call.cancel)
}

pub(crate) fn quality_tune(
    call: &Call<'_>,
    request: TuneRequest,
    lines: Lines<'_>,
) -> Result<TuneDto, Problem> {
    let (name, library) = library(call, request.library.as_ref())?;
    working(call, "tuning", name, &library, lines, |told| {
        let tuned = measure::tune(call.app, &library, &request, told, call.cancel)?;
        library.set_note(TUNED, &tuned)?;
        Ok(tuned)
    })
}

pub(crate) fn quality_tuned(call: &Call<'_>, request: LibraryScope) -> Result<Tuned, Problem> {
    let (_, library) = library(call, request.library.as_ref())?;
    Ok(Tuned { last: library.note(TUNED)? })
}

/// Does a work as a job, one of its kind for a library at a time.
fn working<T>(
    call: &Call<'_>,
    kind: &str,
    name: &str,
    library: &Arc<Library>,
    lines: Lines<'_>,
    work: impl FnOnce(&mut dyn FnMut(usize, usize, &str)) -> Result<T, Problem>,
) -> Result<T, Problem> {
    if call.app.jobs.is_running(kind, name) {
        return Err(Problem::bad_request("this is being done already").hint("wait for it, or stop it"));
    }
    let job = call.app.begin_job(kind, name, Some(library.id()), call.cancel)?;
    let mut last: Option<Instant> = None;
    let result = work(&mut |done, total, note| {
        job.progress(done as u64, total as u64);
        if done < total && last.is_some_and(|t| t.elapsed() < PACE) {
            return;
        }
        last = Some(Instant::now());
        call.app.events.changed(carrel_engine::seams::Tag::Jobs, None);
        lines(QualityEvent::Progress { done: done as u32, total: total as u32, note: note.to_owned() });
    });
    job.end(result)
}

/// What a run is kept with, besides the settings of the library.
pub(crate) fn settings(options: &RetrievalOptions) -> BTreeMap<String, String> {
    let legs = if options.legs.is_empty() { "lexical,dense".to_owned() } else { options.legs.join(",") };
    let mut settings = BTreeMap::from([
        ("legs".to_owned(), legs),
        ("fusion".to_owned(), options.fusion.clone().unwrap_or_else(|| "auto".to_owned())),
        ("multi_hop".to_owned(), options.multi_hop.to_string()),
        ("exact".to_owned(), options.exact.to_string()),
    ]);
    settings.extend(options.min_score.map(|least| ("min_score".to_owned(), least.to_string())));
    if !options.filters.is_empty() {
        settings.insert("filters".to_owned(), options.filters.join(" "));
    }
    settings
}

fn question(library: &Library, text: &str, right: Vec<Right>) -> Result<Question, Problem> {
    let text = text.trim();
    // Refuses what no search would take.
    super::search_request(text, 1, &RetrievalOptions::default())?;
    Ok(Question {
        id: QuestionId::random(),
        text: text.to_owned(),
        kind: QuestionKind::Written,
        answer: None,
        right,
        created: library.now(),
    })
}

fn written(library: &Library, id: QuestionId) -> Result<QuestionDto, Problem> {
    let found = library.questions()?.into_iter().find(|q| q.question.id == id);
    found.map(QuestionDto::of).ok_or_else(|| Problem::not_found("question", &id.to_string()))
}

/// A place that somebody marked, as the ledger keeps it.
fn marked(
    call: &Call<'_>,
    name: &str,
    library: &Arc<Library>,
    right: &MarkedRight,
) -> Result<Right, Problem> {
    let (_, _, document) = call.app.find_document(&right.document, Some(name))?;
    let whole =
        Right { document: document.id, title: document.title, version: 0, span: None, quote: String::new() };
    let quote = right.quote.as_deref().map(str::trim).filter(|quote| !quote.is_empty());
    let span = match (right.start, right.end) {
        (Some(start), Some(end)) if start < end => Some(Span::new(start as usize, end as usize)),
        (None, None) => None,
        _ => return Err(Problem::bad_request("a span has a start and an end behind it")),
    };
    if span.is_none() && quote.is_none() {
        return Ok(whole);
    }
    let text = library.version_text(document.id, None)?;
    let not_there = || {
        let shown = quote.map_or_else(|| "the span".to_owned(), |quote| format!("“{quote}”"));
        Problem::bad_request(format!("{shown} does not stand in {}", whole.title))
    };
    let span = match (span, quote) {
        (_, Some(quote)) => quality::find(&text.markdown, span.unwrap_or_default(), quote),
        (span, None) => span,
    };
    let span = span.ok_or_else(not_there)?;
    let quote = span.of(&text.markdown).ok_or_else(not_there)?.to_owned();
    Ok(Right { version: text.version.number, span: Some(span), quote, ..whole })
}

/// A question of a file. What it names and the library does not hold is told by the run; it is not kept.
fn from_file(
    call: &Call<'_>,
    name: &str,
    library: &Arc<Library>,
    asked: &FileQuestion,
    keep: bool,
) -> Result<Case, Problem> {
    let mut wanted: Vec<MarkedRight> = asked
        .documents
        .iter()
        .map(|document| MarkedRight { document: document.clone(), ..MarkedRight::default() })
        .collect();
    wanted.extend(asked.document.iter().map(|document| MarkedRight {
        document: document.clone(),
        quote: asked.quote.clone(),
        ..MarkedRight::default()
    }));
    if wanted.is_empty() {
        return Err(Problem::bad_request(format!(
            "“{}” names no document that answers it: give \"document\" with a \"quote\", or \"documents\"",
            asked.question
        )));
    }
    let mut right = Vec::new();
    for one in &wanted {
        right.push(match marked(call, name, library, one) {
            Ok(known) => CaseRight::Known(known),
            Err(problem) if problem.code == "not_found" || is_not_there(&problem) => lost(call, name, one)
                .map_or_else(|| CaseRight::Unknown(one.document.clone()), CaseRight::Known),
            Err(problem) => return Err(problem),
        });
    }
    let known: Vec<Right> = right
        .iter()
        .filter_map(|r| if let CaseRight::Known(right) = r { Some(right.clone()) } else { None })
        .collect();
    let question = question(library, &asked.question, known)?;
    let whole = right.iter().all(|r| matches!(r, CaseRight::Known(_)));
    let id = (keep && whole).then_some(question.id);
    let text = question.text.clone();
    if id.is_some() && !library.questions()?.iter().any(|known| known.question.text == text) {
        library.add_question(&question)?;
    }
    Ok(Case { id, text, right })
}

/// Whether the words that were named are not in the document.
fn is_not_there(problem: &Problem) -> bool {
    problem.code == "bad_request" && problem.message.contains("does not stand in")
}

/// A document that is there, without the words that were named: they are looked for in vain when the question is asked.
fn lost(call: &Call<'_>, name: &str, wanted: &MarkedRight) -> Option<Right> {
    let (_, _, document) = call.app.find_document(&wanted.document, Some(name)).ok()?;
    let id: DocumentId = document.id;
    let quote = wanted.quote.clone().unwrap_or_default();
    Some(Right { document: id, title: document.title, version: 0, span: Some(Span::default()), quote })
}

/// A run by its id or the end of it, or `last` and `previous`.
fn run_id(library: &Library, word: &str) -> Result<RunId, Problem> {
    if let Ok(id) = word.parse() {
        return Ok(id);
    }
    let runs = library.runs()?;
    let found: Vec<RunId> = match word {
        "last" => runs.iter().rev().take(1).map(|run| run.id).collect(),
        "previous" => runs.iter().rev().skip(1).take(1).map(|run| run.id).collect(),
        ending => runs.iter().map(|run| run.id).filter(|id| id.to_string().ends_with(ending)).collect(),
    };
    match found.as_slice() {
        [one] => Ok(*one),
        _ => Err(Problem::not_found("run", word)),
    }
}
