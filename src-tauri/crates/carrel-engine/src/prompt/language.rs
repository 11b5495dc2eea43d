//! Which of the program's two languages a question is in.

use crate::text::Script;

/// A language in which answers, prompts and small talk exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
}

impl Language {
    /// Its ISO 639-1 code.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// Whether it is one of these, by their ISO 639-1 codes; none stand for many.
    pub(crate) fn is_among(self, languages: &[String]) -> bool {
        languages.is_empty() || languages.iter().any(|l| l == self.code())
    }

    /// Chinese where a good part of the letters are Chinese characters and none are kana; English otherwise.
    pub(crate) fn of(text: &str) -> Self {
        let (mut letters, mut han) = (0, 0);
        for script in text.chars().filter_map(Script::of) {
            match script {
                Script::Kana | Script::Hangul => return Self::English,
                Script::Han => {
                    han += 2;
                    letters += 2;
                }
                _ => letters += 1,
            }
        }
        if han * 3 >= letters && han > 0 { Self::Chinese } else { Self::English }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_question() {
        for (text, language) in [
            ("What is this?", Language::English),
            ("这是什么？", Language::Chinese),
            ("Docker 怎么部署？", Language::Chinese),
            ("これは何ですか", Language::English),
            ("What does 频道 mean in this document?", Language::English),
            ("2024?", Language::English),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }
}
