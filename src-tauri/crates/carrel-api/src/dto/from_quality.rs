//! Questions and runs of the engine as they cross the border.

use super::{
    ChangedQuestion, ComparisonDto, DifferenceDto, EvaluationRun, QuestionDto, QuestionResultDto,
    QuestionRight, ShownRight,
};
use carrel_engine::domain::{DocumentId, Span};
use carrel_engine::evaluate::{Difference, Verdict};
use carrel_engine::quality::{Place, QuestionKind, QuestionResult, QuestionStatus, Run, Side, compare};

/// The metric by which two runs are judged in a sentence.
pub(crate) const CHIEF: &str = "ndcg@10";

impl ShownRight {
    fn of(document: DocumentId, title: String, span: Option<Span>) -> Self {
        Self {
            document: document.to_string(),
            title,
            start: span.map(|span| span.start as u64),
            end: span.map(|span| span.end as u64),
        }
    }
}

impl QuestionDto {
    pub(crate) fn of(status: QuestionStatus) -> Self {
        let question = status.question;
        let right = question.right.into_iter().zip(status.places).map(|(right, place)| {
            let (span, state) = match place {
                Place::Here(span) => (span, "here"),
                Place::NotConverted => (None, "not_converted"),
                Place::Gone => (None, "gone"),
            };
            QuestionRight {
                place: ShownRight::of(right.document, right.title, span),
                quote: right.quote,
                state: state.to_owned(),
            }
        });
        Self {
            id: question.id.to_string(),
            text: question.text,
            kind: match question.kind {
                QuestionKind::Generated => "generated",
                QuestionKind::Made => "made",
                QuestionKind::Written => "written",
            }
            .to_owned(),
            answer: question.answer,
            right: right.collect(),
            created: question.created.to_string(),
        }
    }
}

impl QuestionResultDto {
    fn of(result: QuestionResult) -> Self {
        let rank = |rank: Option<usize>| rank.map(|rank| rank as u32);
        let right = result.right.into_iter().map(|r| ShownRight::of(r.document, r.title, r.span));
        Self {
            id: result.question.map(|id| id.to_string()),
            text: result.text,
            outcome: result.outcome.as_str().to_owned(),
            rank: rank(result.rank),
            lexical: rank(result.lexical),
            dense: rank(result.dense),
            metrics: result.metrics,
            ms: result.ms,
            right: right.collect(),
        }
    }
}

impl EvaluationRun {
    /// `whole`: with its questions.
    pub(crate) fn of(run: Run, library: &str, whole: bool) -> Self {
        let outcomes = run.outcomes().into_iter().map(|(outcome, n)| (outcome.as_str().to_owned(), n as u32));
        Self {
            id: run.id.to_string(),
            library: library.to_owned(),
            created: run.created.to_string(),
            documents: run.documents as u32,
            passages: run.passages as u32,
            questions: run.results.len() as u32,
            outcomes: outcomes.collect(),
            query_ms: run.query_ms(),
            settings: run.settings,
            metrics: run.metrics,
            results: if whole {
                run.results.into_iter().map(QuestionResultDto::of).collect()
            } else {
                Vec::new()
            },
        }
    }
}

impl DifferenceDto {
    pub(crate) fn of(side: &Side) -> Self {
        let Difference { mean, low, high, p, .. } = side.difference;
        Self {
            metric: side.metric.clone(),
            first: side.first,
            second: side.second,
            difference: mean,
            low,
            high,
            p,
            verdict: match side.difference.verdict() {
                Verdict::Better => "better",
                Verdict::Worse => "worse",
                Verdict::Chance => "chance",
                Verdict::Same => "same",
                Verdict::TooFew => "too_few",
            }
            .to_owned(),
        }
    }

    /// Whether the difference is real, in one English sentence.
    pub(crate) fn sentence(&self) -> String {
        let by = format!("{:+.3} nDCG@10, between {:+.3} and {:+.3}", self.difference, self.low, self.high);
        match self.verdict.as_str() {
            "better" => format!("The second is really better ({by}; p = {:.3}).", self.p),
            "worse" => format!("The second is really worse ({by}; p = {:.3}).", self.p),
            "same" => "Both answer every question alike.".to_owned(),
            "too_few" => "Too few questions to say: ten are needed that both asked.".to_owned(),
            _ => format!("The difference may well be chance ({by}; p = {:.2}).", self.p),
        }
    }
}

impl ComparisonDto {
    pub(crate) fn of(first: Run, second: Run, library: &str) -> Self {
        let sides = compare(&first, &second);
        let metrics: Vec<DifferenceDto> = sides.iter().map(DifferenceDto::of).collect();
        let chief = metrics.iter().find(|difference| difference.metric == CHIEF);
        let mut changed: Vec<ChangedQuestion> = first
            .results
            .iter()
            .filter_map(|a| Some((a, second.results.iter().find(|b| b.text == a.text)?)))
            .filter(|(a, b)| a.rank != b.rank)
            .map(|(a, b)| ChangedQuestion {
                text: a.text.clone(),
                first: a.rank.map(|rank| rank as u32),
                second: b.rank.map(|rank| rank as u32),
            })
            .collect();
        let worth = |rank: Option<u32>| rank.map_or(0.0, |rank| 1.0 / f64::from(rank));
        changed.sort_by(|a, b| {
            let change = |c: &ChangedQuestion| (worth(c.first) - worth(c.second)).abs();
            change(b).total_cmp(&change(a))
        });
        Self {
            questions: sides.iter().map(|side| side.difference.questions).max().unwrap_or(0) as u32,
            verdict: chief.map(DifferenceDto::sentence).unwrap_or_default(),
            metrics,
            changed,
            first: EvaluationRun::of(first, library, false),
            second: EvaluationRun::of(second, library, false),
        }
    }
}
