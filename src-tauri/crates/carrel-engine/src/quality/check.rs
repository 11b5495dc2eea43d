//! Whether a question can be answered by its passage, and by hardly any other.
//!
//! By words alone, so that it can be explained, and so that no model judges its own work. A question that passes may still read
//! badly; one that does not is never kept. A word counts as said where any of its stems stands: a text is stemmed by the language that
//! it is in, and a question is too short to tell its own. Invariant: whether a search finds the passage plays no part, or the set would
//! be made of what is found anyway.

use crate::text::{TokenKind, WordLanguage, analyze_query, tokens_in};
use std::collections::HashSet;

/// What is wrong with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// There is none, or it is no question, or as long as a paragraph.
    NoQuestion,
    /// It asks about the passage as a text ("What does the passage say?").
    AboutTheText,
    /// It names nothing that is rare in the library.
    Vague,
    /// It is about something that the passage does not speak of.
    NotOfThePassage,
    /// It is a sentence of the passage.
    Copied,
    /// The answer is missing, or its words do not stand in the passage.
    NotAnswered,
    /// The question says the answer.
    SaysItsAnswer,
    /// Several other passages answer it as well.
    AnsweredElsewhere,
    /// The set has it already.
    Twice,
}

impl Fault {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoQuestion => "no_question",
            Self::AboutTheText => "about_the_text",
            Self::Vague => "vague",
            Self::NotOfThePassage => "not_of_the_passage",
            Self::Copied => "copied",
            Self::NotAnswered => "not_answered",
            Self::SaysItsAnswer => "says_its_answer",
            Self::AnsweredElsewhere => "answered_elsewhere",
            Self::Twice => "twice",
        }
    }
}

/// Bytes of a question.
const LENGTH: std::ops::RangeInclusive<usize> = 9..=240;
/// Share of an answer's content that must stand in the passage.
const ANSWERED: f32 = 0.8;
/// Share of a question's content that its passage, with title and headings, must speak of.
const OF_THE_PASSAGE: f32 = 0.65;
/// A question that shares this share of itself with the passage, in one run, is a copy …
const COPIED: f32 = 0.75;
/// … and one that shares so many words or characters in one run too.
const RUN: (usize, usize) = (8, 16);

/// Words by which a question points at the text that its reader does not see.
const POINTING: &[&str] = &[
    "passage",
    "the text",
    "this text",
    "the document",
    "this document",
    "the author",
    "the article",
    "paragraph",
    "excerpt",
    "mentioned",
    "above",
    "following",
    "the question",
    "the answer",
    "本文",
    "文中",
    "上文",
    "该文",
    "这段",
    "这篇",
    "本段",
    "段落",
    "文章",
    "作者",
    "上述",
    "以下",
    "该文档",
    "本文档",
    "这个问题",
];

/// What a text says: its content terms and numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    terms: HashSet<String>,
    order: Order,
    /// By which its words are stemmed.
    language: WordLanguage,
}

/// Words, and characters of unspaced scripts, in order.
#[derive(Clone, Debug, Default)]
struct Order {
    words: Vec<String>,
    unspaced: bool,
}

/// What a question or an answer says.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// Each content term as any of the languages has it.
    pub(super) terms: Vec<Vec<String>>,
}

impl Order {
    /// Of a text whose words are stemmed as those of `language`. Tells each term to `told`.
    fn of(text: &str, language: WordLanguage, told: &mut dyn FnMut(&str, TokenKind)) -> Self {
        let mut order = Self::default();
        let mut position = None;
        tokens_in(language, text, &mut |token| {
            told(token.term, token.kind);
            order.unspaced |= token.kind == TokenKind::Unit;
            if token.kind != TokenKind::Pair && position != Some(token.position) {
                position = Some(token.position);
                order.words.push(token.term.to_owned());
            }
        });
        order
    }
}

impl Asked {
    /// Content terms as a search in a library with these languages weighs them, without words that only ask.
    pub(super) fn of(text: &str, languages: &[WordLanguage]) -> Self {
        let content = analyze_query(text, false, languages).content;
        Self { terms: content.into_iter().map(|term| term.forms).collect() }
    }

    /// Whether this says all that `other` says.
    fn says_all_of(&self, other: &Self) -> bool {
        let said = |forms: &Vec<String>| self.terms.iter().any(|own| own.iter().any(|f| forms.contains(f)));
        other.terms.iter().all(said)
    }
}

