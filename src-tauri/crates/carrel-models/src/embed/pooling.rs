//! From the rows of a text's tokens to its vector: pooling, and the dense layers that some models put behind it.

use crate::catalogue::{Embedding, Pooling};
use crate::encode::Linear;
use crate::encode::config::Config;
use crate::encode::weights::Weights;
use carrel_engine::seams::ModelError;
use std::path::Path;

/// Pooling and what follows it.
pub(super) struct Head {
    pooling: Pooling,
    dense: Vec<Dense>,
    width: usize,
}

struct Dense {
    layer: Linear,
    tanh: bool,
}

impl Head {
    /// Reads the dense layers that `embedding` names, from their folders in `folder`. Rows are `width` numbers.
    pub(super) fn open(
        folder: &Path,
        id: &str,
        embedding: &Embedding,
        width: usize,
    ) -> Result<Self, ModelError> {
        let mut dense = Vec::new();
        let mut inputs = width;
        for part in &embedding.dense {
            let folder = folder.join(part);
            let config = Config::read(&folder, id)?;
            let tanh = match config.text("activation_function") {
                Some("torch.nn.modules.linear.Identity") => false,
                // What sentence-transformers does when nothing is said.
                None | Some("torch.nn.modules.activation.Tanh") => true,
                Some(other) => {
                    return Err(config.damaged(format!("the activation {other} is not supported")));
                }
            };
            let mut weights = Weights::open(&folder.join("model.safetensors"), id)?;
            let layer = Linear::read(&mut weights, "linear", inputs, config.size(&["out_features"])?)?;
            inputs = layer.outputs();
            dense.push(Dense { layer, tanh });
        }
        Ok(Self { pooling: embedding.pooling, dense, width })
    }

    /// Length of its vectors.
    pub(super) fn dimensions(&self) -> usize {
        self.dense.last().map_or(self.width, |d| d.layer.outputs())
    }

    /// The vector of a text, not normalised.
    pub(super) fn vector(&self, rows: &[f32]) -> Vec<f32> {
        let mut vector = self.pooling.pool(rows, self.width);
        for Dense { layer, tanh } in &self.dense {
            vector = layer.of(&vector);
            if *tanh {
                for v in &mut vector {
                    *v = v.tanh();
                }
            }
        }
        vector
    }
}

impl Pooling {
    /// One row of many, each of `width` numbers.
    pub(crate) fn pool(self, rows: &[f32], width: usize) -> Vec<f32> {
        let mut all = rows.chunks_exact(width);
        let one = match self {
            Self::Cls => all.next(),
            Self::Last => all.next_back(),
            Self::Mean => {
                let weight = 1.0 / (rows.len() / width) as f32;
                let mut vector = vec![0f32; width];
                for row in all {
                    for (v, r) in vector.iter_mut().zip(row) {
                        *v = r.mul_add(weight, *v);
                    }
                }
                return vector;
            }
        };
        one.unwrap_or_default().to_vec()
    }
}
