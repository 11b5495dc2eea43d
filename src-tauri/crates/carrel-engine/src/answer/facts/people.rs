//! Names that a sentence states: of people, places, firms, codes.
//!
//! By capitals inside a sentence, and in Chinese by what commonly stands before or after a name. No dictionary: a word that is no name costs
//! nothing where the source has it too.

use crate::text::{fold_key, is_unspaced};

/// Words with capitals that are no names.
const COMMON: &[&str] = &[
    "i",
    "the",
    "a",
    "an",
    "it",
    "he",
    "she",
    "they",
    "we",
    "you",
    "this",
    "that",
    "these",
    "those",
    "in",
    "on",
    "at",
    "by",
    "for",
    "from",
    "to",
    "of",
    "and",
    "but",
    "if",
    "when",
    "after",
    "before",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "yes",
    "no",
    "eur",
    "usd",
    "nm",
    "kg",
    "am",
    "pm",
    "ok",
    "pdf",
    "mr",
    "mrs",
    "ms",
    "dr",
];

/// Surnames in Chinese, which begin a name of two or three characters.
const SURNAMES: &str = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文";
/// What stands right after a name that does something.
const AFTER_NAME: &[&str] = &[
    "负责", "主持", "住", "毕业", "说", "认为", "写", "是", "在", "将", "由", "担任", "表示", "的", "和",
    "与", "、", "，", "。", "：",
];
/// What stands right before one.
const BEFORE_NAME: &[&str] = &["由", "和", "与", "、", "：", "给", "让", "请", "向", "，"];

/// Names in a sentence, folded: each word of one by itself, so that a part of a full name is found in it.
pub(in crate::answer) fn people(sentence: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut first = true;
    for word in sentence.split(|c: char| {
        c.is_whitespace()
            || matches!(c, '|' | '/' | '(' | ')' | '[' | ']' | '"' | '“' | '”' | ',' | ';' | ':' | '—')
    }) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        let begins = first;
        first = word.ends_with(['.', '!', '?']) || word.is_empty() && first;
        let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
        let is_code =
            bare.chars().any(|c| c.is_ascii_digit()) && bare.chars().any(|c| c.is_ascii_uppercase());
        let is_capital = bare.starts_with(|c: char| c.is_uppercase()) && letters > 1;
        // What begins a sentence has a capital whatever it is.
        let is_name = is_code || is_capital && (!begins || bare.chars().skip(1).any(char::is_uppercase));
        let folded = fold_key(bare);
        if is_name
            && !COMMON.contains(&folded.as_str())
            && !folded.chars().any(is_unspaced)
            && !names.contains(&folded)
        {
            names.push(folded);
        }
    }
    for name in chinese(sentence) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn chinese(sentence: &str) -> Vec<String> {
    let folded = fold_key(sentence);
    let chars: Vec<(usize, char)> = folded.char_indices().collect();
    let mut names = Vec::new();
    for (at, &(start, c)) in chars.iter().enumerate() {
        let before = &folded[..start];
        let begins = before.is_empty()
            || before.ends_with(|c: char| !is_unspaced(c))
            || BEFORE_NAME.iter().any(|word| before.ends_with(word));
        if !SURNAMES.contains(c) || !begins {
            continue;
        }
        for length in [3, 2] {
            let Some(name) = chars.get(at..at + length) else { continue };
            let end = chars.get(at + length).map_or(folded.len(), |(end, _)| *end);
            let after = &folded[end..];
            let ends = AFTER_NAME.iter().any(|word| after.starts_with(word));
            if ends && name.iter().all(|(_, c)| is_unspaced(*c)) {
                names.push(name.iter().map(|(_, c)| *c).collect());
                break;
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_both_languages() {
        assert_eq!(
            people("The backup test is done by Li Wei of Kestrel Hosting."),
            ["li", "wei", "kestrel", "hosting"]
        );
        assert_eq!(people("Then the policy is HM-558."), ["hm-558"]);
        assert!(people("The tenant pays in March.").is_empty());
        assert_eq!(people("张敏负责界面设计，赵强负责服务器。"), ["张敏", "赵强"]);
        assert_eq!(people("地点是静安图书馆三楼，由陈雨主持。"), ["陈雨"]);
        assert!(people("服务器的采购晚了三周。").is_empty());
    }
}
