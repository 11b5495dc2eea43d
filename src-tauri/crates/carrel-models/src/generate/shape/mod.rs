//! Keeps what a model writes to a [`Schema`]: whatever its logits are, the bytes of its tokens make JSON of that shape.
//!
//! A schema is compiled to a [`Grammar`]; a [`State`] reads bytes and knows which may follow; [`Masks`] turn a state into the tokens
//! that may follow, one walk over the sorted vocabulary for each state that is new. JSON comes out compact, with one space at most
//! after a colon or a comma, texts as UTF-8 with few escapes, and numbers of at most 15 digits on each side of the point, so that every
//! reader agrees on them.

mod grammar;
mod masks;
mod state;

#[cfg(test)]
mod tests;

use super::mask::Mask;
use carrel_engine::seams::{ModelError, Schema};
use grammar::Grammar;
use masks::Masks;
pub(super) use masks::Vocabulary;
use state::State;
use std::sync::{Arc, Mutex, PoisonError};

/// Shapes whose masks are kept: a program asks for few.
const MOST_SHAPES: usize = 4;

/// Shapes that were asked for lately, the oldest first.
#[derive(Default)]
pub(super) struct Shapes(Mutex<Vec<(Schema, Arc<Shape>)>>);

/// A compiled schema and what was learnt of it.
pub(super) struct Shape {
    grammar: Grammar,
    masks: Masks,
}

impl Shapes {
    /// A text that begins to be of this shape. Refuses a schema that nothing can satisfy, or that is too deep.
    pub(super) fn begin(&self, schema: &Schema) -> Result<Shaped, ModelError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = match known.iter().position(|(s, _)| s == schema) {
            Some(i) => known.remove(i).1,
            None => {
                let grammar = Grammar::compile(schema).map_err(|detail| {
                    ModelError::Failed(format!("no answer can have the shape that was asked for: {detail}"))
                })?;
                Arc::new(Shape { grammar, masks: Masks::default() })
            }
        };
        if known.len() == MOST_SHAPES {
            known.remove(0);
        }
        known.push((schema.clone(), Arc::clone(&shape)));
        Ok(Shaped { state: State::begin(&shape.grammar), shape })
    }
}

/// A text on its way to being of a shape.
pub(super) struct Shaped {
    shape: Arc<Shape>,
    state: State,
}

impl Shaped {
    /// The tokens that may come next.
    pub(super) fn mask(&self, vocabulary: &Vocabulary) -> Arc<Mask> {
        self.shape.masks.of(&self.state, &self.shape.grammar, vocabulary)
    }

    /// Takes the bytes of an allowed token.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.state.step(&self.shape.grammar, *byte);
        }
    }

    /// Whether it is whole and nothing may follow.
    pub(super) fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// What makes it whole, as briefly as may be.
    pub(super) fn closing(&self) -> Vec<u8> {
        self.state.closing(&self.shape.grammar)
    }
}
