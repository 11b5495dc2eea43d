//! Sources that contradict each other about what was asked.
//!
//! Two sentences of different documents that say nearly the same words, and other numbers, dates or names, or one of which denies what the
//! other affirms. Decides by code, and rather misses one than takes two things for one: where both name things that the other does not, or
//! speak of different times, they do not contradict each other. Refuses to judge which is true: it says which one is preferred, and why.

use super::facts::{Date, Facts, Number, dates, denies, people, without_dates};
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
/// Characters at the beginning of a text that may tell its date, and of a line there that is no running text.
const BEGINNING: usize = 300;
const LINE: usize = 80;

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
    /// The date of the document: what its title, name or beginning says, or else when its file was changed (`2026-03-12`).
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

/// A clause of a sentence that speaks of what is asked.
struct Statement<'h> {
    hit: &'h Hit,
    /// The sentence in the version's Markdown, and its text.
    span: Span,
    text: &'h str,
    terms: HashSet<String>,
    numbers: Vec<Number>,
    dates: Vec<Date>,
    /// The dates of the sentence, which say when its clauses hold.
    when: Vec<Date>,
    names: Vec<String>,
    /// The names of the sentence.
    whose: Vec<String>,
    denies: bool,
}

/// What the documents themselves tell beside the hits.
pub(super) struct Known<'k> {
    /// The user's rank of a hit's source, lower is better.
    pub(super) rank: &'k dyn Fn(&Hit) -> Option<usize>,
    /// How the text of a hit's document begins.
    pub(super) beginning: &'k dyn Fn(&Hit) -> String,
}

/// Contradictions among the hits of a question.
pub(super) fn find(question: &str, hits: &[Hit], known: &Known<'_>) -> Vec<Conflict> {
    let asked = asked(question);
    if asked.is_empty() {
        return Vec::new();
    }
    let statements: Vec<Statement<'_>> =
        hits.iter().take(LOOKED_AT).flat_map(|hit| statements(hit, &asked, question)).collect();
    let mut conflicts: Vec<Conflict> = Vec::new();
    for (at, one) in statements.iter().enumerate() {
        for other in &statements[at + 1..] {
            let is_same =
                one.hit.library == other.hit.library && one.hit.document.id == other.hit.document.id;
            if is_same && one.hit.passage.version == other.hit.passage.version {
                continue;
            }
            let Some(difference) = difference(one, other) else { continue };
            // Of two documents one contradiction is enough to look at them.
            let is_shown = conflicts.iter().any(|shown| {
                shown
                    .sides
                    .iter()
                    .all(|side| [one.hit.document.id, other.hit.document.id].contains(&side.hit.document.id))
            });
            if !is_shown && conflicts.len() < SHOWN {
                conflicts.push(conflict(difference, one, other, known));
            }
        }
    }
    conflicts
}

fn statements<'h>(hit: &'h Hit, asked: &Asked, question: &str) -> Vec<Statement<'h>> {
    let text = hit.passage.text.as_str();
    let headings = hit.passage.heading_path.iter().map(String::as_str);
    let about: Vec<&str> = [hit.document.title.as_str()].into_iter().chain(headings).collect();
    let in_question = fold_key(question);
    let mut found = Vec::new();
    for span in sentences(text) {
        let sentence = &text[span.start..span.end];
        let speaks_of_it = asked.share_in(&[&[sentence], about.as_slice()].concat()) >= ON_QUESTION;
        if sentence.starts_with('#') || !speaks_of_it {
            continue;
        }
        let of = |text: &str| -> Vec<String> {
            people(text).into_iter().filter(|name| !in_question.contains(name.as_str())).collect()
        };
        let (when, whose, named) = (stated(sentence).1, of(sentence), people(sentence));
        for clause in clauses(sentence) {
            let terms = terms(clause, &named);
            if terms.is_empty() {
                continue;
            }
            let (numbers, dates) = stated(clause);
            found.push(Statement {
                hit,
                span: Span::new(hit.passage.span.start + span.start, hit.passage.span.start + span.end),
                text: sentence,
                terms,
                numbers,
                dates,
                when: when.clone(),
                // What begins a clause has a capital only where it is a name.
                names: whose
                    .iter()
                    .filter(|name| fold_key(clause).contains(name.as_str()))
                    .cloned()
                    .collect(),
                whose: whose.clone(),
                denies: denies(clause),
            });
        }
    }
    found
}

/// Parts of a sentence between commas and the like.
fn clauses(sentence: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = sentence.split(['，', '；', '：', ';']).collect();
    for sign in [", ", ": "] {
        parts = parts.into_iter().flat_map(|part| part.split(sign)).collect();
    }
    parts
}

/// Numbers and dates; a number that can only be a year is a date.
fn stated(text: &str) -> (Vec<Number>, Vec<Date>) {
    let Facts { numbers, mut dates } = Facts::of(text);
    let is_year = |number: &Number| {
        number.unit.is_none() && number.value.fract() == 0.0 && (1900.0..2100.0).contains(&number.value)
    };
    let (years, numbers): (Vec<Number>, Vec<Number>) = numbers.into_iter().partition(is_year);
    dates.extend(years.iter().map(|year| Date { year: Some(year.value as u16), ..Date::default() }));
    (numbers, dates)
}

