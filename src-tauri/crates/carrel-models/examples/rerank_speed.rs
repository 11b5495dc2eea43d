//! Prints the milliseconds that a reranker needs for 20 passages of 256 tokens with their question: `rerank_speed MODELS ID [threads] [runs]`.

use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelProvider;
use carrel_models::{Models, ModelsConfig};
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "it is what the example is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: usize| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let folder = arguments.first().ok_or("the first argument is a folder of models")?.into();
    let id = arguments.get(1).ok_or("the second argument is the id of a reranker")?;
    let models = Models::open(ModelsConfig { folder, threads: number(2, 2), ..ModelsConfig::default() });
    let reranker = models.reranker(id)?;
    // One token each, for tokenizers of English; with three special ones it makes 256.
    let query = "harbour ".repeat(8);
    let passage = "water ".repeat(245);
    let passages = vec![passage.as_str(); 20];
    let mut times = Vec::new();
    for _ in 0..=number(3, 7) {
        let begun = Instant::now();
        reranker.score(&query, &passages, &Cancel::new())?;
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    // The first one warms up.
    let mut times = times.split_off(1);
    times.sort_by(f64::total_cmp);
    println!("{:.1} ms (median of {})", times.get(times.len() / 2).copied().unwrap_or(f64::NAN), times.len());
    Ok(())
}
