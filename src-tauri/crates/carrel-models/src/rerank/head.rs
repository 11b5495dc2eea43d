//! From the rows of a pair's tokens to its score.

use super::logistic;
use crate::catalogue::Pooling;
use crate::encode::Linear;
use crate::encode::config::Config;
use crate::encode::weights::Weights;
use crate::kernels::{Norm, bias_gelu, dot};
use carrel_engine::seams::ModelError;

/// What stands behind the encoder. One number comes out; the logistic function of it is the score.
pub(super) enum Head {
    /// BERT and XLM-RoBERTa: the first token through a layer with a hyperbolic tangent.
    Tanh { dense: Linear, out: Linear },
    /// `ModernBERT`: pooled, through a layer with a GELU and a normalisation.
    Gelu { pooling: Pooling, dense: Linear, norm: Norm, out: Linear },
    /// A decoder: how much likelier the last token is followed by yes than by no.
    Answer(Vec<f32>),
}

impl Head {
    /// The head that goes with the architecture. Refuses a model that sorts into several classes.
    pub(super) fn read(config: &Config, w: &mut Weights) -> Result<Self, ModelError> {
        let width = config.size(&["hidden_size"])?;
        Ok(match config.architecture() {
            "BertForSequenceClassification" => Self::Tanh {
                dense: Linear::read(w, "pooler.dense", width, width)?,
                out: Linear::read(w, "classifier", width, 1)?,
            },
            "RobertaForSequenceClassification" | "XLMRobertaForSequenceClassification" => Self::Tanh {
                dense: Linear::read(w, "classifier.dense", width, width)?,
                out: Linear::read(w, "classifier.out_proj", width, 1)?,
            },
            "ModernBertForSequenceClassification" => Self::Gelu {
                pooling: if config.text("classifier_pooling") == Some("mean") {
                    Pooling::Mean
                } else {
                    Pooling::Cls
                },
                dense: Linear::read(w, "head.dense", width, width)?,
                norm: w.norm("head.norm", width, config.float(&["norm_eps"], 1e-5))?,
                out: Linear::read(w, "classifier", width, 1)?,
            },
            other => return Err(config.damaged(format!("{other} is no reranker that is supported"))),
        })
    }

    /// The head of a decoder that answers `yes` or `no`.
    pub(super) fn yes_or_no(config: &Config, w: &mut Weights, yes: u32, no: u32) -> Result<Self, ModelError> {
        let (rows, width) = (config.size(&["vocab_size"])?, config.size(&["hidden_size"])?);
        // Often the words that are read and those that are said are the same.
        let name = if w.has("lm_head.weight") { "lm_head.weight" } else { "embed_tokens.weight" };
        let yes = w.row(name, rows, width, yes)?;
        let no = w.row(name, rows, width, no)?;
        Ok(Self::Answer(yes.iter().zip(&no).map(|(yes, no)| yes - no).collect()))
    }

    /// Between 0 and 1.
    pub(super) fn score(&self, rows: &[f32]) -> f32 {
        let one = |values: Vec<f32>| values.first().copied().unwrap_or(f32::NAN);
        logistic(match self {
            Self::Tanh { dense, out } => {
                let mut hidden = dense.of(rows.get(..dense.inputs()).unwrap_or_default());
                for v in &mut hidden {
                    *v = v.tanh();
                }
                one(out.of(&hidden))
            }
            Self::Gelu { pooling, dense, norm, out } => {
                let mut hidden = dense.of(&pooling.pool(rows, dense.inputs()));
                bias_gelu(&mut hidden, &vec![0.0; dense.outputs()]);
                norm.apply(&mut hidden);
                one(out.of(&hidden))
            }
            Self::Answer(difference) => dot(&Pooling::Last.pool(rows, difference.len()), difference),
        })
    }
}
