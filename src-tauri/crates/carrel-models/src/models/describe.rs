//! What the files of a folder say of the model in it: what it does, how it pools, what it puts in front of texts.
//!
//! These are the files of transformers and sentence-transformers, with their defaults where they say nothing.

use super::import::refused;
use crate::catalogue::{Embedding, ModelRole, Pooling, Reranking};
use carrel_engine::domain::Metric;
use carrel_engine::seams::ModelError;
use serde_json::Value;
use std::path::Path;

/// Without these there is no model.
pub(super) const FILES: [&str; 3] = ["model.safetensors", "tokenizer.json", "config.json"];
/// Every reranker reads that many tokens; more would only cost time.
const RERANKING_WINDOW: u32 = 512;

/// A folder of a model.
pub(super) struct Described {
    /// What it does.
    pub(super) role: ModelRole,
    /// For embedders.
    pub(super) embedding: Option<Embedding>,
    /// For rerankers.
    pub(super) reranking: Option<Reranking>,
    /// The files that it is loaded from, the weights first, with `/` between folder and file.
    pub(super) files: Vec<String>,
}

fn read(folder: &Path, name: &str) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(folder.join(name)).ok()?).ok()
}

fn number(value: &Value, names: &[&str]) -> Option<u32> {
    names.iter().find_map(|name| value.get(name)?.as_u64()).and_then(|n| u32::try_from(n).ok())
}

/// Reads the folder. Refuses pooling that is not known: another one would make every vector worse.
pub(super) fn describe(folder: &Path) -> Result<Described, ModelError> {
    let config =
        read(folder, "config.json").ok_or_else(|| refused(folder, "its config.json cannot be read"))?;
    let architecture = config.pointer("/architectures/0").and_then(Value::as_str).unwrap_or_default();
    let pooling = read(folder, "1_Pooling/config.json");
    let positions = positions(&config);
    let mut files: Vec<String> = FILES.iter().map(|&file| file.to_owned()).collect();
    let is_reranker = architecture.ends_with("ForSequenceClassification")
        || (architecture == "Qwen3ForCausalLM" && pooling.is_none());
    if is_reranker {
        let reranking = Some(Reranking { window: RERANKING_WINDOW.min(positions) });
        return Ok(Described { role: ModelRole::Reranker, embedding: None, reranking, files });
    }
    let dense = dense(folder);
    for part in &dense {
        files.extend(["config.json", "model.safetensors"].map(|file| format!("{part}/{file}")));
    }
    let hidden = number(&config, &["hidden_size", "n_embd"]);
    let last = dense
        .last()
        .and_then(|part| number(&read(folder, &format!("{part}/config.json"))?, &["out_features"]));
    let dimensions =
        last.or(hidden).ok_or_else(|| refused(folder, "its config.json names no hidden_size"))?;
    let window = read(folder, "sentence_bert_config.json").and_then(|c| number(&c, &["max_seq_length"]));
    let prompts = read(folder, "config_sentence_transformers.json");
    let prompt = |names: [&str; 3]| -> String {
        let prompts = prompts.as_ref().and_then(|p| p.get("prompts"));
        let found = names.iter().find_map(|n| prompts?.get(n)?.as_str());
        found.unwrap_or_default().to_owned()
    };
    let embedding = Some(Embedding {
        window: window.unwrap_or(positions).min(positions),
        dimensions,
        pooling: pooling_of(folder, pooling.as_ref())?,
        dense,
        normalise: true,
        query_prefix: prompt(["query", "web_search_query", "search_query"]),
        passage_prefix: prompt(["passage", "document", "search_document"]),
        metric: Metric::Cosine,
        scripts: Vec::new(),
        floor: 0.0,
    });
    Ok(Described { role: ModelRole::Embedder, embedding, reranking: None, files })
}

/// Most tokens of a text. `RoBERTa` counts its positions from behind the padding token.
fn positions(config: &Value) -> u32 {
    let positions = number(config, &["max_position_embeddings", "n_positions"]).unwrap_or(512);
    let trained = number(config, &["max_trained_positions"]).unwrap_or(positions);
    let kind = config.get("model_type").and_then(Value::as_str).unwrap_or_default();
    let skipped = match kind {
        "roberta" | "xlm-roberta" => number(config, &["pad_token_id"]).unwrap_or(1) + 1,
        _ => 0,
    };
    positions.min(trained).saturating_sub(skipped)
}

fn pooling_of(folder: &Path, config: Option<&Value>) -> Result<Pooling, ModelError> {
    let Some(config) = config else { return Ok(Pooling::Mean) };
    // Newer files name the mode, older ones have a switch for each.
    if let Some(mode) = config.get("pooling_mode").and_then(Value::as_str) {
        return match mode {
            "mean" => Ok(Pooling::Mean),
            "cls" => Ok(Pooling::Cls),
            "lasttoken" => Ok(Pooling::Last),
            other => Err(refused(folder, &format!("its pooling ({other}) is not supported"))),
        };
    }
    let modes = config.as_object().into_iter().flatten();
    let on: Vec<&str> = modes
        .filter(|(name, value)| name.starts_with("pooling_mode_") && **value == Value::Bool(true))
        .map(|(name, _)| name.as_str())
        .collect();
    match on[..] {
        ["pooling_mode_mean_tokens"] | [] => Ok(Pooling::Mean),
        ["pooling_mode_cls_token"] => Ok(Pooling::Cls),
        ["pooling_mode_lasttoken"] => Ok(Pooling::Last),
        _ => Err(refused(folder, &format!("its pooling ({}) is not supported", on.join(", ")))),
    }
}

/// Folders of the dense layers that `modules.json` puts behind pooling.
fn dense(folder: &Path) -> Vec<String> {
    let modules = read(folder, "modules.json");
    let modules = modules.as_ref().and_then(Value::as_array).into_iter().flatten();
    modules
        .filter(|module| module.get("type").and_then(Value::as_str).is_some_and(|t| t.ends_with(".Dense")))
        .filter_map(|module| module.get("path")?.as_str())
        // It becomes a part of a path.
        .filter(|path| {
            !path.is_empty()
                && path.chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
                && *path != ".."
        })
        .map(str::to_owned)
        .collect()
}
