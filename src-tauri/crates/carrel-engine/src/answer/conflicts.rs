//! Sources that contradict each other about what was asked.
//!
//! Two sentences of different documents that say nearly the same words, and other numbers, dates or names, or one of which denies what the
//! other affirms. Decides by code, and rather misses one than takes two things for one: where both name things that the other does not, or
//! speak of different times, they do not contradict each other. Refuses to judge which is true: it says which one is preferred, and why.

use super::facts::{Date, Facts, dates, denies, people};
use super::gate::{Asked, asked};
use crate::domain::Span;
use crate::retrieve::Hit;
use crate::text::{TokenKind, fold_key, sentences, tokens};
use std::collections::HashSet;

/// Hits that are compared.
const LOOKED_AT: usize = 10;
/// Conflicts shown.
const SHOWN: usize = 4;
/// Share of what is asked that a sentence with its headings must speak of.
const ON_QUESTION: f32 = 0.6;
/// Share of the words of the shorter sentence that two have in common: where units or dates tell what is compared, and where they do not.
const ALIKE: f32 = 0.6;
const NEARLY_SAME: f32 = 0.8;
/// Words that they have in common at least.
const COMMON: usize = 2;
/// Characters at the beginning of a text that may tell its date.
const BEGINNING: usize = 300;

/// What two sources tell differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A number.
    Number,
    /// A date.
    Date,
    /// A name.
    Name,
    /// One denies what the other affirms.
    Denial,
}

/// Why two sources may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likely {
    /// One is older.
    Age,
    /// They are documents of different kinds.
    Kind,
    /// Nothing tells.
    Unknown,
}

/// Why one side is preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preferred {
    /// Its document is dated later.
    Later,
    /// The user ranks its source higher.
    Rank,
}

/// One side of a conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Where it was found.
    pub hit: Hit,
    /// Its words.
    pub quote: String,
    /// First byte of the quote in the version's Markdown.
    pub quote_start: usize,
    /// One past its last byte.
    pub quote_end: usize,
    /// The date of the document: what its name, title or beginning says, or else when its file was changed (`2026-03-12`).
    pub date: Option<String>,
}

/// Two sources that contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// What they tell differently.
    pub difference: Difference,
    /// Both; the preferred one first.
    pub sides: [Side; 2],
    /// Why they may differ.
    pub likely: Likely,
    /// Why the first is preferred; `None` where nothing speaks for either.
    pub preferred: Option<Preferred>,
}

/// A sentence that speaks of what is asked.
struct Statement<'h> {
    hit: &'h Hit,
    span: Span,
    text: &'h str,
    terms: HashSet<String>,
    facts: Facts,
    names: Vec<String>,
    denies: bool,
}

/// Contradictions among the hits of a question. `rank`: the user's rank of a hit's source, lower is better.
pub(super) fn find(question: &str, hits: &[Hit], rank: &dyn Fn(&Hit) -> Option<usize>) -> Vec<Conflict> {
    let asked = asked(question);
    if asked.is_empty() {
        return Vec::new();
    }
    let statements: Vec<Statement<'_>> =
        hits.iter().take(LOOKED_AT).flat_map(|hit| statements(hit, &asked, question)).collect();
    let mut conflicts: Vec<Conflict> = Vec::new();
    let mut seen: HashSet<(Span, Span)> = HashSet::new();
    for (at, one) in statements.iter().enumerate() {
        for other in &statements[at + 1..] {
            let same = one.hit.library == other.hit.library && one.hit.document.id == other.hit.document.id;
            if same && one.hit.passage.version == other.hit.passage.version {
                continue;
            }
            let Some(difference) = difference(one, other) else { continue };
            let is_shown = conflicts.iter().any(|known| {
                known.sides.iter().all(|side| {
                    side.hit.document.id == one.hit.document.id
                        || side.hit.document.id == other.hit.document.id
                })
            });
            if !is_shown && conflicts.len() < SHOWN && seen.insert((one.span, other.span)) {
                conflicts.push(conflict(difference, one, other, rank));
            }
        }
    }
    conflicts
}

