//! The chat template of a model, as its file carries it.
//!
//! Templates are written for Jinja2 in Python; the few Python methods that real ones call are provided here.

use carrel_engine::seams::{Message, ModelError, Role};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Value, ValueKind, from_args};
use minijinja::{Environment, Error, ErrorKind, State, context};

const NAME: &str = "chat";

/// A compiled chat template.
pub(super) struct ChatTemplate {
    environment: Environment<'static>,
}

impl ChatTemplate {
    /// Compiles `source`.
    pub(super) fn compile(source: &str) -> Result<Self, String> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|e| e.to_string())?);
        environment.set_unknown_method_callback(method);
        environment.add_function("raise_exception", |message: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        });
        // A date in the prompt would make equal questions unequal; templates that ask for one get none.
        environment.add_function("strftime_now", |_format: String| String::new());
        environment.add_template_owned(NAME, source.to_owned()).map_err(|e| e.to_string())?;
        Ok(Self { environment })
    }

    /// The prompt that ends where the assistant begins to speak. Where a template refuses a system message, its text is
    /// put in front of the first message of the user.
    pub(super) fn render(&self, messages: &[Message], bos: &str, eos: &str) -> Result<String, ModelError> {
        self.try_render(messages, bos, eos)
            .or_else(|error| match merged(messages) {
                Some(merged) => self.try_render(&merged, bos, eos),
                None => Err(error),
            })
            .map_err(|e| ModelError::Failed(format!("its chat template refused the conversation: {e:#}")))
    }

    fn try_render(&self, messages: &[Message], bos: &str, eos: &str) -> Result<String, Error> {
        let messages: Vec<Value> = messages
            .iter()
            .map(|m| {
                let role = match m.role {
                    Role::System => "system",
                    Role::User => "user",
                    Role::Assistant => "assistant",
                };
                context! { role, content => &m.content }
            })
            .collect();
        self.environment.get_template(NAME)?.render(context! {
            messages,
            bos_token => bos,
            eos_token => eos,
            add_generation_prompt => true,
            // Thinking aloud would be shown as the answer.
            enable_thinking => false,
        })
    }
}

fn merged(messages: &[Message]) -> Option<Vec<Message>> {
    let (first, rest) = messages.split_first()?;
    let (user, later) = rest.split_first()?;
    if first.role != Role::System || user.role != Role::User {
        return None;
    }
    let mut merged =
        vec![Message { role: Role::User, content: format!("{}\n\n{}", first.content, user.content) }];
    merged.extend_from_slice(later);
    Some(merged)
}

fn method(state: &mut State<'_, '_>, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if value.kind() == ValueKind::Map {
        return match name {
            "items" => state.apply_filter("items", std::slice::from_ref(value)),
            "keys" => Ok(value.try_iter()?.collect()),
            "get" => {
                let (key, default): (Value, Option<Value>) = from_args(args)?;
                let found = value.get_item(&key)?;
                Ok(if found.is_undefined() { default.unwrap_or_else(|| Value::from(())) } else { found })
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        };
    }
    let Some(text) = value.as_str() else { return Err(Error::from(ErrorKind::UnknownMethod)) };
    let strip = |left: bool, right: bool| -> Result<Value, Error> {
        let (set,): (Option<String>,) = from_args(args)?;
        let drop = |c: char| set.as_ref().map_or(c.is_whitespace(), |s| s.contains(c));
        let text = if left { text.trim_start_matches(drop) } else { text };
        Ok(Value::from(if right { text.trim_end_matches(drop) } else { text }))
    };
    match name {
        "strip" => strip(true, true),
        "lstrip" => strip(true, false),
        "rstrip" => strip(false, true),
        "upper" => Ok(Value::from(text.to_uppercase())),
        "lower" => Ok(Value::from(text.to_lowercase())),
        "startswith" => from_args::<(&str,)>(args).map(|(p,)| Value::from(text.starts_with(p))),
        "endswith" => from_args::<(&str,)>(args).map(|(p,)| Value::from(text.ends_with(p))),
        "replace" => from_args::<(&str, &str)>(args).map(|(a, b)| Value::from(text.replace(a, b))),
        "split" => {
            let (separator,): (Option<&str>,) = from_args(args)?;
            Ok(match separator {
                Some(separator) => text.split(separator).map(Value::from).collect(),
                None => text.split_whitespace().map(Value::from).collect(),
            })
        }
        _ => Err(Error::from(ErrorKind::UnknownMethod)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, content: &str) -> Message {
        Message { role, content: content.into() }
    }

    #[test]
    fn a_template_that_refuses_the_system_gets_it_in_the_first_message() {
        let template = ChatTemplate::compile(
            "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}\
             {% endif %}<{{ m.role }}>{{ m['content'].strip() }}{% endfor %}{% if add_generation_prompt %}<model>{% endif %}",
        )
        .unwrap();
        let prompt =
            template.render(&[message(Role::System, "Be brief."), message(Role::User, " Why? ")], "^", "$");
        assert_eq!(prompt.unwrap(), "^<user>Be brief.\n\n Why?<model>");
        let error = template.render(&[message(Role::System, "Be brief.")], "^", "$").unwrap_err();
        assert!(error.to_string().contains("no system"), "{error}");
    }

    #[test]
    fn python_methods_and_dates_are_tolerated() {
        let template = ChatTemplate::compile(
            "{{ strftime_now('%Y') }}{{ messages[0].content.split('x')[-1].upper() }}\
             {{ messages[0].get('tool', 'none') }}{{ 'ab'.startswith('a') }}",
        )
        .unwrap();
        assert_eq!(template.render(&[message(Role::User, "axb")], "", "").unwrap(), "BnoneTrue");
    }
}