/// Whether a term is or holds a number.
pub(super) fn is_number(forms: &[String]) -> bool {
    forms.iter().any(|form| form.chars().any(|c| c.is_ascii_digit()))
}

impl Content {
    pub(super) fn of(text: &str) -> Self {
        let language = WordLanguage::of(text);
        let mut terms = HashSet::new();
        let order = Order::of(text, language, &mut |term, kind| {
            if matches!(kind, TokenKind::Word | TokenKind::Part | TokenKind::Pair | TokenKind::Code) {
                terms.insert(term.to_owned());
            }
        });
        Self { terms, order, language }
    }

    /// Whether a term stands in this text, in any of its forms.
    pub(super) fn holds(&self, forms: &[String]) -> bool {
        forms.iter().any(|form| self.terms.contains(form))
    }

    /// Share of `asked` that stands in this, each term weighing what `weight` says. One where it says nothing.
    pub(super) fn share(&self, asked: &Asked, weight: &dyn Fn(&[String]) -> f32) -> f32 {
        let all: f32 = asked.terms.iter().map(|forms| weight(forms)).sum();
        let held: f32 = asked.terms.iter().filter(|f| self.holds(f)).map(|forms| weight(forms)).sum();
        if all > 0.0 { held / all } else { 1.0 }
    }

    /// Whether an answer stands in this text: most of its content, and every number.
    fn answers(&self, answer: &Asked) -> bool {
        self.has_numbers_of(answer) && self.share(answer, &|_| 1.0) >= ANSWERED
    }

    fn has_numbers_of(&self, asked: &Asked) -> bool {
        asked.terms.iter().filter(|forms| is_number(forms)).all(|forms| self.holds(forms))
    }
}

/// A question against the passage that it was made of.
pub(super) struct Check<'a> {
    pub(super) question: &'a str,
    pub(super) answer: &'a str,
    /// Of the library that is asked.
    pub(super) languages: &'a [WordLanguage],
    /// Text of the passage, for people.
    pub(super) passage: &'a Content,
    /// What the answer stands in, with title and headings.
    pub(super) about: &'a Content,
    /// What a term says, given by its forms: rare ones weigh more.
    pub(super) weight: &'a dyn Fn(&[String]) -> f32,
    /// Whether a term is rare in the library.
    pub(super) is_rare: &'a dyn Fn(&[String]) -> bool,
}

impl Check<'_> {
    /// All but whether others answer it.
    pub(super) fn fault(&self) -> Option<Fault> {
        let question = Asked::of(self.question, self.languages);
        let lower = self.question.to_lowercase();
        let is_question = self.question.ends_with(['?', '？'])
            && LENGTH.contains(&self.question.len())
            && !self.question.contains('\n');
        if !is_question || question.terms.is_empty() {
            return Some(Fault::NoQuestion);
        }
        if POINTING.iter().any(|word| lower.contains(word)) {
            return Some(Fault::AboutTheText);
        }
        if !question.terms.iter().any(|forms| self.about.holds(forms) && (self.is_rare)(forms)) {
            return Some(Fault::Vague);
        }
        let of_the_passage = self.about.share(&question, self.weight) >= OF_THE_PASSAGE;
        if !of_the_passage || !self.about.has_numbers_of(&question) {
            return Some(Fault::NotOfThePassage);
        }
        // The same words are the same stems only in one language.
        let asked = Order::of(self.question, self.passage.language, &mut |_, _| ());
        let run = longest_run(&asked.words, &self.passage.order.words);
        let most = if asked.unspaced { RUN.1 } else { RUN.0 };
        if run > most || run as f32 > COPIED * asked.words.len() as f32 && run > most / 2 {
            return Some(Fault::Copied);
        }
        let answer = Asked::of(self.answer, self.languages);
        if answer.terms.is_empty() || !self.passage.answers(&answer) {
            return Some(Fault::NotAnswered);
        }
        question.says_all_of(&answer).then_some(Fault::SaysItsAnswer)
    }
}

