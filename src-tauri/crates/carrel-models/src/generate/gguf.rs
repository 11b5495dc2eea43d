//! What a GGUF file says of its model, besides the weights: sizes, tokens, chat template.

use candle_core::quantized::gguf_file::{Content, Value};
use carrel_engine::seams::ModelError;

/// Reads metadata of one file; `id` names the model in errors.
pub(super) struct Metadata<'a> {
    content: &'a Content,
    id: &'a str,
}

impl<'a> Metadata<'a> {
    pub(super) fn new(content: &'a Content, id: &'a str) -> Self {
        Self { content, id }
    }

    /// An error that names the model.
    pub(super) fn damaged(&self, detail: impl Into<String>) -> ModelError {
        ModelError::Damaged { id: self.id.to_owned(), detail: detail.into() }
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        match self.content.metadata.get(key)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number, whatever width it was written in.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        whole(self.content.metadata.get(key)?)
    }

    pub(super) fn float(&self, key: &str) -> Option<f32> {
        match self.content.metadata.get(key)? {
            Value::F32(v) => Some(*v),
            Value::F64(v) => Some(*v as f32),
            _ => None,
        }
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.content.metadata.get(key)? {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(super) fn floats(&self, key: &str) -> Option<Vec<f32>> {
        let Value::Array(items) = self.content.metadata.get(key)? else { return None };
        items
            .iter()
            .map(|item| match item {
                Value::F32(v) => Some(*v),
                Value::F64(v) => Some(*v as f32),
                _ => None,
            })
            .collect()
    }

    pub(super) fn texts(&self, key: &str) -> Option<Vec<&'a str>> {
        let Value::Array(items) = self.content.metadata.get(key)? else { return None };
        items
            .iter()
            .map(|item| match item {
                Value::String(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    pub(super) fn numbers(&self, key: &str) -> Option<Vec<u64>> {
        let Value::Array(items) = self.content.metadata.get(key)? else { return None };
        items.iter().map(whole).collect()
    }

    /// A size that the model cannot do without.
    pub(super) fn size(&self, key: &str) -> Result<usize, ModelError> {
        match self.number(key) {
            Some(n) if n > 0 => Ok(n as usize),
            _ => Err(self.damaged(format!("the file does not say its {key}"))),
        }
    }
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::U8(v) => Some(u64::from(*v)),
        Value::U16(v) => Some(u64::from(*v)),
        Value::U32(v) => Some(u64::from(*v)),
        Value::U64(v) => Some(*v),
        Value::I8(v) => u64::try_from(*v).ok(),
        Value::I16(v) => u64::try_from(*v).ok(),
        Value::I32(v) => u64::try_from(*v).ok(),
        Value::I64(v) => u64::try_from(*v).ok(),
        _ => None,
    }
}
