//! Prints one JSON line with the speed of the default embedder: `embed_speed [threads] [batch] [count] [runs] [corpus]`.

use carrel_engine::cancel::Cancel;
use carrel_models::{Models, ModelsConfig, bench};

#[expect(clippy::print_stdout, reason = "it is what the example is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: usize| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let folder = std::env::var_os("CARREL_MODELS").ok_or("CARREL_MODELS names the folder of models")?;
    let models =
        Models::open(ModelsConfig { folder: folder.into(), threads: number(0, 2), ..Default::default() });
    let options = bench::EmbedBenchOptions {
        corpus: arguments.get(4).ok_or("the fifth argument is a corpus.jsonl")?.into(),
        batch: number(1, 16),
        count: number(2, 64),
        tokens: 256,
        runs: number(3, 5),
    };
    println!("{:?}", bench::embed(&models, "all-minilm-l6-v2", &options, &Cancel::new())?);
    Ok(())
}