/// Words in the longest run that two texts share.
fn longest_run(a: &[String], b: &[String]) -> usize {
    let mut best = 0;
    let mut before = vec![0; b.len() + 1];
    for word in a {
        let mut now = vec![0; b.len() + 1];
        for (at, other) in b.iter().enumerate() {
            if word == other {
                now[at + 1] = before[at] + 1;
                best = best.max(now[at + 1]);
            }
        }
        before = now;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str = "The lease of the flat in the Lindenstraße may be ended with a notice period of ninety days. \
        Dogs are welcome, and the garage costs 45 euros a month.";

    fn fault(question: &str, answer: &str) -> Option<Fault> {
        let passage = Content::of(PASSAGE);
        Check {
            question,
            answer,
            languages: &[],
            passage: &passage,
            about: &passage,
            weight: &|_| 1.0,
            is_rare: &|forms| !["flat", "month"].contains(&forms[0].as_str()),
        }
        .fault()
    }

    #[test]
    fn a_question_that_its_passage_answers_passes() {
        assert_eq!(fault("How long is the notice period of the lease?", "ninety days"), None);
        assert_eq!(fault("How much does the garage cost?", "45 euros a month"), None);
    }

    #[test]
    fn each_fault_is_named() {
        for (question, answer, expected) in [
            ("The notice period", "ninety days", Fault::NoQuestion),
            ("", "", Fault::NoQuestion),
            ("What does the passage say about the garage?", "45 euros", Fault::AboutTheText),
            ("What about the flat each month?", "45 euros", Fault::Vague),
            ("Is the garage heated by solar panels or district heating?", "45 euros", Fault::NotOfThePassage),
            ("How much does the garage cost in 2019?", "45 euros a month", Fault::NotOfThePassage),
            (
                "May the lease of the flat in the Lindenstraße may be ended with a notice period?",
                "ninety days",
                Fault::Copied,
            ),
            ("How much does the garage cost?", "60 euros", Fault::NotAnswered),
            ("How much does the garage cost?", "", Fault::NotAnswered),
            ("Are dogs welcome?", "Dogs are welcome", Fault::SaysItsAnswer),
        ] {
            assert_eq!(fault(question, answer), Some(expected), "{question}");
        }
    }

    #[test]
    fn chinese_is_checked_by_characters() {
        let passage = Content::of("打开菜单后选择频道列表，可以添加新的频道。默认有十二个频道，密码是4711。");
        let check = |question: &str, answer: &str| {
            Check {
                question,
                answer,
                languages: &[],
                passage: &passage,
                about: &passage,
                weight: &|_| 1.0,
                is_rare: &|_| true,
            }
            .fault()
        };
        assert_eq!(check("频道的密码是多少？", "4711"), None);
        assert_eq!(check("频道的密码是多少？", "0815"), Some(Fault::NotAnswered));
        assert_eq!(check("文中的频道密码是多少？", "4711"), Some(Fault::AboutTheText));
        assert_eq!(check("打开菜单后选择频道列表，可以添加新的频道吗？", "4711"), Some(Fault::Copied));
    }

    #[test]
    fn a_word_is_said_in_whatever_language_it_is_stemmed() {
        const GERMAN: &str = "Die Mieten der Häuser sind bis zum dritten Werktag zu zahlen, und für die Garagen werden jeweils \
            45 Euro berechnet, wenn nicht etwas anderes in den Verträgen steht.";
        const FRENCH: &str = "Les loyers des maisons sont payables avant le troisième jour ouvrable, et les locataires des garages \
            versent 45 euros par mois, sauf si les contrats disent autre chose pour eux.";
        let languages = [WordLanguage::German, WordLanguage::French];
        for (text, language, good, answer, copied) in [
            (
                GERMAN,
                WordLanguage::German,
                "Wie ist die Miete eines Hauses zu zahlen?",
                "bis zum dritten Werktag zu zahlen",
                "Die Mieten der Häuser sind bis zum dritten Werktag zu zahlen?",
            ),
            (
                FRENCH,
                WordLanguage::French,
                "Le loyer de la maison est payable quel jour ?",
                "payables avant le troisième jour ouvrable",
                "Les loyers des maisons sont payables avant le troisième jour ouvrable ?",
            ),
        ] {
            let passage = Content::of(text);
            assert_eq!(passage.language, language);
            let fault = |question: &str, answer: &str| {
                let (about, weight, is_rare) = (&passage, &|_: &[String]| 1.0, &|_: &[String]| true);
                let passage = &passage;
                Check { question, answer, languages: &languages, passage, about, weight, is_rare }.fault()
            };
            assert_eq!(fault(good, answer), None, "{good}");
            assert_eq!(fault(copied, answer), Some(Fault::Copied), "{copied}");
            assert_eq!(fault(good, "60 euros"), Some(Fault::NotAnswered));
            assert_eq!(fault("Who painted the ceiling of the chapel?", answer), Some(Fault::Vague));
        }
    }
}
