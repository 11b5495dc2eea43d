//! The languages whose words are stemmed, and which of them a text is in.
//!
//! Only for the Latin alphabet, whose letters tell no language; other scripts are stemmed by their script. A text's language shows in its
//! stop words, which every sentence has: that needs no model, and says the same of a passage and of what is shown of it. Where little
//! speaks for another language, a text counts as English.

use super::fold::fold_word;
use super::stop_words;
use foldhash::fast::RandomState;
use rust_stemmers::Algorithm;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A language of the Latin alphabet whose words are stemmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WordLanguage {
    /// English, and what cannot be told.
    #[default]
    English,
    /// Danish.
    Danish,
    /// Dutch.
    Dutch,
    /// Finnish.
    Finnish,
    /// French.
    French,
    /// German.
    German,
    /// Hungarian.
    Hungarian,
    /// Italian.
    Italian,
    /// Norwegian.
    Norwegian,
    /// Portuguese.
    Portuguese,
    /// Spanish.
    Spanish,
    /// Swedish.
    Swedish,
    /// Turkish.
    Turkish,
}

/// So much of a text tells its language.
const SAMPLE: usize = 2 << 10;
/// Different stop words of a language, not of English too, that a text of it holds at least.
const DIFFERENT: usize = 5;
/// Share of its words that are stop words of the language, at least.
const SHARE: f32 = 0.2;

const LISTS: &str = include_str!("data/stop_words.txt");

/// A text with more than one of so many characters a sign of source code is no prose.
const SIGNS: usize = 20;

/// Every stop word, folded, with the languages that have it as bits.
static STOP_WORDS: LazyLock<HashMap<String, u16, RandomState>> = LazyLock::new(|| {
    let mut words: HashMap<String, u16, RandomState> = HashMap::default();
    for language in WordLanguage::ALL {
        language.each_stop_word(&mut |word| {
            let mut folded = String::new();
            fold_word(word, &mut folded);
            *words.entry(folded).or_default() |= language.bit();
        });
    }
    words
});

impl WordLanguage {
    /// All, English first.
    pub(crate) const ALL: [Self; 13] = [
        Self::English,
        Self::Danish,
        Self::Dutch,
        Self::Finnish,
        Self::French,
        Self::German,
        Self::Hungarian,
        Self::Italian,
        Self::Norwegian,
        Self::Portuguese,
        Self::Spanish,
        Self::Swedish,
        Self::Turkish,
    ];

    /// ISO 639-1.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Danish => "da",
            Self::Dutch => "nl",
            Self::Finnish => "fi",
            Self::French => "fr",
            Self::German => "de",
            Self::Hungarian => "hu",
            Self::Italian => "it",
            Self::Norwegian => "no",
            Self::Portuguese => "pt",
            Self::Spanish => "es",
            Self::Swedish => "sv",
            Self::Turkish => "tr",
        }
    }

    /// By its [`Self::code`].
    pub(crate) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The Snowball stemmer of its words.
    pub(super) fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::Danish => Algorithm::Danish,
            Self::Dutch => Algorithm::Dutch,
            Self::Finnish => Algorithm::Finnish,
            Self::French => Algorithm::French,
            Self::German => Algorithm::German,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Italian => Algorithm::Italian,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Spanish => Algorithm::Spanish,
            Self::Swedish => Algorithm::Swedish,
            Self::Turkish => Algorithm::Turkish,
        }
    }

    /// Whether a folded word is one of its stop words.
    pub(super) fn is_stop_word(self, folded: &str) -> bool {
        STOP_WORDS.get(folded).is_some_and(|languages| languages & self.bit() != 0)
    }

    /// The language of a passage, by its beginning.
    pub fn of(text: &str) -> Self {
        let sample = &text[..text.floor_char_boundary(SAMPLE)];
        // Source code has words of its own, some of which (`var`, `min`, `at`) are stop words somewhere.
        let signs = sample.bytes().filter(|b| b"{}()[]<>=;".contains(b)).count();
        if signs * SIGNS > sample.len() {
            return Self::English;
        }
        let counted = Counted::of(sample);
        let best = counted.best(&Self::ALL);
        let at = best as usize;
        let clear = counted.different[at] >= DIFFERENT
            && counted.all[at] as f32 >= SHARE * counted.words as f32
            && counted.all[at] * 2 > counted.all[0] * 3;
        if clear { best } else { Self::English }
    }

    /// Which of the languages of a library, or English, a question is in: few words must do.
    pub(crate) fn of_question(text: &str, languages: &[Self]) -> Self {
        if languages.is_empty() { Self::English } else { Counted::of(text).best(languages) }
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }

    fn each_stop_word(self, each: &mut dyn FnMut(&str)) {
        match self {
            Self::English => stop_words::english().for_each(each),
            _ => {
                let of_it = LISTS.lines().find_map(|line| line.strip_prefix(self.code())?.strip_prefix(' '));
                of_it.unwrap_or_default().split(' ').for_each(each);
            }
        }
    }
}

