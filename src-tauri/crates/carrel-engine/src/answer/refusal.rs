//! Recognising that a model says it does not know.

use crate::text::fold_key;

/// How such an answer begins.
const BEGINNINGS: &[&str] = &[
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i cannot answer",
    "i can't answer",
    "i am unable to",
    "i'm unable to",
    "there is no information",
    "no information",
    "not in the documents",
    "我不知道",
    "不知道",
    "无法回答",
    "我无法",
    "没有相关",
];

/// What such an answer is about …
const DOCUMENTS: &[&str] = &[
    "document",
    "documents",
    "text",
    "texts",
    "passage",
    "passages",
    "context",
    "文档",
    "资料",
    "文中",
    "原文",
];
/// … and what it says of them.
const LACK: &[&str] = &[
    "do not",
    "does not",
    "don't",
    "doesn't",
    "is not",
    "are not",
    "isn't",
    "aren't",
    "cannot",
    "no information",
    "没有",
    "未提",
    "不包含",
    "未包含",
];
/// Of what is lacking.
const MATTER: &[&str] = &[
    "answer",
    "contain",
    "information",
    "mention",
    "provide",
    "provided",
    "say",
    "specify",
    "specified",
    "state",
    "stated",
    "答案",
    "信息",
    "提到",
    "提及",
    "说明",
    "包含",
];

/// Whether a sentence says that the model does not know.
pub(super) fn begins_as_one(sentence: &str) -> bool {
    let folded = folded(sentence);
    BEGINNINGS.iter().any(|beginning| folded.starts_with(beginning))
}

fn folded(text: &str) -> String {
    fold_key(text.trim().trim_start_matches(['"', '“', '*']))
}

/// Whether an answer is the model's word that it has none. Only its first sentence is looked at.
pub(super) fn is_refusal(text: &str) -> bool {
    let folded = folded(text);
    let end = folded.find(['.', '!', '。', '！']).unwrap_or(folded.len());
    let first = &folded[..end];
    let any = |words: &[&str]| words.iter().any(|w| first.contains(w));
    BEGINNINGS.iter().any(|b| first.starts_with(b)) || any(DOCUMENTS) && any(LACK) && any(MATTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_in_both_languages() {
        for text in [
            "I don't know.",
            "I don’t know",
            "\"I do not know\"",
            "The answer to the question “How tall?” is not provided in the document.",
            "The documents do not mention it. They speak of bread.",
            "我不知道。",
            "文檔中沒有這個信息。",
            "文中未提到押金。",
        ] {
            assert!(is_refusal(text), "{text}");
        }
        for text in
            ["The tower is in Paris.", "The document was signed by Ines.", "不包含税费的价格是 90 元。"]
        {
            assert!(!is_refusal(text), "{text}");
        }
    }
}
