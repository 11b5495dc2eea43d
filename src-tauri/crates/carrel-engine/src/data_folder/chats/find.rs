//! Finding chats by words of their titles, questions and answers.

use super::all;
use crate::data_folder::{DataFolder, FoundChat};
use crate::error::Result;
use crate::text::fold_key;
use std::collections::HashMap;

/// Characters of an excerpt before its first word, and in all.
const BEFORE: usize = 30;
const LENGTH: usize = 120;

/// What a chat has of the words that are looked for.
#[derive(Default)]
struct Has {
    words: Vec<bool>,
    /// How many of them its best turn has, with that turn's text.
    best: Option<(usize, String)>,
}

impl DataFolder {
    /// Chats that hold each of these words somewhere, in the order of [`DataFolder::chats`]. Case, diacritics and Chinese script make
    /// no difference; without words, all of them.
    pub fn find_chats(&self, words: &str) -> Result<Vec<FoundChat>> {
        let words: Vec<String> = words.split_whitespace().map(fold_key).collect();
        self.with(|conn| {
            let chats = all(conn)?;
            if words.is_empty() {
                return Ok(chats.into_iter().map(|(_, chat)| FoundChat { chat, excerpt: None }).collect());
            }
            let mut has: HashMap<i64, Has> = HashMap::new();
            let mut statement =
                conn.prepare_cached("SELECT chat, question, said FROM turn ORDER BY chat, number")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let has = has.entry(row.get(0)?).or_default();
                let text = format!("{}\n{}", row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
                let count = has.mark(&fold_key(&text), &words);
                if count > has.best.as_ref().map_or(0, |(best, _)| *best) {
                    has.best = Some((count, text));
                }
            }
            let found = chats.into_iter().filter_map(|(row, chat)| {
                let mut has = has.remove(&row).unwrap_or_default();
                has.mark(&fold_key(&chat.title), &words);
                has.words.iter().all(|has| *has).then(|| {
                    let excerpt = has.best.map(|(_, text)| excerpt(&text, &words));
                    FoundChat { chat, excerpt }
                })
            });
            Ok(found.collect())
        })
    }
}

impl Has {
    /// Notes which words stand in a text, and says how many.
    fn mark(&mut self, folded: &str, words: &[String]) -> usize {
        self.words.resize(words.len(), false);
        let mut count = 0;
        for (has, word) in self.words.iter_mut().zip(words) {
            if folded.contains(word.as_str()) {
                *has = true;
                count += 1;
            }
        }
        count
    }
}

/// A line of a text around the first of the words that stands in it.
fn excerpt(text: &str, words: &[String]) -> String {
    let line: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    // Where in the line each byte of its folded form comes from.
    let (mut folded, mut from) = (String::new(), Vec::new());
    for (at, c) in line.iter().enumerate() {
        folded.push_str(&fold_key(c.encode_utf8(&mut [0; 4])));
        from.resize(folded.len(), at);
    }
    let first = words.iter().filter_map(|word| folded.find(word.as_str())).min();
    let first = first.and_then(|byte| from.get(byte)).copied().unwrap_or(0);
    let mut start = first.saturating_sub(BEFORE);
    if start > 0 {
        // Words stay whole, where there are spaces.
        start += line[start..first].iter().position(|c| *c == ' ').map_or(0, |space| space + 1);
    }
    let end = (start + LENGTH).min(line.len());
    let cut: String = line[start..end].iter().collect();
    let (open, close) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    format!("{open}{}{close}", cut.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_a_line_around_the_first_word() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(fold_key).collect() };
        let text = "When is the deposit returned?\nThe landlord returns it within thirty days of the end of the tenancy, \
                    less what is owed for damage, and pays interest at the legal rate.";
        assert!(excerpt(text, &words("deposit")).starts_with("When is the deposit returned? The landlord"));
        let late = excerpt(text, &words("INTEREST"));
        assert!(late.starts_with('…') && late.contains("pays interest at"), "{late}");
        assert!(excerpt("頻道設定在哪裏？", &words("频道")).contains("頻道設定"));
        assert_eq!(excerpt("", &words("x")), "");
    }
}
