//! Questions made by code, where no language model speaks the passage's language: from definitions, names and headings.
//!
//! They are plainer than a person's, and nearer to the words of the passage, so that search by words looks better on them than
//! it is: they are marked as made.

use super::places::find;
use crate::domain::Span;
use crate::prompt::Language;
use crate::text::{name_key, names, sentences};

/// A question with the part of the passage that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) question: String,
    /// Within the passage's text.
    pub(super) span: Span,
}

/// A passage as a question is made of it.
pub(super) struct Source<'a> {
    pub(super) language: Language,
    pub(super) title: &'a str,
    pub(super) headings: &'a [String],
    /// Its Markdown.
    pub(super) text: &'a str,
}

/// Characters of what is asked about.
const SUBJECT: std::ops::RangeInclusive<usize> = 3..=48;
/// The same in Chinese.
const SUBJECT_ZH: std::ops::RangeInclusive<usize> = 2..=14;
/// Words that stand for something said before.
pub(super) const POINTING: &[&str] = &[
    "it", "this", "that", "these", "those", "he", "she", "they", "there", "we", "you", "i", "here", "what",
    "which", "who", "one", "such",
];

/// Questions of a passage, the best first.
pub(super) fn questions(source: &Source<'_>) -> Vec<Made> {
    let mut made = Vec::new();
    for span in sentences(source.text) {
        let Some(sentence) = span.of(source.text) else { continue };
        if let Some(subject) = defined(sentence, source.language) {
            let question = match source.language {
                Language::English if is_plural(sentence, subject) => format!("What are {}?", inside(subject)),
                Language::English => format!("What is {}?", inside(subject)),
                Language::Chinese => format!("什么是{subject}？"),
            };
            made.push(Made { question, span });
        }
    }
    let title = source.title.trim();
    for span in sentences(source.text) {
        let Some(sentence) = span.of(source.text) else { continue };
        for name in names(sentence).into_iter().filter(|name| name.len() > 3) {
            let Some(place) = find(sentence, Span::default(), &name) else { continue };
            let as_written = place.of(sentence).unwrap_or(&name).replace('\n', " ");
            let is_heading = source.headings.iter().any(|heading| name_key(heading) == name);
            if is_heading
                || title.to_lowercase().contains(&name)
                || as_written.chars().all(|c| c.is_ascii_digit())
            {
                continue;
            }
            let question = match source.language {
                Language::English => format!("What is said about {as_written} in {title}?"),
                Language::Chinese => format!("《{title}》中关于{as_written}是怎么说的？"),
            };
            made.push(Made { question, span });
        }
    }
    if let Some(heading) = source.headings.last().map(|h| h.trim()).filter(|h| *h != title && !h.is_empty()) {
        let question = match source.language {
            Language::English => format!("What does {title} say about {heading}?"),
            Language::Chinese => format!("《{title}》中关于“{heading}”是怎么说的？"),
        };
        made.push(Made { question, span: Span::new(0, source.text.len()) });
    }
    made
}

/// What a sentence defines: "X is a …", "X是…".
fn defined(sentence: &str, language: Language) -> Option<&str> {
    match language {
        Language::English => {
            let (subject, _) =
                [" is a ", " is an ", " is the ", " are the ", " means ", " was a ", " was an "]
                    .iter()
                    .find_map(|verb| sentence.split_once(verb))?;
            let subject = subject.trim().trim_matches(['*', '_', '`', '"', '-', ' ']);
            let first = subject.split_whitespace().next()?.to_lowercase();
            let plain = SUBJECT.contains(&subject.chars().count())
                && subject.split_whitespace().count() <= 6
                && !subject.contains([',', ':', ';', '.', '\n', '#', '|', '(', '“']);
            (plain && !POINTING.contains(&first.as_str())).then_some(subject)
        }
        Language::Chinese => {
            let (subject, rest) = sentence.split_once('是')?;
            let subject = subject.trim().trim_start_matches(['-', '*', ' ', '#']);
            let plain = SUBJECT_ZH.contains(&subject.chars().count())
                && rest.chars().count() >= 6
                && !subject
                    .contains(|c: char| c.is_ascii_punctuation() || "，。：；、！？“”（）".contains(c))
                && ![
                    "这", "那", "它", "他", "她", "我", "你", "就", "但", "如果", "不", "也", "都", "只",
                    "还", "又",
                ]
                .iter()
                .any(|word| subject.starts_with(word) || subject.ends_with(word));
            plain.then_some(subject)
        }
    }
}

/// A subject in the middle of a sentence: its article is small.
fn inside(subject: &str) -> String {
    for article in ["A ", "An ", "The "] {
        if let Some(rest) = subject.strip_prefix(article) {
            return format!("{}{rest}", article.to_lowercase());
        }
    }
    subject.to_owned()
}

fn is_plural(sentence: &str, subject: &str) -> bool {
    sentence
        .split_once(subject)
        .is_some_and(|(_, rest)| rest.trim_start_matches(['*', '_', '`', '"']).starts_with(" are "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: Language, title: &str, headings: &[&str], text: &str) -> Vec<String> {
        let headings: Vec<String> = headings.iter().map(|h| (*h).to_owned()).collect();
        let made = questions(&Source { language, title, headings: &headings, text });
        assert!(made.iter().all(|m| m.span.of(text).is_some()));
        made.into_iter().map(|m| m.question).collect()
    }

    #[test]
    fn definitions_come_before_names_and_names_before_headings() {
        let made = of(
            Language::English,
            "Baking",
            &["Baking", "Sourdough"],
            "It is a long story. A levain is a mixture of flour and water. Anna Keller brought it from Basel.",
        );
        assert_eq!(
            made,
            [
                "What is a levain?",
                "What is said about Anna Keller in Baking?",
                "What is said about Basel in Baking?",
                "What does Baking say about Sourdough?"
            ]
        );
    }

    #[test]
    fn chinese_is_asked_in_chinese() {
        let made = of(
            Language::Chinese,
            "电视手册",
            &["频道"],
            "频道列表是保存所有电视频道的菜单。请看《快速指南》。",
        );
        assert_eq!(made[0], "什么是频道列表？");
        assert!(made.contains(&"《电视手册》中关于快速指南是怎么说的？".to_owned()), "{made:?}");
        assert_eq!(made.last().unwrap(), "《电视手册》中关于“频道”是怎么说的？");
    }

    #[test]
    fn nothing_to_ask_gives_nothing() {
        assert!(of(Language::English, "Notes", &["Notes"], "it was so, and that was that.").is_empty());
    }
}
