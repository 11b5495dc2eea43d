//! Rerankers against what transformers computed with the same small random weights.

use super::*;
use crate::models::{Models, ModelsConfig};
use crate::testing::{Family, families};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ModelProvider, Reranker};
use std::sync::Arc;

const FAMILIES: [&str; 4] = ["bert", "xlm-roberta", "modernbert", "qwen3"];

/// The folder of a family as a reranker of its own; of Qwen3 without what makes it an embedder.
fn reranker(family: &Family) -> (tempfile::TempDir, Arc<dyn Reranker>) {
    let folder = tempfile::tempdir().unwrap();
    let models =
        Models::open(ModelsConfig { folder: folder.path().into(), threads: 2, ..ModelsConfig::default() });
    let own = folder.path().join("own");
    family.copy(&own, &["model.safetensors", "tokenizer.json", "config.json"]);
    let id = models.import(&own, &Cancel::new()).unwrap().id;
    assert_eq!(models.default_reranker().as_deref(), Some("own"));
    (folder, models.reranker(&id).unwrap())
}

#[test]
fn scores_equal_the_reference_alone_and_in_a_batch() {
    for family in families(&FAMILIES) {
        let (_folder, reranker) = reranker(&family);
        let pairs = &family.expected.pairs;
        let mut alone = Vec::new();
        for ((query, passage), want) in pairs.iter().zip(&family.expected.scores) {
            let score = reranker.score(query, &[passage], &Cancel::new()).unwrap()[0];
            assert!((score - want).abs() < 1e-4, "{} {query:?}: {score} instead of {want}", family.name);
            alone.push(score);
        }
        let query = &pairs[0].0;
        let passages: Vec<&str> = pairs.iter().map(|(_, passage)| passage.as_str()).collect();
        let batch = reranker.score(query, &passages, &Cancel::new()).unwrap();
        for (passage, score) in passages.iter().zip(batch) {
            let single = reranker.score(query, &[passage], &Cancel::new()).unwrap()[0];
            assert!((score - single).abs() < 1e-5, "{}", family.name);
        }
        assert!(alone.iter().all(|s| (0.0..=1.0).contains(s)));
        let spread = alone.iter().fold((1f32, 0f32), |(a, b), s| (a.min(*s), b.max(*s)));
        assert!(spread.1 - spread.0 > 1e-3, "{}: the fixture tells pairs apart", family.name);
    }
}

#[test]
fn a_long_passage_is_read_in_pieces_and_the_best_counts() {
    for family in families(&FAMILIES) {
        let (_folder, reranker) = reranker(&family);
        let long = "The keeper lights the lamp at dusk. ".repeat(60);
        let score = reranker.score("lamp", &["lamp", &long], &Cancel::new()).unwrap();
        assert!(score.iter().all(|s| s.is_finite()));
        let query = "question ".repeat(600);
        let error = reranker.score(&query, &["lamp"], &Cancel::new()).unwrap_err();
        assert!(matches!(error, ModelError::TooLong { .. }), "{}", family.name);
    }
}

#[test]
fn a_cancelled_call_gives_no_scores() {
    let (_folder, reranker) = reranker(&families(&["bert"])[0]);
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(reranker.score("q", &["p"], &cancel), Err(ModelError::Cancelled));
}

#[test]
fn pieces_hold_all_of_a_text() {
    let family = &families(&["xlm-roberta"])[0];
    let tokenizer = family.tokenizer();
    let text = "渡船中午离开港口。The keeper lights the lamp. ".repeat(20);
    let parts = pieces(&tokenizer, &text, 50).unwrap();
    assert!(parts.len() > 3 && parts.concat() == text);
    assert!(parts.iter().all(|part| tokenizer.count(part).unwrap() <= 50));
    assert_eq!(pieces(&tokenizer, "", 50).unwrap(), [""]);
    assert!(matches!(pieces(&tokenizer, &text, 0), Err(ModelError::TooLong { .. })));
}

#[test]
fn nothing_in_a_passage_becomes_a_control_token() {
    let (_folder, reranker) = reranker(&families(&["qwen3"])[0]);
    let plain = reranker.score("q", &["a <|im_end|> b"], &Cancel::new()).unwrap()[0];
    let other = reranker.score("q", &["a <|im_start|> b"], &Cancel::new()).unwrap()[0];
    assert!(plain.is_finite() && other.is_finite());
    let family = &families(&["qwen3"])[0];
    let tokenizer = family.tokenizer();
    let control = tokenizer.id_of("<|im_end|>").unwrap();
    assert!(tokenizer.plain_ids("a <|im_end|> b").unwrap().contains(&control));
    assert!(!tokenizer.literal().plain_ids("a <|im_end|> b").unwrap().contains(&control));
}

#[test]
fn late_interaction_prefers_what_shares_the_questions_words() {
    let Some((_, id)) = crate::testing::installed_embedder() else { return };
    let models = Models::open(ModelsConfig {
        folder: crate::testing::models(),
        threads: 2,
        ..ModelsConfig::default()
    });
    let reranker = models.reranker(LATE_INTERACTION).unwrap();
    let passages = [
        "The recipe asks for two spoons of salt.",
        "At dusk the keeper of the lighthouse lights its lamp.",
        &"The recipe asks for two spoons of salt. ".repeat(80),
    ];
    let scores = reranker.score("Who lights the lamp of the lighthouse?", &passages, &Cancel::new()).unwrap();
    assert!(scores[1] > scores[0] && scores[1] > scores[2], "{scores:?} of {id}");
    assert!(scores.iter().all(|s| (0.0..=1.0).contains(s)));
    let alone =
        reranker.score("Who lights the lamp of the lighthouse?", &passages[1..2], &Cancel::new()).unwrap();
    assert!((alone[0] - scores[1]).abs() < 1e-4);
}
