//! How the families of rotating encoders are built from their files. What a config asks for and nothing here does is refused.
//!
//! Sources: `ModernBERT`, Warner et al. 2024, arXiv 2412.13663; Nomic Embed, Nussbaum et al. 2024, arXiv 2402.01613; Qwen3 Embedding, Zhang et
//! al. 2025, arXiv 2506.05176; `EmbeddingGemma`, Vera et al. 2025, arXiv 2509.20354. A test compares each with transformers.

use super::Linear;
use super::attention::Attention;
use super::config::Config;
use super::rotary::{Gate, Layer, Normal, Norms, Rotary};
use super::weights::Weights;
use carrel_engine::seams::ModelError;

/// Rotation speeds of a head of `head` numbers.
fn speeds(base: f32, head: usize) -> Vec<f32> {
    (0..head / 2).map(|i| 1.0 / base.powf(2.0 * i as f32 / head as f32)).collect()
}

fn layer_norm(w: &mut Weights, name: &str, width: usize, epsilon: f32) -> Result<Option<Normal>, ModelError> {
    Ok(Some(Normal::Layer(w.norm(name, width, epsilon)?)))
}

/// The root mean square normalisation `name`; `shift` is added to its scale, which is multiplied by `by`.
fn rms(
    w: &mut Weights,
    name: &str,
    width: usize,
    epsilon: f32,
    (shift, by): (f32, f32),
) -> Result<Normal, ModelError> {
    let weight = w.read(&format!("{name}.weight"), &[width])?;
    Ok(Normal::Rms { weight: weight.iter().map(|v| (v + shift) * by).collect(), epsilon })
}

/// Reads `name` as the sizes of heads ask, from one tensor.
fn whole_heads(config: &Config, hidden: usize, heads: usize) -> Result<usize, ModelError> {
    if !hidden.is_multiple_of(heads) || !(hidden / heads).is_multiple_of(2) {
        return Err(config.damaged("its heads do not divide its width"));
    }
    Ok(hidden / heads)
}

/// `ModernBERT`: normalises before each half, sees all in some layers and a neighbourhood in the others.
pub(super) fn modernbert(config: &Config, w: &mut Weights) -> Result<Rotary, ModelError> {
    config.plain_positions()?;
    if config.text("hidden_activation").is_some_and(|a| a != "gelu") {
        return Err(config.damaged("its activation is not supported"));
    }
    let (hidden, heads) = (config.size(&["hidden_size"])?, config.size(&["num_attention_heads"])?);
    let head = whole_heads(config, hidden, heads)?;
    let inner = config.size(&["intermediate_size"])?;
    let epsilon = config.float(&["norm_eps"], 1e-5);
    let every = config.maybe(&["global_attn_every_n_layers"]).unwrap_or(3).max(1);
    let count = config.size(&["num_hidden_layers"])?;
    let reach = config.maybe(&["local_attention"]).unwrap_or(128) / 2;
    let global = config.float(&["rope_parameters/full_attention/rope_theta", "global_rope_theta"], 160_000.0);
    let local = config.float(&["rope_parameters/sliding_attention/rope_theta", "local_rope_theta"], 10_000.0);
    let mut layers = Vec::new();
    for (i, is_local) in config.local_layers(count, |i| !i.is_multiple_of(every)).into_iter().enumerate() {
        let name = format!("layers.{i}");
        let mut qkv = Linear::read(w, &format!("{name}.attn.Wqkv"), hidden, 3 * hidden)?;
        qkv.scale(hidden, 1.0 / (head as f32).sqrt());
        let (gate, up) = Linear::read(w, &format!("{name}.mlp.Wi"), hidden, 2 * inner)?.split(inner);
        let before = match i {
            // The embeddings are normalised already.
            0 => None,
            _ => layer_norm(w, &format!("{name}.attn_norm"), hidden, epsilon)?,
        };
        layers.push(Layer {
            attention_norms: Norms { before, ..Norms::default() },
            qkv,
            head_norms: None,
            speeds: speeds(if is_local { local } else { global }, head),
            attention: Attention {
                heads,
                kv_heads: heads,
                head,
                causal: false,
                reach: is_local.then_some(reach),
            },
            out: Linear::read(w, &format!("{name}.attn.Wo"), hidden, hidden)?,
            inner_norms: Norms {
                before: layer_norm(w, &format!("{name}.mlp_norm"), hidden, epsilon)?,
                ..Norms::default()
            },
            gate,
            up,
            down: Linear::read(w, &format!("{name}.mlp.Wo"), inner, hidden)?,
        });
    }
    Ok(Rotary {
        words: w.table("embeddings.tok_embeddings.weight", config.size(&["vocab_size"])?, hidden)?,
        kind: Vec::new(),
        scale: 1.0,
        embedding_norm: layer_norm(w, "embeddings.norm", hidden, epsilon)?,
        layers,
        norm: layer_norm(w, "final_norm", hidden, epsilon)?,
        activation: Gate::Gelu,
        width: hidden,
        positions: config.size(&["max_position_embeddings"])?,
    })
}