fn statements<'h>(hit: &'h Hit, asked: &Asked, question: &str) -> Vec<Statement<'h>> {
    let text = hit.passage.text.as_str();
    let about: Vec<&str> = [hit.document.title.as_str()]
        .into_iter()
        .chain(hit.passage.heading_path.iter().map(String::as_str))
        .collect();
    let in_question = fold_key(question);
    let mut found = Vec::new();
    for span in sentences(text) {
        let sentence = &text[span.start..span.end];
        if sentence.starts_with('#')
            || asked.share_in(&[&[sentence], about.as_slice()].concat()) < ON_QUESTION
        {
            continue;
        }
        found.push(Statement {
            hit,
            span: Span::new(hit.passage.span.start + span.start, hit.passage.span.start + span.end),
            text: sentence,
            terms: terms(sentence),
            facts: Facts::of(sentence),
            names: people(sentence).into_iter().filter(|name| !in_question.contains(name.as_str())).collect(),
            denies: denies(sentence),
        });
    }
    found
}

/// Words that are no numbers, dates or names.
fn terms(sentence: &str) -> HashSet<String> {
    let names = people(sentence);
    let mut found = HashSet::new();
    tokens(sentence, &mut |token| {
        let written = fold_key(&sentence[token.span.start..token.span.end]);
        let is_word = matches!(token.kind, TokenKind::Word | TokenKind::Pair | TokenKind::Joined);
        let is_numeral =
            written.chars().any(|c| c.is_ascii_digit() || "零一二两三四五六七八九十百千万年月日".contains(c));
        let is_month = !dates(&sentence[token.span.start..token.span.end]).is_empty();
        if is_word
            && !is_numeral
            && !is_month
            && !names
                .iter()
                .any(|name| *name == written || name.contains(&written) && written.chars().count() > 1)
        {
            found.insert(token.term.to_owned());
        }
    });
    found
}

fn difference(one: &Statement<'_>, other: &Statement<'_>) -> Option<Difference> {
    let common = one.terms.intersection(&other.terms).count();
    let shorter = one.terms.len().min(other.terms.len());
    if common < COMMON || speak_of_others(one, other) {
        return None;
    }
    let alike = common as f32 / shorter as f32;
    let longer = one.terms.len().max(other.terms.len());
    let nearly_same = common as f32 / longer as f32;
    if alike < ALIKE {
        return None;
    }
    let names_differ = exclusive(&one.names, &other.names) && exclusive(&other.names, &one.names);
    let dates_apart = !one.facts.dates.is_empty()
        && !other.facts.dates.is_empty()
        && !one.facts.dates.iter().any(|a| other.facts.dates.iter().any(|b| a.agrees_with(*b)));
    let numbers_apart = numbers_apart(one, other, alike);
    match (numbers_apart, dates_apart, names_differ) {
        // Of different times, or of different things.
        (true, true, _) | (true, _, true) | (_, true, true) => None,
        (true, false, false) => Some(Difference::Number),
        (false, true, false) => Some(Difference::Date),
        (false, false, true) => (nearly_same >= ALIKE && common >= COMMON + 1).then_some(Difference::Name),
        (false, false, false) => {
            (one.denies != other.denies && nearly_same >= ALIKE).then_some(Difference::Denial)
        }
    }
}

/// Whether the titles of both name different things, and neither text speaks of the other's.
fn speak_of_others(one: &Statement<'_>, other: &Statement<'_>) -> bool {
    let names = |statement: &Statement<'_>| people(&format!("x {}", statement.hit.document.title));
    let (a, b) = (names(one), names(other));
    let knows = |statement: &Statement<'_>, names: &[String]| {
        let text = fold_key(&format!("{} {}", statement.hit.document.title, statement.hit.passage.text));
        names.iter().any(|name| text.contains(name.as_str()))
    };
    let share = a.iter().any(|name| b.contains(name));
    !a.is_empty()
        && !b.is_empty()
        && !share
        && !knows(one, &b)
        && !knows(other, &a)
        && a.iter().chain(&b).any(|name| name.chars().any(|c| c.is_ascii_digit()))
}

/// Whether some of `names` are not among the others, and there are any.
fn exclusive(names: &[String], others: &[String]) -> bool {
    !names.is_empty() && names.iter().all(|name| !others.contains(name))
}

/// Whether both measure the same, and find no or another value.
fn numbers_apart(one: &Statement<'_>, other: &Statement<'_>, alike: f32) -> bool {
    let (a, b) = (&one.facts.numbers, &other.facts.numbers);
    let comparable: Vec<(f64, f64)> =
        a.iter().flat_map(|x| b.iter().filter(|y| x.measures_as(y)).map(|y| (x.value, y.value))).collect();
    let same = |x: f64, y: f64| (x - y).abs() <= 1e-9 * x.abs().max(1.0);
    let apart = !comparable.is_empty() && !comparable.iter().any(|(x, y)| same(*x, *y));
    // Without units, or with several of one, only the same list of numbers in nearly the same words can be compared.
    let in_order = alike >= NEARLY_SAME
        && a.len() == b.len()
        && !a.is_empty()
        && a.iter().zip(b).any(|(x, y)| !same(x.value, y.value))
        && a.iter().zip(b).all(|(x, y)| x.unit == y.unit || x.unit.is_none() || y.unit.is_none());
    apart || in_order
}

