//! What a model may say before it answers: the question over again ("Question: How tall is it?"), or "Answer:".
//!
//! Holds text back only as long as it can still be that.

/// The beginning of an answer.
pub(super) struct Opening {
    /// Letters and digits of what may be said, without case.
    echoes: Vec<String>,
    held: String,
    letters: String,
    echoed: bool,
    over: bool,
}

impl Opening {
    pub(super) fn new(question: &str) -> Self {
        let question = letters(question);
        let mut echoes = vec!["answer".to_owned(), "回答".to_owned(), "答案".to_owned()];
        for label in ["question", "问题", ""] {
            echoes.push(format!("{label}{question}"));
        }
        echoes.retain(|e| !e.is_empty());
        Self { echoes, held: String::new(), letters: String::new(), echoed: false, over: false }
    }

    /// Takes a character; returns what can be passed on.
    pub(super) fn push(&mut self, c: char) -> Option<String> {
        if self.over {
            return Some(c.into());
        }
        let ended = matches!(c, '\n' | ':' | '：' | '?' | '？');
        if ended && self.echoes.contains(&self.letters) {
            self.held.clear();
            self.letters.clear();
            self.echoed = true;
            return None;
        }
        self.held.push(c);
        self.letters.push_str(&letters(c.encode_utf8(&mut [0; 4])));
        let possible = self.echoes.iter().any(|e| e.starts_with(&self.letters));
        if possible {
            return None;
        }
        Some(self.rest())
    }

    /// What was held back when the answer ended.
    pub(super) fn rest(&mut self) -> String {
        self.over = true;
        let held = std::mem::take(&mut self.held);
        // "**Answer:** It is" leaves two stars.
        if self.echoed { held.trim_start_matches(['*', ' ', '\n']).to_owned() } else { held }
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(question: &str, answer: &str) -> String {
        let mut opening = Opening::new(question);
        let mut text: String = answer.chars().filter_map(|c| opening.push(c)).collect();
        text.push_str(&opening.rest());
        text.trim().to_owned()
    }

    #[test]
    fn the_question_said_over_again_is_no_answer() {
        for answer in [
            "It is 330 metres tall.",
            "Question: How tall is the tower?\n\nIt is 330 metres tall.",
            "How tall is the tower? It is 330 metres tall.",
            "**Question:** how tall is the tower?\n**Answer:** It is 330 metres tall.",
            "Answer: It is 330 metres tall.",
        ] {
            assert_eq!(opened("How tall is the tower?", answer), "It is 330 metres tall.", "{answer}");
        }
        assert_eq!(opened("塔有多高？", "问题：塔有多高？答案：三百三十米。"), "三百三十米。");
    }

    #[test]
    fn what_only_begins_like_the_question_stays() {
        for answer in
            ["How tall", "Answers differ.", "How tall is the tower is not said.", "Question 7 is open.", ""]
        {
            assert_eq!(opened("How tall is the tower?", answer), answer);
        }
    }
}
