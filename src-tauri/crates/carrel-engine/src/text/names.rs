//! Names in a text, by their capitals: people, places, works, organisations in scripts that have capitals, and titles in Chinese
//! quotation marks. No dictionary and no model: what is none is found nowhere, and costs only a look.

use crate::text::fold_key;
use std::collections::HashSet;

/// Small words that stand inside names.
const JOINING: &[&str] = &[
    "of", "the", "de", "del", "della", "da", "di", "du", "des", "la", "le", "les", "von", "van", "der",
    "den", "zu", "al", "bin", "ibn", "y", "e", "and", "in", "on", "for", "to", "a",
];
/// Words of a name at most.
const WORDS: usize = 8;

/// Names of `text` in the order of their first place, each once, in the form that [`name_key`] gives.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    let mut take = |name: &str| {
        let key = name_key(name);
        if key.chars().count() > 1 && known.insert(key.clone()) {
            found.push(key);
        }
    };
    for (opening, closing) in [('《', '》'), ('“', '”'), ('"', '"')] {
        for quoted in text.split(opening).skip(1).filter_map(|rest| rest.split_once(closing)) {
            if quoted.0.chars().count() <= 60 {
                take(quoted.0);
            }
        }
    }
    for clause in text.split(|c: char| {
        matches!(c, ',' | ';' | ':' | '(' | ')' | '"' | '“' | '”' | '\n' | '!' | '?' | '|' | '*' | '#')
    }) {
        let mut run: Vec<&str> = Vec::new();
        for word in clause.split_whitespace() {
            let ends = word.ends_with('.') && word.chars().filter(|c| c.is_alphabetic()).count() > 2;
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
            if is_capital(bare) {
                run.push(bare);
            } else if run.is_empty() || !JOINING.contains(&bare) {
                end_run(&mut run, &mut take);
            } else {
                run.push(bare);
            }
            if ends {
                end_run(&mut run, &mut take);
            }
        }
        end_run(&mut run, &mut take);
    }
    found
}

/// Names as they are compared: folded, without what stands in brackets, words apart by one space.
pub(crate) fn name_key(name: &str) -> String {
    let plain = name.split(['(', '（']).next().unwrap_or_default();
    let folded = fold_key(plain);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_capital(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
        && word.chars().any(char::is_alphabetic)
        || (word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()))
}

/// Gives the run, and where small words join it also its parts.
fn end_run(run: &mut Vec<&str>, take: &mut impl FnMut(&str)) {
    while run.last().is_some_and(|word| JOINING.contains(word)) {
        run.pop();
    }
    let is_name = run.iter().any(|word| word.chars().next().is_some_and(char::is_uppercase));
    if is_name && run.len() <= WORDS {
        take(&run.join(" "));
    }
    if run.iter().any(|word| JOINING.contains(word)) {
        for part in run.split(|word| JOINING.contains(word)).filter(|part| !part.is_empty()) {
            if part.iter().any(|word| word.chars().next().is_some_and(char::is_uppercase)) {
                take(&part.join(" "));
            }
        }
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_capitals() {
        let text = "Polish-Russian War (Wojna polsko-ruska) is a 2009 film directed by Xawery Żuławski, after a novel of Dorota Masłowska.";
        let found = names(text);
        for name in ["polish russian war", "xawery żuławski", "dorota masłowska"] {
            assert!(found.iter().any(|f| *f == name_key(name)), "{name}: {found:?}");
        }
        let found = names("He was a son of Lothair II of Lotharingia and Bertha.");
        assert!(
            found.contains(&"lothair ii".to_owned()) && found.contains(&"bertha".to_owned()),
            "{found:?}"
        );
        assert_eq!(names("鲁迅写了《阿Q正传》。"), [name_key("阿Q正传")]);
        assert!(names("nothing here, and nothing there.").is_empty());
    }

    #[test]
    fn titles_are_compared_without_what_tells_them_apart() {
        assert_eq!(name_key("Theodred II (Bishop of Elmham)"), "theodred ii");
        assert_eq!(name_key("  Spider-Man:  Homecoming "), "spider man homecoming");
    }
}