/// Words that are no numbers, dates or names of the sentence.
fn terms(text: &str, names: &[String]) -> HashSet<String> {
    let text = without_dates(text);
    let mut found = HashSet::new();
    tokens(&text, &mut |token| {
        let written = fold_key(&text[token.span.start..token.span.end]);
        let is_word = matches!(token.kind, TokenKind::Word | TokenKind::Pair | TokenKind::Joined);
        let is_numeral =
            written.chars().any(|c| c.is_ascii_digit() || "零〇一二两三四五六七八九十百千万".contains(c));
        let is_name = names
            .iter()
            .any(|name| *name == written || written.chars().count() > 1 && name.contains(&written));
        if is_word && !is_numeral && !is_name {
            found.insert(token.term.to_owned());
        }
    });
    found
}

fn difference(one: &Statement<'_>, other: &Statement<'_>) -> Option<Difference> {
    let common = one.terms.intersection(&other.terms).count();
    let (shorter, longer) = (one.terms.len().min(other.terms.len()), one.terms.len().max(other.terms.len()));
    if common < COMMON || speak_of_others(one, other) {
        return None;
    }
    let alike = common as f32 / shorter as f32;
    let nearly_same = common as f32 / longer as f32;
    if alike < ALIKE {
        return None;
    }
    let of_others = exclusive(&one.whose, &other.whose) && exclusive(&other.whose, &one.whose);
    let names_differ = exclusive(&one.names, &other.names) && exclusive(&other.names, &one.names);
    let at_other_times = apart(&one.when, &other.when);
    let numbers_differ = numbers_differ(one, other, alike);
    if numbers_differ {
        // Of different times, or of different things.
        return (!at_other_times && !of_others).then_some(Difference::Number);
    }
    if apart(&one.dates, &other.dates) {
        return (!of_others).then_some(Difference::Date);
    }
    if names_differ {
        return (nearly_same >= ALIKE && common > COMMON && !at_other_times).then_some(Difference::Name);
    }
    let is_denied = one.denies != other.denies && nearly_same >= ALIKE && !at_other_times && !of_others;
    is_denied.then_some(Difference::Denial)
}

/// Whether both tell dates, and none of them can be one of the other's.
fn apart(a: &[Date], b: &[Date]) -> bool {
    !a.is_empty() && !b.is_empty() && !a.iter().any(|a| b.iter().any(|b| a.agrees_with(*b)))
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
fn numbers_differ(one: &Statement<'_>, other: &Statement<'_>, alike: f32) -> bool {
    let (a, b) = (&one.numbers, &other.numbers);
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
    known: &Known<'_>,
) -> Conflict {
    let dated = [one, other].map(|statement| Dated::of(statement.hit, &(known.beginning)(statement.hit)));
    let ranks = [one, other].map(|statement| (known.rank)(statement.hit).unwrap_or(usize::MAX));
    let (second_first, preferred) = match dated[0].compared(&dated[1]) {
        Some(std::cmp::Ordering::Greater) => (false, Some(Preferred::Later)),
        Some(std::cmp::Ordering::Less) => (true, Some(Preferred::Later)),
        _ if ranks[0] != ranks[1] => (ranks[1] < ranks[0], Some(Preferred::Rank)),
        _ => (false, None),
    };
    let likely = match (preferred, kind(one.hit) == kind(other.hit)) {
        (Some(Preferred::Later), _) => Likely::Age,
        (_, false) => Likely::Kind,
        _ => Likely::Unknown,
    };
    let side = |statement: &Statement<'_>, dated: &Dated| Side {
        hit: statement.hit.clone(),
        quote: statement.text.to_owned(),
        quote_start: statement.span.start,
        quote_end: statement.span.end,
        date: dated.date.map(|date| date.to_string()),
    };
    let (first, second) = (side(one, &dated[0]), side(other, &dated[1]));
    let sides = if second_first { [second, first] } else { [first, second] };
    Conflict { difference, sides, likely, preferred }
}

/// The date of a document.
struct Dated {
    date: Option<Date>,
    /// It says so itself; else it is that of its file, which may have been copied at any time.
    is_told: bool,
}

impl Dated {
    fn of(hit: &Hit, beginning: &str) -> Self {
        let name = String::from_utf8_lossy(&hit.document.path);
        let name = name.rsplit('/').next().unwrap_or_default();
        let beginning = &beginning[..beginning.floor_char_boundary(BEGINNING)];
        let lead: Vec<&str> = beginning.lines().filter(|line| line.chars().count() < LINE).collect();
        let first = |text: &str| dates(text).into_iter().find(|date| date.year.is_some());
        let year = |text: &str| stated(text).1.into_iter().find(|date| date.year.is_some());
        let told = [hit.document.title.as_str(), name, &lead.join("\n")]
            .into_iter()
            .find_map(first)
            .or_else(|| year(&hit.document.title))
            .or_else(|| year(name));
        let of_file = || dates(hit.document.modified?.to_string().get(..10)?).first().copied();
        Self { is_told: told.is_some(), date: told.or_else(of_file) }
    }

    /// Which is later, where both are known in the same way.
    fn compared(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let (own, others) = (self.date?.order()?, other.date?.order()?);
        (self.is_told == other.is_told).then(|| own.cmp(&others))
    }
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