/// `NomicBERT`: normalises after each half, as BERT does.
pub(super) fn nomic(config: &Config, w: &mut Weights) -> Result<Rotary, ModelError> {
    config.plain_positions()?;
    let odd = config.flag("prenorm")
        || config.flag("rotary_emb_interleaved")
        || config.flag("moe_every_n_layers")
        || config.flag("use_rms_norm")
        || (config.float(&["rotary_emb_fraction"], 1.0) - 1.0).abs() > 1e-6
        || config.text("activation_function").is_some_and(|a| a != "swiglu");
    if odd {
        return Err(config.damaged("this kind of NomicBERT is not supported"));
    }
    let (hidden, heads) =
        (config.size(&["n_embd", "hidden_size"])?, config.size(&["n_head", "num_attention_heads"])?);
    let head = whole_heads(config, hidden, heads)?;
    let inner = config.size(&["n_inner", "intermediate_size"])?;
    let epsilon = config.float(&["layer_norm_epsilon", "layer_norm_eps"], 1e-12);
    let base = config.float(&["rotary_emb_base", "rope_parameters/rope_theta"], 10_000.0);
    let mut layers = Vec::new();
    for i in 0..config.size(&["n_layer", "num_hidden_layers"])? {
        let name = format!("encoder.layers.{i}");
        let mut qkv = Linear::read(w, &format!("{name}.attn.Wqkv"), hidden, 3 * hidden)?;
        qkv.scale(hidden, 1.0 / (head as f32).sqrt());
        let after = |w: &mut Weights, norm: &str| -> Result<Norms, ModelError> {
            Ok(Norms {
                after: layer_norm(w, &format!("{name}.{norm}"), hidden, epsilon)?,
                ..Norms::default()
            })
        };
        layers.push(Layer {
            attention_norms: after(w, "norm1")?,
            qkv,
            head_norms: None,
            speeds: speeds(base, head),
            attention: Attention { heads, kv_heads: heads, head, causal: false, reach: None },
            out: Linear::read(w, &format!("{name}.attn.out_proj"), hidden, hidden)?,
            inner_norms: after(w, "norm2")?,
            gate: Linear::read(w, &format!("{name}.mlp.fc12"), hidden, inner)?,
            up: Linear::read(w, &format!("{name}.mlp.fc11"), hidden, inner)?,
            down: Linear::read(w, &format!("{name}.mlp.fc2"), inner, hidden)?,
        });
    }
    let kinds = config.maybe(&["type_vocab_size"]).unwrap_or(0);
    let mut kind = match kinds {
        0 => Vec::new(),
        n => w.read("embeddings.token_type_embeddings.weight", &[n, hidden])?,
    };
    kind.truncate(hidden);
    // Beyond the length it was trained for it would have to stretch its positions.
    let positions = config.size(&["n_positions", "max_position_embeddings"])?;
    let trained = config.maybe(&["max_trained_positions"]).unwrap_or(positions);
    Ok(Rotary {
        words: w.table("embeddings.word_embeddings.weight", config.size(&["vocab_size"])?, hidden)?,
        kind,
        scale: 1.0,
        embedding_norm: layer_norm(w, "emb_ln", hidden, epsilon)?,
        layers,
        norm: None,
        activation: Gate::Silu,
        width: hidden,
        positions: positions.min(trained),
    })
}

/// Sizes and names that Qwen3 and Gemma 3 share.
struct Grouped {
    hidden: usize,
    heads: usize,
    kv_heads: usize,
    head: usize,
    inner: usize,
    epsilon: f32,
    /// Added to the scale of each normalisation.
    shift: f32,
    /// Of the queries.
    scale: f32,
}

impl Grouped {
    fn read(config: &Config, shift: f32) -> Result<Self, ModelError> {
        let (hidden, heads) = (config.size(&["hidden_size"])?, config.size(&["num_attention_heads"])?);
        let kv_heads = config.maybe(&["num_key_value_heads"]).unwrap_or(heads);
        let head = config.maybe(&["head_dim"]).unwrap_or(hidden / heads);
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) || head == 0 || !head.is_multiple_of(2) {
            return Err(config.damaged("its numbers of heads do not fit each other"));
        }
        Ok(Self {
            hidden,
            heads,
            kv_heads,
            head,
            inner: config.size(&["intermediate_size"])?,
            epsilon: config.float(&["rms_norm_eps"], 1e-6),
            shift,
            scale: 1.0 / (head as f32).sqrt(),
        })
    }

    fn rms(&self, w: &mut Weights, name: &str) -> Result<Option<Normal>, ModelError> {
        rms(w, name, self.hidden, self.epsilon, (self.shift, 1.0)).map(Some)
    }

    /// All but where the halves normalise.
    fn layer(
        &self,
        config: &Config,
        w: &mut Weights,
        name: &str,
        base: f32,
        reach: Option<usize>,
        causal: bool,
    ) -> Result<Layer, ModelError> {
        let Self { hidden, heads, kv_heads, head, inner, epsilon, shift, scale } = *self;
        let of = |part: &str| format!("{name}.self_attn.{part}");
        let qkv = [
            Linear::read(w, &of("q_proj"), hidden, heads * head)?,
            Linear::read(w, &of("k_proj"), hidden, kv_heads * head)?,
            Linear::read(w, &of("v_proj"), hidden, kv_heads * head)?,
        ];
        let qkv = Linear::join(qkv).ok_or_else(|| config.damaged("its projections do not fit each other"))?;
        Ok(Layer {
            attention_norms: Norms::default(),
            qkv,
            head_norms: Some((
                rms(w, &of("q_norm"), head, epsilon, (shift, scale))?,
                rms(w, &of("k_norm"), head, epsilon, (shift, 1.0))?,
            )),
            speeds: speeds(base, head),
            attention: Attention { heads, kv_heads, head, causal, reach },
            out: Linear::read(w, &of("o_proj"), heads * head, hidden)?,
            inner_norms: Norms::default(),
            gate: Linear::read(w, &format!("{name}.mlp.gate_proj"), hidden, inner)?,
            up: Linear::read(w, &format!("{name}.mlp.up_proj"), hidden, inner)?,
            down: Linear::read(w, &format!("{name}.mlp.down_proj"), inner, hidden)?,
        })
    }
}

