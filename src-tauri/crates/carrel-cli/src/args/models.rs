//! `models …`

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List models
    List,
    /// Download a model
    Get {
        /// Its id, as `models list` shows it
        id: String,
    },
    /// Take a model from a folder or file
    Import {
        /// A GGUF file (a language model), or a folder with model.safetensors, tokenizer.json and config.json (an embedder or a reranker)
        path: PathBuf,
    },
    /// Remove a model's files
    Remove {
        /// Its id, as `models list` shows it
        id: String,
    },
    /// Try a model once
    Test {
        /// Its id, as `models list` shows it
        id: String,
    },
    /// Show or choose where embedders and rerankers compute
    Device {
        /// `auto`, `cpu`, `cuda:N` or `metal`; graphics cards need a build for them
        place: Option<String>,
    },
    /// Models behind an address
    #[command(subcommand)]
    Endpoint(EndpointCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum EndpointCommand {
    /// Use an OpenAI-compatible address, or a rerank endpoint
    Add {
        /// Its base address, such as `http://localhost:11434/v1`
        url: String,
        /// `language_model`, `embedder` or `reranker`
        #[arg(long, value_name = "R", default_value = "language_model")]
        role: String,
        /// Name of the model there; the first that it lists when not given
        #[arg(long, value_name = "M")]
        model: Option<String>,
        /// Environment variable that holds the key
        #[arg(long, value_name = "VAR")]
        key_env: Option<String>,
        /// Tokens that the model reads at once; 512 for embedders and rerankers when not given
        #[arg(long, value_name = "N")]
        window: Option<u32>,
    },
    /// List them
    List,
    /// Forget one
    Remove {
        /// Its id, as `models endpoint list` shows it
        id: String,
    },
}
