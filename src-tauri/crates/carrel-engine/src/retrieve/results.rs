//! What searches found, kept for the same question and for one that means the same.
//!
//! Refuses what changed: results are kept under the moment of every library asked, and a hit whose file went is no hit. Refuses to take two
//! questions for one that differ in what a vector hardly sees: numbers, codes, names, negations, directions.

use super::cache::HitRate;
use super::{SearchRequest, SearchResponse};
use crate::domain::LibraryId;
use crate::text::{Script, analyze_query};

/// Results kept.
const MOST: usize = 64;
/// Hits of a result that is kept.
const MOST_HITS: usize = 100;
/// Cosine from which two questions may mean the same.
const ALIKE: f32 = 0.98;

/// Everything besides the question on which a result depends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Circumstances {
    /// With its question taken out.
    request: SearchRequest,
    /// Each library with its moment.
    moments: Vec<(LibraryId, u64)>,
    rerankers: Vec<String>,
}

impl Circumstances {
    pub(super) fn new(request: &SearchRequest, moments: Vec<(LibraryId, u64)>, rerankers: &[String]) -> Self {
        let request = SearchRequest { query: String::new(), ..request.clone() };
        Self { request, moments, rerankers: rerankers.to_vec() }
    }
}

struct Entry {
    circumstances: Circumstances,
    question: String,
    pinned: Vec<String>,
    /// Where one was made, of length one.
    vector: Option<Vec<f32>>,
    response: SearchResponse,
}

/// See the module. The last used are kept.
#[derive(Default)]
pub(super) struct Results {
    entries: Vec<Entry>,
    same: HitRate,
    alike: HitRate,
}

impl Results {
    /// What was found for this very question.
    pub(super) fn same(&mut self, circumstances: &Circumstances, question: &str) -> Option<SearchResponse> {
        let question = spaced(question);
        let is_same = |entry: &Entry| entry.question == question && entry.circumstances == *circumstances;
        let at = self.entries.iter().position(is_same);
        self.same.asked += 1;
        self.same.found += u64::from(at.is_some());
        at.map(|at| self.used(at).response.clone())
    }

    /// What was found for a question that means the same, and that question.
    pub(super) fn alike(
        &mut self,
        circumstances: &Circumstances,
        question: &str,
        vector: &[f32],
    ) -> Option<(SearchResponse, String)> {
        let (pinned, vector) = (pinned(question), unit(vector));
        let is_alike = |entry: &Entry| {
            entry.pinned == pinned
                && entry.circumstances == *circumstances
                && entry.vector.as_ref().is_some_and(|other| dot(other, &vector) >= ALIKE)
        };
        let at = self.entries.iter().position(is_alike);
        self.alike.asked += 1;
        self.alike.found += u64::from(at.is_some());
        at.map(|at| {
            let entry = self.used(at);
            (entry.response.clone(), entry.question.clone())
        })
    }

    /// Keeps a result.
    pub(super) fn put(
        &mut self,
        circumstances: Circumstances,
        question: &str,
        vector: Option<&[f32]>,
        response: &SearchResponse,
    ) {
        if response.hits.len() > MOST_HITS {
            return;
        }
        if self.entries.len() >= MOST {
            self.entries.remove(0);
        }
        self.entries.push(Entry {
            circumstances,
            question: spaced(question),
            pinned: pinned(question),
            vector: vector.map(unit),
            response: response.clone(),
        });
    }

    pub(super) fn rates(&self) -> (HitRate, HitRate) {
        (self.same, self.alike)
    }

    fn used(&mut self, at: usize) -> &Entry {
        let last = self.entries.len() - 1;
        self.entries[at..].rotate_left(1);
        &self.entries[last]
    }
}

/// One space between words: that changes no search.
fn spaced(question: &str) -> String {
    question.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    if a.len() == b.len() { a.iter().zip(b).map(|(x, y)| x * y).sum() } else { 0.0 }
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = dot(vector, vector).sqrt();
    vector.iter().map(|x| if length > 0.0 { x / length } else { *x }).collect()
}

/// Words that turn a question round.
const TURNING: &[&str] = &[
    "not", "no", "never", "without", "nor", "none", "neither", "cannot", "except", "unless", "non", "before",
    "after", "more", "less", "most", "least", "highest", "lowest", "max", "min", "maximum", "minimum",
    "first", "last", "above", "below", "over", "under", "from", "to", "by", "with", "between", "increase",
    "decrease", "up", "down", "in", "out", "on", "off",
];
const TURNING_CHINESE: &str = "不没無无非未别勿莫除前后上下多少大小高低增减早晚";