/// Qwen3: a decoder, of which the last token says what the text means.
pub(super) fn qwen3(config: &Config, w: &mut Weights) -> Result<Rotary, ModelError> {
    config.plain_positions()?;
    if config.flag("use_sliding_window") || config.text("hidden_act").is_some_and(|a| a != "silu") {
        return Err(config.damaged("this kind of Qwen3 is not supported"));
    }
    let sizes = Grouped::read(config, 0.0)?;
    let base = config.float(&["rope_parameters/rope_theta", "rope_theta"], 10_000.0);
    let mut layers = Vec::new();
    for i in 0..config.size(&["num_hidden_layers"])? {
        let name = format!("layers.{i}");
        let mut layer = sizes.layer(config, w, &name, base, None, true)?;
        layer.attention_norms.before = sizes.rms(w, &format!("{name}.input_layernorm"))?;
        layer.inner_norms.before = sizes.rms(w, &format!("{name}.post_attention_layernorm"))?;
        layers.push(layer);
    }
    Ok(Rotary {
        words: w.table("embed_tokens.weight", config.size(&["vocab_size"])?, sizes.hidden)?,
        kind: Vec::new(),
        scale: 1.0,
        embedding_norm: None,
        layers,
        norm: sizes.rms(w, "norm")?,
        activation: Gate::Silu,
        width: sizes.hidden,
        positions: config.size(&["max_position_embeddings"])?,
    })
}

/// Gemma 3 as an encoder: normalises before and after each half, and sees to both sides where its config says so.
pub(super) fn gemma3(config: &Config, w: &mut Weights) -> Result<Rotary, ModelError> {
    config.plain_positions()?;
    let odd = config.flag("attn_logit_softcapping")
        || config.text("hidden_activation").is_some_and(|a| a != "gelu_pytorch_tanh");
    if odd {
        return Err(config.damaged("this kind of Gemma 3 is not supported"));
    }
    let mut sizes = Grouped::read(config, 1.0)?;
    sizes.scale = 1.0 / config.float(&["query_pre_attn_scalar"], 256.0).sqrt();
    let both_sides = config.flag("use_bidirectional_attention");
    let window = config.size(&["sliding_window"])?;
    // A window of both sides is halved; one of one side holds the token itself.
    let reach = if both_sides { window / 2 } else { window - 1 };
    let pattern = config.maybe(&["sliding_window_pattern", "_sliding_window_pattern"]).unwrap_or(6).max(1);
    let global = config.float(&["rope_parameters/full_attention/rope_theta", "rope_theta"], 1_000_000.0);
    let local =
        config.float(&["rope_parameters/sliding_attention/rope_theta", "rope_local_base_freq"], 10_000.0);
    let count = config.size(&["num_hidden_layers"])?;
    let mut layers = Vec::new();
    for (i, is_local) in
        config.local_layers(count, |i| !(i + 1).is_multiple_of(pattern)).into_iter().enumerate()
    {
        let name = format!("layers.{i}");
        let base = if is_local { local } else { global };
        let mut layer = sizes.layer(config, w, &name, base, is_local.then_some(reach), !both_sides)?;
        layer.attention_norms.before = sizes.rms(w, &format!("{name}.input_layernorm"))?;
        layer.attention_norms.branch = sizes.rms(w, &format!("{name}.post_attention_layernorm"))?;
        layer.inner_norms.before = sizes.rms(w, &format!("{name}.pre_feedforward_layernorm"))?;
        layer.inner_norms.branch = sizes.rms(w, &format!("{name}.post_feedforward_layernorm"))?;
        layers.push(layer);
    }
    Ok(Rotary {
        words: w.table("embed_tokens.weight", config.size(&["vocab_size"])?, sizes.hidden)?,
        kind: Vec::new(),
        scale: (sizes.hidden as f32).sqrt(),
        embedding_norm: None,
        layers,
        norm: sizes.rms(w, "norm")?,
        activation: Gate::GeluTanh,
        width: sizes.hidden,
        positions: config.size(&["max_position_embeddings"])?,
    })
}
