//! The lexical leg alone on evaluation collections in BEIR form.
//!
//! Ignored by default: it needs the collections, whose folder `CARREL_COLLECTIONS` names.

use super::{LexicalIndex, LexicalQuery, PassageForIndex, Statistics};
use crate::domain::{ChangeSeq, PassageId};
use crate::evaluate::{Judgements, Metrics, mean, of_query};
use crate::text::{ANALYZER, analyze_query};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|l| !l.is_empty()).map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn judgements(path: &Path) -> HashMap<String, Judgements> {
    let mut all: HashMap<String, Judgements> = HashMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if let [query, .., document, grade] = fields.as_slice()
            && let Ok(grade) = grade.parse()
        {
            all.entry((*query).to_owned()).or_default().insert((*document).to_owned(), grade);
        }
    }
    all
}

fn measure(folder: &Path) -> Metrics {
    let index = LexicalIndex::in_memory(ANALYZER).unwrap();
    let started = Instant::now();
    let mut ids = Vec::new();
    for (row, entry) in lines(&folder.join("corpus.jsonl")).iter().enumerate() {
        let title = entry["title"].as_str().unwrap_or_default();
        ids.push(entry["_id"].as_str().unwrap().to_owned());
        index
            .put(PassageForIndex {
                passage: PassageId(row as i64 + 1),
                document_row: row as i64 + 1,
                text: entry["text"].as_str().unwrap(),
                headings: &[],
                title,
                name: title,
                context: None,
            })
            .unwrap();
    }
    index.commit(ChangeSeq(1)).unwrap();
    let indexed = started.elapsed();
    let judged = judgements(&folder.join("qrels.tsv"));
    let snapshot = index.snapshot();
    let started = Instant::now();
    let mut all = Vec::new();
    for entry in lines(&folder.join("queries.jsonl")) {
        let Some(judgements) = judged.get(entry["_id"].as_str().unwrap()) else { continue };
        let query = analyze_query(entry["text"].as_str().unwrap(), false, &[]);
        let query = LexicalQuery::new(&query, &[&snapshot]).unwrap();
        let statistics = Statistics::of(&query, &[&snapshot]).unwrap();
        let found = snapshot.search(&query, &statistics, 100, None).unwrap();
        all.extend(of_query(found.iter().map(|m| ids[m.passage.0 as usize - 1].as_str()), judgements));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let metrics = mean(&all);
    println!(
        "{name}: index {:.2} s, query {:.3} ms, {:?}",
        indexed.as_secs_f64(),
        started.elapsed().as_secs_f64() * 1e3 / all.len() as f64,
        metrics
    );
    metrics
}

#[test]
#[ignore = "needs the evaluation collections: set CARREL_COLLECTIONS to their folder"]
fn the_lexical_leg_reaches_its_bars() {
    let Some(folder) = std::env::var_os("CARREL_COLLECTIONS") else {
        eprintln!("skipped: CARREL_COLLECTIONS names no folder");
        return;
    };
    let bars = [
        ("scifact", 0.675),
        ("cranfield", 0.515),
        ("2wiki-101", 0.685),
        ("cosqa-dev", 0.38),
        ("cmrc2018-dev", 0.975),
        ("drcd-dev", 0.965),
    ];
    let mut below = Vec::new();
    for (name, bar) in bars {
        let found = measure(&Path::new(&folder).join(name)).ndcg_10;
        if found < bar {
            below.push(format!("{name}: {found:.4} is below {bar}"));
        }
    }
    assert!(below.is_empty(), "{below:?}");
}