/// What two questions must have in common, in this order, to be taken for one. Vectors of "in 2023" and "in 2024", of "from Paris to
/// London" and the way back, of "with" and "without" are nearly the same; the answers are not. In scripts without capitals and spaces
/// names cannot be seen, so that all content must be the same there.
fn pinned(question: &str) -> Vec<String> {
    let mut pinned = Vec::new();
    let is_unspaced = |c: char| Script::of(c).is_some_and(Script::is_unspaced);
    for part in question.split('"').skip(1).step_by(2) {
        pinned.push(format!("\"{}", part.trim().to_lowercase()));
    }
    for word in question.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase().replace('’', "'");
        let says_something = || !analyze_query(bare, false, &[]).content.is_empty();
        let is_name = bare.chars().any(char::is_uppercase) && says_something();
        let is_code =
            bare.contains(|c: char| c.is_numeric() || matches!(c, '_' | '/' | '\\' | ':' | '@' | '#'));
        if is_name || is_code || lower.ends_with("n't") || TURNING.contains(&lower.as_str()) {
            pinned.push(lower);
        }
        pinned.extend(word.chars().filter(|c| TURNING_CHINESE.contains(*c)).map(String::from));
    }
    if question.contains(is_unspaced) {
        pinned.extend(analyze_query(question, false, &[]).content.into_iter().flat_map(|term| term.forms));
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_vector_hardly_sees_is_compared_by_its_words() {
        for (a, b) in [
            ("What was the revenue in 2023?", "What was the revenue in 2024?"),
            ("trains from Paris to London", "trains from London to Paris"),
            ("trains from paris to london", "trains to paris from london"),
            ("Is the garage included?", "Is the garage not included?"),
            ("Doesn't it hold?", "Does it hold?"),
            ("rent with heating", "rent without heating"),
            ("ISO-27001 controls", "ISO-27002 controls"),
            ("Who is Anna Weber?", "Who is Anna Huber?"),
            ("押金要退还吗？", "押金不退还吗？"),
            ("上海的租金是多少？", "北京的租金是多少？"),
            ("the highest price", "the lowest price"),
            ("\"notice period\" of the flat", "notice period of the flat"),
        ] {
            assert_ne!(pinned(a), pinned(b), "{a} | {b}");
        }
        for (a, b) in [
            ("How long is the notice period?", "how long is the notice period"),
            ("What is the notice period of the flat?", "Which notice period does the flat have?"),
            ("Who is Anna Weber?", "who was Anna Weber"),
            ("押金是多少？", "押金多少？"),
        ] {
            assert_eq!(pinned(a), pinned(b), "{a} | {b}");
        }
    }

    fn circumstances(moment: u64) -> Circumstances {
        let library = "00000000-0000-7000-8000-000000000000".parse().unwrap();
        Circumstances::new(&SearchRequest::new("x"), vec![(library, moment)], &[])
    }

    #[test]
    fn results_are_bounded_and_end_with_their_moment() {
        let mut results = Results::default();
        for n in 0..200 {
            results.put(circumstances(1), &format!("question {n}"), None, &SearchResponse::default());
            assert!(results.same(&circumstances(1), "question  0 ").is_some(), "used all the time: {n}");
        }
        assert!(results.entries.len() <= MOST);
        assert!(results.same(&circumstances(2), "question 0").is_none());
        assert!(results.same(&circumstances(1), "question 1").is_none());
    }

    #[test]
    fn a_question_is_alike_by_its_vector_and_its_words() {
        let mut results = Results::default();
        results.put(circumstances(1), "rent in 2023", Some(&[2.0, 0.0]), &SearchResponse::default());
        assert!(results.alike(&circumstances(1), "the rent in 2023", &[1.0, 0.1]).is_some());
        assert!(results.alike(&circumstances(1), "the rent in 2024", &[1.0, 0.0]).is_none());
        assert!(results.alike(&circumstances(1), "the rent in 2023", &[1.0, 0.5]).is_none());
        assert!(results.alike(&circumstances(2), "the rent in 2023", &[1.0, 0.0]).is_none());
    }
}
