//! Whether a sentence denies what it speaks of.

use crate::text::fold_key;

/// English words of denying. "No" before a noun denies, and so does "without".
const ENGLISH: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nobody",
    "nothing",
    "neither",
    "nor",
    "cannot",
    "without",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "can't",
    "couldn't",
    "shouldn't",
    "mustn't",
    "hasn't",
    "haven't",
    "refused",
    "forbidden",
    "prohibited",
];
/// Chinese ones, and words that only look like them.
const CHINESE: &[&str] = &[
    "不得",
    "不能",
    "不可",
    "不会",
    "不是",
    "不用",
    "不许",
    "不予",
    "不需",
    "不必",
    "不含",
    "没有",
    "并未",
    "尚未",
    "从未",
    "无需",
    "不再",
    "禁止",
    "无法",
    "不支持",
    "不包",
    "未曾",
    "不",
];
const NO_DENIAL: &[&str] = &[
    "不同",
    "不久",
    "不少",
    "不仅",
    "不但",
    "不断",
    "不过",
    "不论",
    "不管",
    "差不多",
    "不错",
    "not only",
    "no later than",
    "no longer than",
    "no more than",
    "no less than",
    "no. ",
];

/// Whether an odd number of words deny: two of them affirm.
pub(in crate::answer) fn denies(text: &str) -> bool {
    let mut folded = fold_key(text);
    for none in NO_DENIAL {
        folded = folded.replace(none, " ");
    }
    let english = folded
        .split(|c: char| !(c.is_ascii_alphabetic() || c == '\''))
        .filter(|word| ENGLISH.contains(word))
        .count();
    let mut chinese = 0;
    for word in CHINESE {
        chinese += folded.matches(word).count();
        folded = folded.replace(word, " ");
    }
    (english + chinese) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denials_in_both_languages() {
        for text in [
            "The tenant is not obliged to paint.",
            "You can't drill here.",
            "Never touch a disc.",
            "不得使用外部云服务。",
            "未提前通知的，押金不予退还。",
            "Dogs are forbidden.",
        ] {
            assert!(denies(text), "{text}");
        }
        for text in [
            "The tenant is obliged to paint.",
            "It is not only cheap.",
            "no later than Monday",
            "这两个不同。",
            "Dogs may be kept.",
            "It is not forbidden.",
        ] {
            assert!(!denies(text), "{text}");
        }
    }
}
