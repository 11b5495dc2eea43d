//! Whether a question calls for other wordings, seen from its form and from what the first search found.

use crate::text::{analyze_query, fold_key};

/// What a question needs a transform for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a need of its own")]
pub(in crate::retrieve) struct QuestionNeeds {
    /// A word of its content stands nowhere in the libraries.
    pub(in crate::retrieve) missing: bool,
    /// Nothing found is near in meaning.
    pub(in crate::retrieve) far: bool,
    /// It asks for several things, or for something of something of something.
    pub(in crate::retrieve) parts: bool,
    /// It is a question, where documents hold statements.
    pub(in crate::retrieve) asks: bool,
}

impl QuestionNeeds {
    /// Of the question's form.
    pub(in crate::retrieve) fn of(question: &str) -> Self {
        Self { parts: has_parts(question), asks: asks(question), ..Self::default() }
    }
}

const ASKING: &[&str] = &[
    "who", "whose", "whom", "what", "when", "where", "which", "why", "how", "is", "are", "was", "were", "do",
    "does", "did", "can", "could", "should", "has", "have", "will",
];
const ASKING_CHINESE: &[&str] =
    &["什么", "怎么", "怎样", "如何", "为何", "哪", "谁", "多少", "几", "吗", "是否", "多久", "多长", "多大"];
const COMPARING: &[&str] =
    &["compare", "compared", "difference", "differences", "versus", "vs", "both", "respectively"];
const COMPARING_CHINESE: &[&str] = &["对比", "相比", "比较", "区别", "差别", "不同", "分别", "以及"];
const POINTING: &[&str] = &[
    "it", "its", "he", "him", "his", "she", "her", "they", "them", "their", "this", "that", "these", "those",
    "there", "one", "ones", "former", "latter", "same",
];
const POINTING_CHINESE: &[&str] = &["它", "他", "她", "其", "这", "那", "该", "此", "呢"];
const GOING_ON: &[&str] = &["and", "but", "also", "so", "then", "or"];

fn words(question: &str) -> Vec<String> {
    let folded = fold_key(question);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn asks(question: &str) -> bool {
    let ends = question.trim_end().ends_with(['?', '？']);
    let begins = words(question).first().is_some_and(|first| ASKING.contains(&first.as_str()));
    ends || begins || ASKING_CHINESE.iter().any(|word| question.contains(word))
}

fn has_parts(question: &str) -> bool {
    let marks = question.chars().filter(|c| matches!(c, '?' | '？')).count();
    let words = words(question);
    let compares = words.iter().any(|word| COMPARING.contains(&word.as_str()))
        || COMPARING_CHINESE.iter().any(|word| question.contains(word));
    let chain = words.iter().filter(|word| *word == "of").count() + question.matches(['’', '\'']).count()
        >= 2
        || question.matches('的').count() >= 2;
    let joined = words.windows(2).any(|pair| pair[0] == "and" && ASKING.contains(&pair[1].as_str()));
    marks >= 2 || asks(question) && (compares || chain || joined)
}

/// Whether a question in a chat cannot be understood without what was said before.
pub(super) fn points_back(question: &str) -> bool {
    let words = words(question);
    analyze_query(question, false, &[]).content.len() <= 2
        || words.first().is_some_and(|first| GOING_ON.contains(&first.as_str()))
        || words.iter().take(2).any(|word| word == "about")
        || words.iter().any(|word| POINTING.contains(&word.as_str()))
        || POINTING_CHINESE.iter().any(|word| question.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_question_says_what_it_calls_for() {
        for question in [
            "Who is the mother of the director of the film Polish-Russian War?",
            "What is the difference between the two leases?",
            "When was it built and who painted it?",
            "What is the rent? When is it due?",
            "这部电影的导演的母亲是谁？",
            "两份合同有什么区别？",
        ] {
            assert!(has_parts(question), "{question}");
        }
        for question in [
            "How long is the notice period?",
            "notice period of the flat",
            "退租的通知期是多久？",
            "both bolts",
        ] {
            assert!(!has_parts(question), "{question}");
        }
        assert!(asks("how tall is the tower") && asks("退租通知期多久") && asks("Ready?"));
        assert!(!asks("notice period flat") && !asks("Vitamin D prevents rickets."));
    }

    #[test]
    fn a_question_that_points_back_is_told_from_one_that_stands_alone() {
        for question in
            ["And how tall?", "When was it finished?", "那它有多高？", "what about the garage next door?"]
        {
            assert!(points_back(question), "{question}");
        }
        for question in
            ["How long is the notice period of the flat in Lindenstraße?", "退租通知期限由房东决定吗？"]
        {
            assert!(!points_back(question), "{question}");
        }
    }
}