fn conflict(
    difference: Difference,
    one: &Statement<'_>,
    other: &Statement<'_>,
    rank: &dyn Fn(&Hit) -> Option<usize>,
) -> Conflict {
    let dated = [one, other].map(|statement| date_of(statement.hit));
    let order = dated[0].and_then(Date::order).cmp(&dated[1].and_then(Date::order));
    let known = dated.iter().all(|date| date.and_then(Date::order).is_some());
    let ranks = [one, other].map(|statement| rank(statement.hit).unwrap_or(usize::MAX));
    let (second_first, preferred) = match order {
        std::cmp::Ordering::Greater if known => (false, Some(Preferred::Later)),
        std::cmp::Ordering::Less if known => (true, Some(Preferred::Later)),
        _ if ranks[0] != ranks[1] => (ranks[1] < ranks[0], Some(Preferred::Rank)),
        _ => (false, None),
    };
    let likely = match (preferred, kind(one.hit) == kind(other.hit)) {
        (Some(Preferred::Later), _) => Likely::Age,
        (_, false) => Likely::Kind,
        _ => Likely::Unknown,
    };
    let side = |statement: &Statement<'_>, date: Option<Date>| Side {
        hit: statement.hit.clone(),
        quote: statement.text.to_owned(),
        quote_start: statement.span.start,
        quote_end: statement.span.end,
        date: date.map(|date| date.to_string()),
    };
    let (first, second) = (side(one, dated[0]), side(other, dated[1]));
    let sides = if second_first { [second, first] } else { [first, second] };
    Conflict { difference, sides, likely, preferred }
}

/// What a document says of its own date: in its title, its name, its beginning; else when its file was changed.
fn date_of(hit: &Hit) -> Option<Date> {
    let name = String::from_utf8_lossy(&hit.document.path);
    let name = name.rsplit('/').next().unwrap_or_default();
    // Only the first passage holds the beginning.
    let text = &hit.passage.text;
    let beginning = if hit.passage.ordinal == 0 { &text[..text.floor_char_boundary(BEGINNING)] } else { "" };
    // In the beginning a date of the document stands before a sentence of it.
    let lead: String =
        beginning.lines().filter(|line| line.chars().count() < 80).collect::<Vec<_>>().join("\n");
    let year = |text: &str| {
        text.split(|c: char| !c.is_ascii_digit())
            .find_map(|digits| digits.parse::<u16>().ok().filter(|year| (1900..2100).contains(year)))
            .map(|year| Date { year: Some(year), ..Date::default() })
    };
    let told = |text: &str| {
        dates(text).into_iter().filter(|date| date.year.is_some()).max_by_key(|date| date.order())
    };
    let headings = hit.passage.heading_path.join("\n");
    [hit.document.title.as_str(), name, headings.as_str(), lead.as_str()]
        .into_iter()
        .find_map(told)
        .or_else(|| year(&hit.document.title))
        .or_else(|| year(name))
        .or_else(|| {
            let modified = hit.document.modified?.to_string();
            dates(modified.get(..10)?).first().copied()
        })
}

/// Words that tell the kind of a document.
const KINDS: &[(&str, &[&str])] = &[
    ("agreement", &["agreement", "contract", "lease", "合同", "协议", "租约"]),
    ("message", &["message", "mail", "letter", "邮件", "信"]),
    ("minutes", &["minutes", "meeting", "纪要", "记录"]),
    ("report", &["report", "周报", "报告", "日报"]),
    ("manual", &["manual", "guide", "handbook", "手册", "说明书"]),
    ("rules", &["rules", "policy", "须知", "规定", "规则"]),
    ("notes", &["notes", "draft", "笔记", "草稿"]),
];

fn kind(hit: &Hit) -> (Option<&'static str>, &str) {
    let title = fold_key(&hit.document.title);
    let told =
        KINDS.iter().find(|(_, words)| words.iter().any(|word| title.contains(word))).map(|(kind, _)| *kind);
    (told, if told.is_some() { "" } else { hit.document.media_type.as_str() })
}
