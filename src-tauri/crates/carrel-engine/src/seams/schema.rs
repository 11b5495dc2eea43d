//! The shape of JSON that a language model is held to: the part of JSON Schema that a small model can be made to write.
//!
//! Objects have all their properties, in the order given; a choice is one of some texts. There are no references, no patterns and no
//! bounds of numbers.

use serde_json::{Map, Value, json};

/// A shape of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// An object with exactly these properties; each is always there.
    Object(Vec<(String, Schema)>),
    /// An array of values of one shape.
    Array {
        /// Of each item.
        items: Box<Schema>,
        /// Least items.
        least: usize,
        /// Most items; without it the tokens are the only end.
        most: Option<usize>,
    },
    /// A text.
    Text {
        /// Most characters (Unicode scalar values); without it the tokens are the only end.
        most: Option<usize>,
    },
    /// One of these texts.
    Choice(Vec<String>),
    /// A number, written without an exponent.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// The shape, or null.
    Nullable(Box<Schema>),
}

impl Schema {
    /// A text of at most so many characters.
    pub fn text(most: usize) -> Self {
        Self::Text { most: Some(most) }
    }

    /// One of these texts.
    pub fn choice<S: Into<String>>(texts: impl IntoIterator<Item = S>) -> Self {
        Self::Choice(texts.into_iter().map(Into::into).collect())
    }

    /// At most so many of a shape.
    pub fn list(items: Schema, most: usize) -> Self {
        Self::Array { items: Box::new(items), least: 0, most: Some(most) }
    }

    /// An object with these properties.
    pub fn object<S: Into<String>>(properties: impl IntoIterator<Item = (S, Schema)>) -> Self {
        Self::Object(properties.into_iter().map(|(name, shape)| (name.into(), shape)).collect())
    }

    /// The shape, or null.
    #[must_use]
    pub fn or_null(self) -> Self {
        Self::Nullable(Box::new(self))
    }

