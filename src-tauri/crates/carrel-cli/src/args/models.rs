//! `models …`

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List models
    List,
    /// Download a model
    Get { id: String },
    /// Take a model from a folder or file
    Import { path: PathBuf },
    /// Remove a model's files
    Remove { id: String },
    /// Try a model once
    Test { id: String },
    /// Language models behind an address
    #[command(subcommand)]
    Endpoint(EndpointCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum EndpointCommand {
    /// Use an OpenAI-compatible address
    Add {
        url: String,
        /// `language_model`
        #[arg(long, value_name = "R")]
        role: String,
        /// Name of the model there
        #[arg(long, value_name = "M")]
        model: Option<String>,
        /// Environment variable that holds the key
        #[arg(long, value_name = "VAR")]
        key_env: Option<String>,
    },
    /// List them
    List,
    /// Forget one
    Remove { id: String },
}
