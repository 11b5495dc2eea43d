//! What language models are told, in the language of the question.
//!
//! Text of people and documents is data: it can neither speak the model's own control words nor be taken for a place to fill in.

mod language;

pub(crate) use language::Language;

use crate::seams::{Message, Role};

/// A prompt in both languages.
pub(crate) struct Prompt {
    english: &'static str,
    chinese: &'static str,
}

impl Prompt {
    /// Of two files: the instructions, a line of three dashes, what is asked with `{names}` of what is filled in.
    pub(crate) const fn new(english: &'static str, chinese: &'static str) -> Self {
        Self { english, chinese }
    }

    /// Instructions, earlier messages, and what is asked with `values` filled in as they are.
    pub(crate) fn messages(
        &self,
        language: Language,
        history: &[Message],
        values: &[(&str, &str)],
    ) -> Vec<Message> {
        let template = match language {
            Language::English => self.english,
            Language::Chinese => self.chinese,
        };
        let (system, user) = template.split_once("\n---\n").unwrap_or(("", template));
        let system = Message { role: Role::System, content: system.trim().to_owned() };
        let earlier = history.iter().map(|m| Message { role: m.role, content: defused(&m.content) });
        let asked = Message { role: Role::User, content: filled(user.trim(), values) };
        std::iter::once(system).chain(earlier).chain([asked]).collect()
    }
}

/// A template with each `{name}` replaced. Values are not looked into.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let known = values
            .iter()
            .find_map(|(name, value)| Some((*value, after.strip_prefix(name)?.strip_prefix('}')?)));
        match known {
            Some((value, later)) => {
                text.push_str(value);
                rest = later;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Opens and closes the text of a document.
pub(crate) const FENCE: &str = "\"\"\"";

/// Text that cannot close its fence, and in which the control words of chat templates are plain text.
pub(crate) fn defused(text: &str) -> String {
    text.replace(FENCE, "'''")
        .replace("<|", "< |")
        .replace("|>", "| >")
        .replace("[INST]", "[ INST]")
        .replace("[/INST]", "[ /INST]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_no_template() {
        let values = [("question", "what is {documents}?"), ("documents", "a {question} b")];
        assert_eq!(
            filled("{documents}|{question}|{other} {", &values),
            "a {question} b|what is {documents}?|{other} {"
        );
    }
}
