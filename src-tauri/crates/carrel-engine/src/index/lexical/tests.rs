//! What a user relies on when searching by words: on a real index, in memory or on disk.

use super::{LexicalIndex, LexicalQuery, LexicalSnapshot, PassageForIndex, Statistics};
use crate::domain::{ChangeSeq, PassageId};
use crate::text::{ANALYZER, analyze_query};
use std::sync::Arc;

fn put(index: &LexicalIndex, id: i64, text: &str) {
    put_titled(index, id, "", text);
}

fn put_titled(index: &LexicalIndex, id: i64, title: &str, text: &str) {
    let passage = PassageForIndex {
        passage: PassageId(id),
        document_row: id,
        text,
        headings: &[],
        title,
        name: title,
        context: None,
    };
    index.put(passage).unwrap();
}

fn filled(texts: &[&str]) -> LexicalIndex {
    let index = LexicalIndex::in_memory(ANALYZER).unwrap();
    for (id, text) in (1..).zip(texts) {
        put(&index, id, text);
    }
    index.commit(ChangeSeq(1)).unwrap();
    index
}

fn scored(snapshots: &[Arc<LexicalSnapshot>], query: &str, prefix: bool) -> Vec<Vec<(i64, f32)>> {
    let views: Vec<&LexicalSnapshot> = snapshots.iter().map(|s| &**s).collect();
    let query = LexicalQuery::new(&analyze_query(query, prefix, &[]), &views).unwrap();
    let statistics = Statistics::of(&query, &views).unwrap();
    views
        .iter()
        .map(|v| {
            v.search(&query, &statistics, 10, None).unwrap().iter().map(|m| (m.passage.0, m.score)).collect()
        })
        .collect()
}

fn found(index: &LexicalIndex, query: &str) -> Vec<i64> {
    scored(&[index.snapshot()], query, false)[0].iter().map(|(id, _)| *id).collect()
}

fn found_prefix(index: &LexicalIndex, query: &str) -> Vec<i64> {
    scored(&[index.snapshot()], query, true)[0].iter().map(|(id, _)| *id).collect()
}

#[test]
fn the_exact_code_ranks_first() {
    let codes =
        ["v2026.4.10", "1.0.21", "ISO-27001", "C++", "foo_bar", "C#", "CVE-2024-3094", "utf_8.decode"];
    let near = [
        "v2026.4.1 v2026.4.100 2026 4 10, 10.4.2026",
        "1.0.2 1.0.210 1.0 21 0 1 21 21 1 0",
        "ISO 27001 ISO 27001 ISO iso-2700 27001-ISO",
        "C C C++11 C c C C",
        "foo bar foo-bar foobar foo bar foo bar fooBar",
        "C C C C sharp",
        "CVE 2024 3094 CVE-2024-30940 cve 2024 3094",
        "utf 8 decode utf-8 decode utf_8 decode",
    ];
    let filler = "Other words stand around it and make this passage longer than the rest of them. ".repeat(6);
    for (code, near) in codes.iter().zip(near) {
        let exact = format!("{filler} It says {code}, once. {filler}");
        let index = filled(&[near, &exact, near, "Nothing of the kind."]);
        assert_eq!(found(&index, code)[0], 2, "{code}");
        assert_eq!(found(&index, &format!("what about {code}?"))[0], 2, "{code} in a question");
        assert_eq!(found(&index, &code.to_lowercase())[0], 2, "{code} in lower case");
    }
}

#[test]
fn parts_of_a_code_are_found_too() {
    let index =
        filled(&["release v2026.4.10 is out", "def get_user_name(): pass", "class HttpServerFactory"]);
    assert_eq!(found(&index, "user name"), [2]);
    assert_eq!(found(&index, "http factory"), [3]);
    assert_eq!(found(&index, "2026.4.10"), [1]);
}

#[test]
fn short_chinese_words_are_found_in_both_scripts() {
    let index =
        filled(&["請打開頻道設定", "频道列表 is a list of channels", "water 水 and fire 火", "道路频率"]);
    for query in ["頻道", "频道"] {
        let mut ids = found(&index, query);
        ids.sort_unstable();
        assert_eq!(ids, [1, 2], "{query}");
    }
    assert_eq!(found(&index, "水"), [3]);
    assert_eq!(found(&index, "频道列表"), [2, 1]);
    assert_eq!(found(&index, "频道列表在哪里")[0], 2);
}

#[test]
fn case_diacritics_width_and_word_forms_do_not_matter() {
    let index = filled(&["Der Café-Besitzer in Łódź", "ＦＵＬＬ ｗｉｄｔｈ", "He was running late"]);
    assert_eq!(found(&index, "cafe"), [1]);
    assert_eq!(found(&index, "lodz"), [1]);
    assert_eq!(found(&index, "full width"), [2]);
    assert_eq!(found(&index, "RUNS"), [3]);
}

#[test]
fn the_last_word_may_be_unfinished() {
    let index = filled(&["marathon running", "universal remote", "a running joke", "runway lights"]);
    let mut ids = found_prefix(&index, "runni");
    ids.sort_unstable();
    assert_eq!(ids, [1, 3]);
    assert_eq!(found_prefix(&index, "marathon ru")[0], 1);
    assert_eq!(found_prefix(&index, "univ"), [2]);
    assert!(found_prefix(&index, "u").is_empty());
}

#[test]
fn a_quoted_phrase_ranks_first() {
    let index = filled(&[
        "transfer of heat, heat and transfer",
        "the heat transfer in a pipe, at length and in detail",
    ]);
    assert_eq!(found(&index, "\"heat transfer\"")[0], 2);
}

