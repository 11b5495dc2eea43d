//! The shape of a decoder, and what its family does otherwise than the others.
//!
//! All of them are Llama (Touvron et al. 2023, arXiv 2302.13971) with changes: Qwen2 (2407.10671) adds biases, Qwen3 (2505.09388)
//! normalises queries and keys, Gemma 3 (2503.19786) does that too, normalises what a block gives, looks in most layers only at the last
//! tokens, and turns those with another speed.

use super::gguf::Metadata;
use carrel_engine::seams::ModelError;

/// Gemma 3: one layer in so many sees everything.
const GEMMA_PERIOD: usize = 6;
/// Gemma 3: how fast positions turn in the others.
const GEMMA_LOCAL_BASE: f32 = 10_000.0;
/// The Gemma 3 of so many layers scales its queries by another width than that of its heads.
const LARGEST_GEMMA_LAYERS: usize = 62;

/// Families that can be read, as files name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Llama,
    Qwen2,
    Qwen3,
    Gemma3,
}

impl Family {
    const ALL: [(&'static str, Family); 4] =
        [("llama", Self::Llama), ("qwen2", Self::Qwen2), ("qwen3", Self::Qwen3), ("gemma3", Self::Gemma3)];

    /// Queries and keys are normalised, head by head.
    pub(super) fn norms_heads(self) -> bool {
        matches!(self, Self::Qwen3 | Self::Gemma3)
    }

    /// What attention and feed-forward give is normalised before it is added.
    pub(super) fn norms_results(self) -> bool {
        self == Self::Gemma3
    }

    /// The gate is a GELU instead of a `SiLU`.
    pub(super) fn gelu(self) -> bool {
        self == Self::Gemma3
    }

    /// Which numbers of a head turn together: neighbours, or those that lie half a head apart.
    pub(super) fn turns_neighbours(self) -> bool {
        self == Self::Llama
    }
}

/// How positions turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rope {
    pub(super) base: f32,
    /// Positions are this much closer together than they are counted.
    pub(super) stretch: f32,
}

/// Layers that see only the last tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sliding {
    /// How many they see, the present one included.
    pub(super) tokens: usize,
    /// The last of each so many layers sees everything.
    pub(super) period: usize,
    pub(super) rope: Rope,
}

/// Sizes and constants of one model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) family: Family,
    pub(super) width: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) kv_heads: usize,
    pub(super) head_width: usize,
    /// Numbers of a head that turn with the position.
    pub(super) rotated: usize,
    pub(super) inner: usize,
    pub(super) context: usize,
    pub(super) epsilon: f32,
    pub(super) rope: Rope,
    pub(super) sliding: Option<Sliding>,
    pub(super) query_scale: f32,
    /// Embeddings are multiplied by it.
    pub(super) embedding_scale: Option<f32>,
    /// Logits are bent towards this bound.
    pub(super) logit_cap: Option<f32>,
}

impl Config {
    /// Reads it. Refuses what would be computed wrongly.
    pub(super) fn read(meta: &Metadata<'_>) -> Result<Self, ModelError> {
        let name = meta.text("general.architecture").unwrap_or("missing");
        let family = Family::ALL.iter().find(|(known, _)| *known == name).map(|(_, family)| *family);
        let family = family.ok_or_else(|| {
            let known = Family::ALL.map(|(known, _)| known).join(", ");
            meta.damaged(format!("its architecture ({name}) is not supported: use a model of one of {known}"))
        })?;
        let key = |part: &str| format!("{name}.{part}");
        let number = |part: &str| meta.number(&key(part)).map(|n| n as usize);
        if number("expert_count").is_some_and(|n| n > 0) {
            return Err(meta.damaged("models of several experts are not supported"));
        }
        let width = meta.size(&key("embedding_length"))?;
        let layers = meta.size(&key("block_count"))?;
        let heads = meta.size(&key("attention.head_count"))?;
        let kv_heads = number("attention.head_count_kv").unwrap_or(heads);
        let head_width = number("attention.key_length").unwrap_or(width / heads);
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) || head_width == 0 {
            return Err(meta.damaged("its numbers of heads do not fit each other"));
        }
        if number("attention.value_length").is_some_and(|n| n != head_width) {
            return Err(meta.damaged("models whose keys and values differ in width are not supported"));
        }
        let rotated = number("rope.dimension_count").unwrap_or(head_width);
        if rotated > head_width || !rotated.is_multiple_of(2) || rotated == 0 {
            return Err(meta.damaged("its rotary width does not fit its heads"));
        }
        let stretch = match meta.text(&key("rope.scaling.type")) {
            None | Some("none") => 1.0,
            Some("linear") => meta.float(&key("rope.scaling.factor")).unwrap_or(1.0),
            Some(other) => {
                return Err(meta.damaged(format!("its way to stretch positions ({other}) is not supported")));
            }
        };
        if meta.float(&key("attn_logit_softcapping")).is_some_and(|cap| cap > 0.0) {
            return Err(meta.damaged("models that bound their attention are not supported"));
        }
        let is_gemma = family == Family::Gemma3;
        let sliding =
            number("attention.sliding_window").filter(|n| is_gemma && *n > 0).map(|tokens| Sliding {
                tokens,
                period: number("attention.sliding_window_pattern").filter(|n| *n > 0).unwrap_or(GEMMA_PERIOD),
                rope: Rope {
                    base: meta.float(&key("rope.freq_base_swa")).unwrap_or(GEMMA_LOCAL_BASE),
                    stretch: 1.0,
                },
            });
        let scaled_by = if is_gemma && layers == LARGEST_GEMMA_LAYERS { width / heads } else { head_width };
        Ok(Self {
            family,
            width,
            layers,
            heads,
            kv_heads,
            head_width,
            rotated,
            inner: meta.size(&key("feed_forward_length"))?,
            context: meta.size(&key("context_length"))?,
            epsilon: meta.float(&key("attention.layer_norm_rms_epsilon")).unwrap_or(1e-5),
            rope: Rope { base: meta.float(&key("rope.freq_base")).unwrap_or(10_000.0), stretch },
            sliding,
            query_scale: 1.0 / (scaled_by as f32).sqrt(),
            embedding_scale: is_gemma.then(|| (width as f32).sqrt()),
            logit_cap: meta.float(&key("final_logit_softcapping")).filter(|cap| *cap > 0.0),
        })
    }

    /// Numbers of all query heads.
    pub(super) fn query_width(&self) -> usize {
        self.heads * self.head_width
    }

    /// Numbers of all key heads, and of all value heads.
    pub(super) fn kv_width(&self) -> usize {
        self.kv_heads * self.head_width
    }

    /// The window of a layer, where it has one.
    pub(super) fn sliding_at(&self, layer: usize) -> Option<Sliding> {
        self.sliding.filter(|s| !(layer + 1).is_multiple_of(s.period))
    }
}
