//! A schema as a flat list of rules.

use super::state::DEPTH;
use carrel_engine::seams::Schema;

/// A rule, by its place.
pub(super) type Rule = u16;

/// The rule of `null`.
pub(super) const NULL: Rule = 0;

/// What a value looks like.
pub(super) enum Kind {
    /// One of these, none the beginning of another; sorted.
    Words(Vec<Vec<u8>>),
    /// A text of at most so many characters.
    Text(u32),
    /// A number.
    Number {
        /// Without a point.
        whole: bool,
    },
    /// An array.
    Array { item: Rule, least: u32, most: u32 },
    /// An object: each property's name with quotes and colon, and its value.
    Object(Vec<(Vec<u8>, Rule)>),
    /// The other rule, or null.
    Nullable(Rule),
}

/// A compiled schema.
pub(super) struct Grammar {
    rules: Vec<Kind>,
    root: Rule,
}

impl Grammar {
    pub(super) fn compile(schema: &Schema) -> Result<Self, String> {
        let mut grammar = Self { rules: vec![Kind::Words(vec![b"null".to_vec()])], root: NULL };
        grammar.root = grammar.add(schema, 1)?;
        Ok(grammar)
    }

    fn add(&mut self, schema: &Schema, depth: usize) -> Result<Rule, String> {
        if depth > DEPTH {
            return Err(format!("it is more than {DEPTH} levels deep"));
        }
        let bound = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let kind = match schema {
            Schema::Object(properties) => {
                let mut added = Vec::new();
                for (name, shape) in properties {
                    added.push((format!("{}:", quoted(name)).into_bytes(), self.add(shape, depth + 1)?));
                }
                Kind::Object(added)
            }
            Schema::Array { items, least, most } => {
                let (least, most) = (bound(*least), most.map_or(u32::MAX, bound));
                if least > most {
                    return Err("an array cannot have more items at least than at most".to_owned());
                }
                Kind::Array { item: self.add(items, depth + 1)?, least, most }
            }
            Schema::Text { most } => Kind::Text(most.map_or(u32::MAX, bound)),
            Schema::Choice(texts) if texts.is_empty() => return Err("a choice is empty".to_owned()),
            Schema::Choice(texts) => {
                let mut words: Vec<Vec<u8>> = texts.iter().map(|text| quoted(text).into_bytes()).collect();
                words.sort_unstable();
                words.dedup();
                Kind::Words(words)
            }
            Schema::Number => Kind::Number { whole: false },
            Schema::Integer => Kind::Number { whole: true },
            Schema::Boolean => Kind::Words(vec![b"false".to_vec(), b"true".to_vec()]),
            Schema::Nullable(shape) => Kind::Nullable(self.add(shape, depth)?),
        };
        let rule = Rule::try_from(self.rules.len()).map_err(|_| "it is too large".to_owned())?;
        self.rules.push(kind);
        Ok(rule)
    }

    pub(super) fn root(&self) -> Rule {
        self.root
    }

    pub(super) fn kind(&self, rule: Rule) -> &Kind {
        // Rules are only made here, and none is ever taken away.
        &self.rules[usize::from(rule)]
    }
}

/// As JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