    /// As JSON Schema, for endpoints.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Object(properties) => {
                let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
                let shapes: Map<String, Value> =
                    properties.iter().map(|(name, shape)| (name.clone(), shape.to_json())).collect();
                json!({ "type": "object", "properties": shapes, "required": names, "additionalProperties": false })
            }
            Self::Array { items, least, most } => {
                let mut array = json!({ "type": "array", "items": items.to_json() });
                if *least > 0 {
                    array["minItems"] = json!(least);
                }
                if let Some(most) = most {
                    array["maxItems"] = json!(most);
                }
                array
            }
            Self::Text { most: None } => json!({ "type": "string" }),
            Self::Text { most: Some(most) } => json!({ "type": "string", "maxLength": most }),
            Self::Choice(texts) => json!({ "type": "string", "enum": texts }),
            Self::Number => json!({ "type": "number" }),
            Self::Integer => json!({ "type": "integer" }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Nullable(shape) => json!({ "anyOf": [shape.to_json(), { "type": "null" }] }),
        }
    }

    /// Of JSON Schema. What is not among the shapes here is refused, in words that name it.
    pub fn from_json(schema: &Value) -> Result<Self, String> {
        if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            let is_null = |s: &&Value| s.get("type").and_then(Value::as_str) == Some("null");
            let others: Vec<&Value> = choices.iter().filter(|s| !is_null(s)).collect();
            return match others[..] {
                [one] if others.len() < choices.len() => Ok(Self::from_json(one)?.or_null()),
                _ => Err("a choice between shapes is not supported, save between one and null".to_owned()),
            };
        }
        if let Some(texts) = schema.get("enum").and_then(Value::as_array) {
            let choice: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            let nulls = texts.iter().filter(|t| t.is_null()).count();
            if choice.is_empty() || choice.len() + nulls < texts.len() {
                return Err("only texts and null can be enumerated".to_owned());
            }
            let choice = Self::choice(choice);
            return Ok(if nulls > 0 { choice.or_null() } else { choice });
        }
        match schema.get("type") {
            Some(Value::String(kind)) => Self::of_kind(kind, schema),
            Some(Value::Array(kinds)) => {
                let mut others = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
                match (others.next(), others.next()) {
                    (Some(kind), None) if kinds.len() == 2 => Ok(Self::of_kind(kind, schema)?.or_null()),
                    (Some(kind), None) if kinds.len() == 1 => Self::of_kind(kind, schema),
                    _ => Err("a choice between types is not supported, save between one and null".to_owned()),
                }
            }
            _ => Err("a shape without a type is not supported".to_owned()),
        }
    }

    fn of_kind(kind: &str, schema: &Value) -> Result<Self, String> {
        let size = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
        match kind {
            "object" => {
                let properties = schema.get("properties").and_then(Value::as_object);
                let properties = properties.ok_or("an object without properties is not supported")?;
                let shapes =
                    properties.iter().map(|(name, shape)| Ok((name.clone(), Self::from_json(shape)?)));
                Ok(Self::Object(shapes.collect::<Result<_, String>>()?))
            }
            "array" => {
                let items =
                    schema.get("items").ok_or("an array without the shape of its items is not supported")?;
                let items = Box::new(Self::from_json(items)?);
                let (least, most) = (size("minItems").unwrap_or(0), size("maxItems"));
                if most.is_some_and(|most| most < least) {
                    return Err("an array cannot have more items at least than at most".to_owned());
                }
                Ok(Self::Array { items, least, most })
            }
            "string" => Ok(Self::Text { most: size("maxLength") }),
            "number" => Ok(Self::Number),
            "integer" => Ok(Self::Integer),
            "boolean" => Ok(Self::Boolean),
            other => Err(format!("the type {other} is not supported")),
        }
    }

    /// Where a value departs from the shape, in words; nothing where it keeps to it.
    pub fn departure(&self, value: &Value) -> Option<String> {
        self.departure_at(value, "$")
    }

    fn departure_at(&self, value: &Value, at: &str) -> Option<String> {
        let not = |what: &str| Some(format!("{at} is not {what}"));
        match (self, value) {
            (Self::Nullable(_), Value::Null) => None,
            (Self::Nullable(shape), value) => shape.departure_at(value, at),
            (Self::Object(properties), Value::Object(object)) => {
                if let Some(extra) =
                    object.keys().find(|key| !properties.iter().any(|(name, _)| name == *key))
                {
                    return Some(format!("{at} has a property {extra} that was not asked for"));
                }
                properties.iter().find_map(|(name, shape)| match object.get(name) {
                    Some(value) => shape.departure_at(value, &format!("{at}.{name}")),
                    None => Some(format!("{at} lacks its property {name}")),
                })
            }
            (Self::Object(_), _) => not("an object"),
            (Self::Array { items, least, most }, Value::Array(values)) => {
                if values.len() < *least || most.is_some_and(|most| values.len() > most) {
                    return Some(format!("{at} has {} items", values.len()));
                }
                values
                    .iter()
                    .enumerate()
                    .find_map(|(i, value)| items.departure_at(value, &format!("{at}[{i}]")))
            }
            (Self::Array { .. }, _) => not("an array"),
            (Self::Text { most }, Value::String(text)) => {
                let length = text.chars().count();
                most.is_some_and(|most| length > most).then(|| format!("{at} has {length} characters"))
            }
            (Self::Text { .. }, _) => not("a text"),
            (Self::Choice(texts), Value::String(text)) if texts.contains(text) => None,
            (Self::Choice(texts), _) => Some(format!("{at} is none of {}", texts.join(", "))),
            (Self::Number, Value::Number(_)) => None,
            (Self::Number, _) => not("a number"),
            (Self::Integer, Value::Number(n)) if n.is_i64() || n.is_u64() => None,
            (Self::Integer, _) => not("a whole number"),
            (Self::Boolean, Value::Bool(_)) => None,
            (Self::Boolean, _) => not("true or false"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Schema {
        let claim = Schema::object([
            ("claim", Schema::text(40)),
            ("verdict", Schema::choice(["supported", "unsupported"])),
            ("source", Schema::Integer.or_null()),
        ]);
        Schema::object([
            ("claims", Schema::list(claim, 2)),
            ("sure", Schema::Boolean),
            ("share", Schema::Number),
            ("note", Schema::Text { most: None }),
        ])
    }

    #[test]
    fn a_shape_comes_back_from_json_schema() {
        assert_eq!(Schema::from_json(&claims().to_json()).unwrap(), claims());
        let other = json!({ "type": ["string", "null"], "maxLength": 3 });
        assert_eq!(Schema::from_json(&other).unwrap(), Schema::text(3).or_null());
        let other = json!({ "enum": ["a", null] });
        assert_eq!(Schema::from_json(&other).unwrap(), Schema::choice(["a"]).or_null());
    }

    #[test]
    fn what_it_does_not_know_is_refused() {
        for schema in [
            json!({ "$ref": "#/x" }),
            json!({ "type": "object" }),
            json!({ "type": "array" }),
            json!({ "type": "date" }),
            json!({ "enum": [1, 2] }),
            json!({ "type": ["string", "number"] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] }),
            json!({ "type": "array", "items": { "type": "null" }, "minItems": 1 }),
        ] {
            assert!(Schema::from_json(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn departures_are_named() {
        let good = json!({
            "claims": [{ "claim": "x", "verdict": "supported", "source": null }],
            "sure": true, "share": 0.5, "note": "",
        });
        assert_eq!(claims().departure(&good), None);
        let spoilt = |pointer: &str, value: Value| {
            let mut value_of = good.clone();
            *value_of.pointer_mut(pointer).unwrap() = value;
            claims().departure(&value_of).unwrap()
        };
        assert_eq!(
            spoilt("/claims/0/verdict", json!("maybe")),
            "$.claims[0].verdict is none of supported, unsupported"
        );
        assert_eq!(spoilt("/claims/0/source", json!(1.5)), "$.claims[0].source is not a whole number");
        assert_eq!(spoilt("/claims/0/claim", json!("x".repeat(41))), "$.claims[0].claim has 41 characters");
        assert_eq!(spoilt("/claims", json!([1, 2, 3])), "$.claims has 3 items");
        assert_eq!(spoilt("/sure", json!("yes")), "$.sure is not true or false");
        assert!(claims().departure(&json!({})).unwrap().contains("lacks its property claims"));
        let mut more = good.clone();
        more["more"] = json!(1);
        assert!(claims().departure(&more).unwrap().contains("more"));
    }
}