/// Stop words of a text by language.
#[derive(Default)]
struct Counted {
    words: u32,
    all: [u32; WordLanguage::ALL.len()],
    /// Different ones that English does not have.
    different: [usize; WordLanguage::ALL.len()],
}

impl Counted {
    fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        let mut folded = String::new();
        for word in
            text.split(|c: char| !c.is_alphabetic() && c != '\'' && c != '’').filter(|w| !w.is_empty())
        {
            counted.words += 1;
            // Prose writes its stop words small; with a capital they are rather parts of names.
            if word.starts_with(char::is_uppercase) {
                continue;
            }
            folded.clear();
            fold_word(word, &mut folded);
            let Some((known, &languages)) = STOP_WORDS.get_key_value(folded.as_str()) else { continue };
            let new = languages & WordLanguage::English.bit() == 0 && !seen.contains(&known.as_str());
            if new {
                seen.push(known);
            }
            for language in WordLanguage::ALL {
                if languages & language.bit() != 0 {
                    counted.all[language as usize] += 1;
                    counted.different[language as usize] += usize::from(new);
                }
            }
        }
        counted
    }

    /// The one of `languages` with the most stop words; English where it has as many.
    fn best(&self, languages: &[WordLanguage]) -> WordLanguage {
        let mut best = WordLanguage::English;
        for &language in languages {
            if self.all[language as usize] > self.all[best as usize] {
                best = language;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_tells_its_language() {
        for (language, text) in [
            (
                WordLanguage::English,
                "The deposit is paid when the lease is signed, and it is returned within a month.",
            ),
            (
                WordLanguage::German,
                "Die Kaution wird bei der Unterzeichnung des Vertrags gezahlt und ist nach einem Monat zurückzugeben.",
            ),
            (
                WordLanguage::French,
                "Le dépôt de garantie est versé à la signature du bail, et il est restitué dans un délai d'un mois.",
            ),
            (
                WordLanguage::Spanish,
                "La fianza se paga cuando se firma el contrato y será devuelta en el plazo de un mes por el propietario.",
            ),
            (
                WordLanguage::Portuguese,
                "A caução é paga quando o contrato é assinado e será devolvida no prazo de um mês pelo proprietário, que não a pode usar.",
            ),
            (
                WordLanguage::Dutch,
                "De borg wordt betaald bij het tekenen van het contract en moet binnen een maand worden terugbetaald.",
            ),
            (
                WordLanguage::Italian,
                "Il deposito è versato alla firma del contratto e deve essere restituito entro un mese dalla fine della locazione.",
            ),
            (
                WordLanguage::Swedish,
                "Depositionen betalas när avtalet skrivs under och ska betalas tillbaka inom en månad efter att det har upphört.",
            ),
        ] {
            assert_eq!(WordLanguage::of(text), language, "{text}");
        }
    }

    #[test]
    fn code_names_and_short_texts_count_as_english() {
        for text in [
            "for (var i = 0; i < min; i++) { var at = list[i]; var end = at + en; if (!alt) { return sin(i); } }",
            "Die Zauberflöte",
            "Rio de Janeiro, Los Angeles, La Paz, El Paso",
            "",
            "频道设置",
        ] {
            assert_eq!(WordLanguage::of(text), WordLanguage::English, "{text}");
        }
    }

    #[test]
    fn a_question_is_in_a_language_of_its_library() {
        let german = [WordLanguage::German];
        assert_eq!(WordLanguage::of_question("Wie hoch ist die Kaution?", &german), WordLanguage::German);
        assert_eq!(WordLanguage::of_question("How did Lincoln die?", &german), WordLanguage::English);
        assert_eq!(WordLanguage::of_question("Kaution", &german), WordLanguage::English);
        assert_eq!(WordLanguage::of_question("Wie hoch ist die Kaution?", &[]), WordLanguage::English);
    }
}
