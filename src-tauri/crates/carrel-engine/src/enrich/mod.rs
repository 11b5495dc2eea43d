//! A line of context in front of each passage, written by a language model: what the passage only points to ("it", "the company",
//! "see above") is named, so that words and meaning find it (Anthropic, "Contextual Retrieval", 2024).
//!
//! The line is searched with the passage and shown apart from it. It is never evidence: no answer is made from it. Refuses lines that
//! name what does not stand in the document. Invariant: a passage is found as it was until its line is written and embedded.

mod line;

use crate::cancel::Cancel;
use crate::ledger::contexts::{Bare, ContextKey};
use crate::prompt::{Language, Prompt, defused};
use crate::seams::{GenerateRequest, Generated, LanguageModel, Message, ModelError, Tokenizer};
use crate::text::{plain_text, sentences};

/// Tokens of the embedder that a passage leaves free for its line.
pub(crate) const ROOM: usize = 48;
/// Tokens that the language model may write.
const TOKENS: usize = 64;
/// Characters of the document's beginning, and of what stands before the passage, that the model is told.
const AROUND: usize = 400;
/// Characters of a passage that the model is told; the line is about its beginning then.
const PASSAGE: usize = 2_400;

const PROMPT: Prompt = Prompt::new(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/context.en.md")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/context.zh.md")),
);

/// What a model is told to write one line.
pub(crate) struct Task {
    language: Language,
    messages: Vec<Message>,
    /// All that it was told of the document: what a line names must stand there.
    material: String,
    passage: String,
}

impl Task {
    /// For a passage in its document.
    pub(crate) fn new(bare: &Bare) -> Self {
        let markdown = &*bare.content.markdown;
        let plain = |text: &str| plain_text(text, false).split_whitespace().collect::<Vec<_>>().join(" ");
        let passage = beginning(&plain(bare.span.of(markdown).unwrap_or_default()), PASSAGE);
        let opening = markdown.get(..bare.span.start).unwrap_or_default();
        let before = end(&plain(tail(opening, AROUND * 8)), AROUND);
        let opening = beginning(&plain(head(opening, AROUND * 8)), AROUND);
        let language = Language::of(&passage);
        let headings = bare.headings.join(" > ");
        let values = [&bare.title, &opening, &headings, &before, &passage].map(|text| defused(text));
        let [title, opening, headings, before, passage] = &values;
        let messages = PROMPT.messages(
            language,
            &[],
            &[
                ("title", title),
                ("opening", opening),
                ("headings", headings),
                ("before", before),
                ("passage", passage),
            ],
        );
        Self { language, messages, material: values.join("\n"), passage: values[4].clone() }
    }

    /// Equal for passages in equal surroundings, whichever model is asked.
    pub(crate) fn key(&self) -> ContextKey {
        let mut hasher = blake3::Hasher::new();
        for message in &self.messages {
            hasher.update(&(message.content.len() as u64).to_le_bytes());
            hasher.update(message.content.as_bytes());
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }

    /// Whether the model speaks the passage's language.
    pub(crate) fn is_for(&self, model: &dyn LanguageModel) -> bool {
        self.language.is_among(&model.spec().languages)
    }

    /// Asks the model. `None` where it wrote nothing of use. `halt` is looked at with each token.
    pub(crate) fn write(
        &self,
        model: &dyn LanguageModel,
        tokenizer: &dyn Tokenizer,
        cancel: &Cancel,
        halt: &dyn Fn() -> bool,
    ) -> Result<(Option<String>, Generated), ModelError> {
        let request = GenerateRequest::new(self.messages.clone(), TOKENS);
        let stop = cancel.child();
        let mut halted = false;
        let mut said = String::new();
        let generated = model.generate(&request, &stop, &mut |piece| {
            said.push_str(piece);
            halted |= halt();
            if halted || line::is_whole(&said) {
                stop.cancel();
            }
        })?;
        if halted || cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let line = line::read(&said, &self.material, &self.passage);
        let line = line.and_then(|line| fitting(&line, tokenizer).transpose()).transpose()?;
        Ok((line, generated))
    }
}

/// A line within its room: whole, or as many of its words as there is room for where that is most of them.
fn fitting(line: &str, tokenizer: &dyn Tokenizer) -> Result<Option<String>, ModelError> {
    // A line break follows.
    let room = ROOM - 2;
    let spans = tokenizer.token_spans(line)?;
    // The sign of what is missing takes one.
    let (Some(over), true) = (spans.get(room - 1), spans.len() > room) else {
        return Ok(Some(line.to_owned()));
    };
    let kept = line.get(..over.start).unwrap_or_default();
    let kept = kept.rfind([' ', '，', '、', '；']).map_or(kept, |at| &kept[..at]);
    Ok((kept.len() * 2 > line.len())
        .then(|| format!("{}…", kept.trim_end_matches([' ', ',', ';', '，', '、', '；']))))
}

/// Whole sentences from the beginning, at least one, or as many characters.
fn beginning(text: &str, characters: usize) -> String {
    let most = head(text, characters);
    if most.len() == text.len() {
        return text.to_owned();
    }
    let whole = sentences(text).into_iter().map(|s| s.end).take_while(|end| *end <= most.len()).last();
    most[..whole.unwrap_or(most.len())].trim_end().to_owned()
}

/// The end of a text, from the beginning of a sentence where one begins in it.
fn end(text: &str, characters: usize) -> String {
    let last = tail(text, characters);
    let from = text.len() - last.len();
    let begins = sentences(text).into_iter().map(|s| s.start).find(|start| *start >= from);
    text[begins.unwrap_or(from)..].to_owned()
}

fn head(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(at, _)| &text[..at])
}

fn tail(text: &str, characters: usize) -> &str {
    let mut from = text.char_indices().rev().take(characters);
    from.by_ref().last().map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::WordsTokenizer;

    #[test]
    fn what_surrounds_a_passage_is_cut_at_sentences() {
        let text = "One is here. Two is there. Three is gone.";
        assert_eq!(beginning(text, 28), "One is here. Two is there.");
        assert_eq!(end(text, 30), "Two is there. Three is gone.");
        assert_eq!((head("泵站在河边", 2), tail("泵站在河边", 2)), ("泵站", "河边"));
        assert_eq!((beginning("", 5), end("", 5)), (String::new(), String::new()));
    }

    #[test]
    fn a_line_stays_within_its_room() {
        let words = |n: usize| vec!["word"; n].join(" ");
        assert_eq!(fitting(&words(46), &WordsTokenizer).unwrap().unwrap(), words(46));
        let cut = fitting(&words(60), &WordsTokenizer).unwrap().unwrap();
        assert_eq!(cut, format!("{}…", words(45)));
        assert_eq!(fitting(&words(200), &WordsTokenizer).unwrap(), None, "what is left says too little");
    }
}
