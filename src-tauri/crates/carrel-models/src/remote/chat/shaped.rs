//! JSON of a schema from an endpoint: asked for, and never believed unread.

use carrel_engine::seams::{Finish, Schema};
use serde_json::{Value, json};

/// Asks as the protocol has it.
pub(super) fn ask_for(body: &mut Value, schema: &Schema) {
    body["response_format"] = json!({
        "type": "json_schema",
        "json_schema": { "name": "answer", "strict": true, "schema": schema.to_json() },
    });
}

/// Whether a refusal is about that.
pub(super) fn is_about_shape(detail: &str) -> bool {
    let detail = detail.to_lowercase();
    ["response_format", "json_schema", "response format", "structured output"]
        .iter()
        .any(|words| detail.contains(words))
}

/// Asks in words instead, behind the last message.
pub(super) fn ask_in_words(body: &mut Value, schema: &Schema) {
    if let Some(body) = body.as_object_mut() {
        body.remove("response_format");
    }
    let last = body.pointer_mut("/messages").and_then(Value::as_array_mut).and_then(|all| all.last_mut());
    if let Some(content) = last.and_then(|message| message.get_mut("content")) {
        let said = content.as_str().unwrap_or_default();
        *content =
            format!("{said}\n\nAnswer with nothing but JSON of this JSON Schema:\n{}", schema.to_json())
                .into();
    }
}

/// The JSON in an answer, written briefly, or how it departs from the schema.
pub(super) fn read(text: &str, schema: &Schema, finish: Finish) -> Result<String, String> {
    let begins = match schema {
        Schema::Object(_) => '{',
        Schema::Array { .. } => '[',
        _ => return keeping(serde_json::from_str(text.trim()).ok(), schema, finish),
    };
    // Some models talk before and behind it.
    let value = text.match_indices(begins).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok()
    });
    keeping(value, schema, finish)
}

fn keeping(value: Option<Value>, schema: &Schema, finish: Finish) -> Result<String, String> {
    let departure = match &value {
        None if finish == Finish::Length => Some("its JSON was cut where the tokens ended".to_owned()),
        None => Some("there is no JSON in it that is whole".to_owned()),
        Some(value) => schema.departure(value),
    };
    match (value, departure) {
        (Some(value), None) => Ok(value.to_string()),
        (_, departure) => Err(departure.unwrap_or_default()),
    }
}
