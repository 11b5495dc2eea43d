//! What `config.json` says of a model.

use carrel_engine::seams::ModelError;
use serde_json::Value;
use std::path::Path;

/// The file's content. Families name the same thing differently, so a name is asked for by all that it has.
pub(crate) struct Config {
    content: Value,
    id: String,
}

impl Config {
    /// Reads `config.json` of `folder`. `id` names the model in errors.
    pub(crate) fn read(folder: &Path, id: &str) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged { id: id.to_owned(), detail };
        let file =
            std::fs::read(folder.join("config.json")).map_err(|e| damaged(format!("config.json: {e}")))?;
        let content = serde_json::from_slice(&file).map_err(|e| damaged(format!("config.json: {e}")))?;
        Ok(Self { content, id: id.to_owned() })
    }

    /// The family of the model.
    pub(crate) fn family(&self) -> &str {
        self.text("model_type").unwrap_or("missing")
    }

    /// What the weights were made for, such as `BertForSequenceClassification`.
    pub(crate) fn architecture(&self) -> &str {
        self.content.pointer("/architectures/0").and_then(Value::as_str).unwrap_or_default()
    }

    /// An error about this model.
    pub(crate) fn damaged(&self, detail: impl Into<String>) -> ModelError {
        ModelError::Damaged { id: self.id.clone(), detail: detail.into() }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.content.pointer(&format!("/{name}")).filter(|v| !v.is_null())
    }

    /// A text, where it is given.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Whether it is given and neither false nor 0.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|v| v.as_bool().unwrap_or(v.as_f64() != Some(0.0)))
    }

    /// A number, where it is given under one of `names` (with `/` between an object and what is in it).
    pub(crate) fn maybe(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|n| self.get(n)?.as_u64()).and_then(|n| usize::try_from(n).ok())
    }

    /// A number that must be given.
    pub(crate) fn number(&self, names: &[&str]) -> Result<usize, ModelError> {
        let missing = || self.damaged(format!("config.json names no {}", names.first().unwrap_or(&"")));
        self.maybe(names).ok_or_else(missing)
    }

    /// A number above 0 that must be given.
    pub(crate) fn size(&self, names: &[&str]) -> Result<usize, ModelError> {
        match self.number(names)? {
            0 => Err(self.damaged(format!("config.json says 0 of {}", names.first().unwrap_or(&"")))),
            n => Ok(n),
        }
    }

    /// A fraction, or `otherwise`.
    pub(crate) fn float(&self, names: &[&str], otherwise: f64) -> f32 {
        names.iter().find_map(|n| self.get(n)?.as_f64()).unwrap_or(otherwise) as f32
    }

    /// Which layers see only their neighbourhood: as listed, else all but each `pattern`th as `is_global` tells.
    pub(crate) fn local_layers(&self, layers: usize, is_local: impl Fn(usize) -> bool) -> Vec<bool> {
        match self.get("layer_types").and_then(Value::as_array) {
            Some(types) if types.len() == layers => {
                types.iter().map(|t| t.as_str() == Some("sliding_attention")).collect()
            }
            _ => (0..layers).map(is_local).collect(),
        }
    }

    /// Refuses positions that are stretched: nothing here does that.
    pub(crate) fn plain_positions(&self) -> Result<(), ModelError> {
        for place in [
            "rope_scaling",
            "rope_parameters",
            "rope_parameters/full_attention",
            "rope_parameters/sliding_attention",
        ] {
            let kind =
                self.text(&format!("{place}/rope_type")).or_else(|| self.text(&format!("{place}/type")));
            if kind.is_some_and(|kind| kind != "default") {
                return Err(self.damaged("its way to stretch positions is not supported"));
            }
        }
        Ok(())
    }
}