#[test]
fn the_title_counts() {
    let index = LexicalIndex::in_memory(ANALYZER).unwrap();
    put_titled(&index, 1, "Annual report 2024", "Revenue grew.");
    put_titled(&index, 2, "Minutes", "Revenue was discussed.");
    index.commit(ChangeSeq(1)).unwrap();
    assert_eq!(found(&index, "revenue in the annual report")[0], 1);
}

#[test]
fn history_does_not_change_the_ranking() {
    let texts: Vec<String> = (0..60)
        .map(|i| format!("alpha {} beta {} gamma", "alpha ".repeat(i % 7), "delta ".repeat(i % 5)))
        .collect();
    let once = filled(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let halves = LexicalIndex::in_memory(ANALYZER).unwrap();
    for id in 31..=60 {
        put(&halves, id, &texts[id as usize - 1]);
    }
    halves.commit(ChangeSeq(1)).unwrap();
    for id in 1..=30 {
        put(&halves, id, &texts[id as usize - 1]);
    }
    // Superseded and deleted text must leave no trace in the statistics.
    for id in 100..140 {
        put(&halves, id, "alpha alpha alpha delta");
    }
    halves.commit(ChangeSeq(2)).unwrap();
    for id in 100..140 {
        halves.remove(PassageId(id)).unwrap();
    }
    put(&halves, 5, "alpha");
    put(&halves, 5, &texts[4]);
    halves.commit(ChangeSeq(3)).unwrap();
    for query in ["alpha", "beta delta", "alpha delta gamma"] {
        assert_eq!(
            scored(&[once.snapshot()], query, false),
            scored(&[halves.snapshot()], query, false),
            "{query}"
        );
    }
    assert_eq!(once.snapshot().entries().unwrap(), halves.snapshot().entries().unwrap());
}

#[test]
fn several_libraries_rank_as_one() {
    let texts = ["red fox", "red red wine", "blue fox in a red field", "green", "red", "fox fox"];
    let all = filled(&texts);
    let (a, b) = (filled(&texts[..2]), LexicalIndex::in_memory(ANALYZER).unwrap());
    for (id, text) in (3..).zip(&texts[2..]) {
        put(&b, id, text);
    }
    b.commit(ChangeSeq(1)).unwrap();
    let mut joined: Vec<(i64, f32)> = scored(&[a.snapshot(), b.snapshot()], "red fox", false).concat();
    joined.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
    assert_eq!(joined, scored(&[all.snapshot()], "red fox", false)[0]);
}

#[test]
fn a_filter_applies_inside_the_search() {
    let texts: Vec<String> = (0..200).map(|i| format!("common word {}", "common ".repeat(i % 3))).collect();
    let index = filled(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let snapshot = index.snapshot();
    let query = LexicalQuery::new(&analyze_query("common", false, &[]), &[&snapshot]).unwrap();
    let statistics = Statistics::of(&query, &[&snapshot]).unwrap();
    let found = snapshot.search(&query, &statistics, 5, Some(&|_, row| row > 195)).unwrap();
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|m| m.document_row > 195));
}

#[test]
fn what_is_committed_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open(folder.path(), ANALYZER).unwrap();
    put(&index, 1, "first");
    put(&index, 2, "second");
    index.commit(ChangeSeq(7)).unwrap();
    put(&index, 3, "third, never committed");
    drop(index);
    let index = LexicalIndex::open(folder.path(), ANALYZER).unwrap();
    assert_eq!(index.applied(), ChangeSeq(7));
    assert_eq!(found(&index, "second"), [2]);
    assert!(found(&index, "third").is_empty());
    // Replay: the same changes once more.
    put(&index, 2, "second");
    index.remove(PassageId(1)).unwrap();
    index.remove(PassageId(1)).unwrap();
    index.commit(ChangeSeq(8)).unwrap();
    assert_eq!(index.snapshot().entries().unwrap().len(), 1);
    assert_eq!(index.applied(), ChangeSeq(8));
    index.verify().unwrap();
    drop(index);
    let other = LexicalIndex::open(folder.path(), "words/0").err().unwrap();
    assert!(other.to_string().contains("words/0"), "{other}");
}

#[test]
fn a_missing_or_damaged_file_is_an_error_and_never_a_panic() {
    let whole = tempfile::tempdir().unwrap();
    {
        let index = LexicalIndex::open(whole.path(), ANALYZER).unwrap();
        for id in 1..50 {
            put(&index, id, "some words to fill a segment 频道");
        }
        index.commit(ChangeSeq(1)).unwrap();
    }
    let files: Vec<_> = std::fs::read_dir(whole.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    let mut refused = 0;
    for damage in ["gone", "short", "garbled"] {
        for name in &files {
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            let copy = tempfile::tempdir().unwrap();
            for file in &files {
                std::fs::copy(whole.path().join(file), copy.path().join(file)).unwrap();
            }
            let path = copy.path().join(name);
            let bytes = std::fs::read(&path).unwrap();
            match damage {
                "gone" => std::fs::remove_file(&path).unwrap(),
                "short" => std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap(),
                _ => std::fs::write(&path, bytes.iter().map(|b| b ^ 0x55).collect::<Vec<_>>()).unwrap(),
            }
            let Ok(index) = LexicalIndex::open(copy.path(), ANALYZER) else {
                refused += 1;
                continue;
            };
            // What opens either searches, or says that it cannot.
            let snapshot = index.snapshot();
            if let Ok(query) = LexicalQuery::new(&analyze_query("words 频道", false, &[]), &[&snapshot])
                && let Ok(statistics) = Statistics::of(&query, &[&snapshot])
            {
                let _ = snapshot.search(&query, &statistics, 10, None);
            }
        }
    }
    assert!(refused > files.len(), "most damage is seen when opening: {refused}");
}
