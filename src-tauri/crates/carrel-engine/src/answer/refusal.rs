//! Recognising that a model says it does not know.

use crate::text::fold_key;

const BEGINNINGS: &[&str] = &[
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i cannot answer",
    "i can't answer",
    "i am unable to",
    "i'm unable to",
    "the documents do not",
    "the documents don't",
    "the provided documents do not",
    "the document does not",
    "there is no information",
    "no information",
    "not in the documents",
    "我不知道",
    "不知道",
    "无法回答",
    "我无法",
    "文档中没有",
    "文档没有",
    "资料中没有",
    "没有相关",
];

/// Whether an answer is the model's word that it has none.
pub(super) fn is_refusal(text: &str) -> bool {
    let folded = fold_key(text.trim().trim_start_matches(['"', '“', '*']));
    BEGINNINGS.iter().any(|b| folded.starts_with(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_in_both_languages() {
        for text in
            ["I don't know.", "I don’t know", "\"I do not know\"", "我不知道。", "文檔中沒有這個信息。"]
        {
            assert!(is_refusal(text), "{text}");
        }
        assert!(!is_refusal("The tower is in Paris."));
    }
}
