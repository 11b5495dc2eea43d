//! What a question asks for, piece by piece: words that a text must hold, or something that stands for them, to answer it.
//!
//! Words of asking ("how many", 什么时候) and words that every text puts its own way ("keep", "come", 告诉) are no such pieces.

use super::attributes::{self, Attribute};
use crate::text::{AnalyzedQuery, TokenKind, chinese_content, fold_key, is_unspaced, tokens};
use std::collections::HashSet;

/// English words of asking, and those for which texts have many others.
const LIGHT: &[&str] = &[
    "many",
    "much",
    "long",
    "often",
    "far",
    "may",
    "might",
    "must",
    "can",
    "called",
    "give",
    "gives",
    "given",
    "gave",
    "get",
    "gets",
    "got",
    "go",
    "goes",
    "went",
    "come",
    "comes",
    "came",
    "take",
    "takes",
    "took",
    "taken",
    "make",
    "makes",
    "made",
    "keep",
    "keeps",
    "kept",
    "put",
    "let",
    "use",
    "used",
    "uses",
    "need",
    "needs",
    "needed",
    "want",
    "happen",
    "happened",
    "right",
    "correct",
    "exactly",
    "kind",
    "document",
    "documents",
    "file",
    "files",
    "say",
    "says",
    "said",
    "according",
    "allowed",
    "possible",
    "find",
    "know",
    "mean",
    "means",
    "one",
    "first",
    "next",
];

/// Chinese words of asking in which an attribute seems to be asked for.
const ASKING_CHINESE: &[&str] = &["多长时间", "什么时候", "什么时间", "多久"];
/// The same as [`LIGHT`] in Chinese, longest first.
const LIGHT_CHINESE: &[&str] = &[
    "星期几",
    "哪一年",
    "哪一天",
    "几分钟",
    "几小时",
    "几点钟",
    "为什么",
    "时候",
    "几次",
    "几天",
    "几年",
    "几月",
    "几点",
    "几个",
    "几号",
    "哪所",
    "举行",
    "进行",
    "告诉",
    "需要",
    "应该",
    "必须",
    "根据",
    "文档",
    "资料",
    "里面",
    "其中",
    "几",
    "要",
];

/// A piece of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// A word, by its forms in the index.
    Word { forms: Vec<String>, attribute: Option<Attribute> },
    /// A run of an unspaced script, folded, as characters.
    Run { units: Vec<char>, attribute: Option<Attribute> },
}

/// The pieces of a question.
pub(super) fn pieces(question: &str, query: &AnalyzedQuery) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut written: Vec<(String, String)> = Vec::new();
    tokens(question, &mut |token| {
        if matches!(token.kind, TokenKind::Word | TokenKind::Code | TokenKind::Joined | TokenKind::Part) {
            written.push((token.term.to_owned(), fold_key(&question[token.span.start..token.span.end])));
        }
    });
    for term in &query.content {
        let Some(first) = term.forms.first() else { continue };
        if first.chars().any(is_unspaced) {
            continue;
        }
        let word = written.iter().find(|(known, _)| known == first).map(|(_, word)| word.as_str());
        let word = word.unwrap_or(first);
        if !LIGHT.contains(&word) {
            let attribute = attributes::of_word(word.trim_end_matches("'s"));
            pieces.push(Piece::Word { forms: term.forms.clone(), attribute });
        }
    }
    pieces.extend(runs(question));
    pieces
}

/// Runs of unspaced scripts without the words of asking in them.
fn runs(question: &str) -> Vec<Piece> {
    let folded = fold_key(question);
    let mut pieces = Vec::new();
    let mut asked: HashSet<Attribute> = HashSet::new();
    for run in folded.split(|c: char| !is_unspaced(c)).filter(|run| !run.is_empty()) {
        let mut run = run.to_owned();
        for asking in ASKING_CHINESE {
            run = run.replace(asking, " ");
        }
        // An attribute that is asked for is a piece of its own.
        for (attribute, word) in attributes::unspaced() {
            if run.contains(word) && asked.insert(attribute) {
                pieces.push(Piece::Run { units: word.chars().collect(), attribute: Some(attribute) });
                run = run.replace(word, " ");
            }
        }
        for light in LIGHT_CHINESE {
            run = without(&run, light);
        }
        for part in run.split(' ') {
            let units: Vec<char> = part.chars().collect();
            let written: Vec<String> = units.iter().map(char::to_string).collect();
            let content = chinese_content(&written.iter().map(String::as_str).collect::<Vec<_>>());
            for content in split_content(&units, &content) {
                pieces.push(Piece::Run { units: content, attribute: None });
            }
        }
    }
    pieces
}

/// A text with a word taken out; a character that is a part of other words stays in those.
fn without(run: &str, light: &str) -> String {
    if light != "要" {
        return run.replace(light, " ");
    }
    let chars: Vec<char> = run.chars().collect();
    let is_part = |at: usize| {
        at.checked_sub(1).and_then(|at| chars.get(at)).is_some_and(|c| "重主纪摘概需".contains(*c))
            || chars.get(at + 1).is_some_and(|c| "求点素件".contains(*c))
    };
    chars.iter().enumerate().map(|(at, &c)| if c == '要' && !is_part(at) { ' ' } else { c }).collect()
}

fn split_content(units: &[char], content: &[bool]) -> Vec<Vec<char>> {
    let mut parts: Vec<Vec<char>> = vec![Vec::new()];
    for (unit, is_content) in units.iter().zip(content) {
        match (is_content, parts.last_mut()) {
            (true, Some(part)) => part.push(*unit),
            _ => parts.push(Vec::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyze_query;

    fn asked(question: &str) -> Vec<String> {
        pieces(question, &analyze_query(question, false, &[]))
            .into_iter()
            .map(|piece| match piece {
                Piece::Word { forms, .. } => forms[0].clone(),
                Piece::Run { units, .. } => units.into_iter().collect(),
            })
            .collect()
    }

    #[test]
    fn words_of_asking_are_no_pieces() {
        assert_eq!(asked("How many weekly backups are kept?"), ["week", "backup"]);
        assert_eq!(asked("May I keep a dog in the flat?"), ["dog", "flat"]);
        assert_eq!(asked("空调什么时候清洗？"), ["空调", "清洗"]);
        assert_eq!(asked("退租要提前多久告诉房东？"), ["退租", "提前", "房东"]);
        assert_eq!(asked("王建国的身高是多少？"), ["身高", "王建国"]);
        assert_eq!(asked("茶叶蛋要小火煮多长时间？"), ["茶叶蛋", "小火煮"]);
        assert_eq!(asked("会议纪要里有什么要求？")[0], "会议纪要里有");
    }
}
