//! What a question may ask of a thing that a text tells without naming it: "4,200 yen each" speaks of what it costs.
//!
//! Each attribute has its words in a question and its marks in a text. Where a text holds neither, it does not tell it, however much it
//! has in common with the question.

/// Something that is told by its unit or its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Attribute {
    Price,
    Weight,
    Length,
    Temperature,
    Age,
    Telephone,
    Mail,
}

use Attribute::{Age, Length, Mail, Price, Telephone, Temperature, Weight};

const WORDS: &[(Attribute, &[&str])] = &[
    (
        Price,
        &[
            "cost",
            "costs",
            "price",
            "pay",
            "pays",
            "paid",
            "fee",
            "expensive",
            "cheap",
            "多少钱",
            "价格",
            "费用",
        ],
    ),
    (Weight, &["weigh", "weighs", "weight", "heavy", "多重", "体重", "重量"]),
    (
        Length,
        &[
            "tall", "high", "height", "deep", "depth", "wide", "width", "多高", "身高", "高度", "多深",
            "多宽", "多长",
        ],
    ),
    (Temperature, &["hot", "cold", "temperature", "温度", "多热"]),
    (Age, &["old", "age", "aged", "多大", "年龄", "岁数"]),
    (Telephone, &["telephone", "phone", "mobile", "电话", "手机"]),
    (Mail, &["mail", "email", "e-mail", "邮箱", "邮件", "电子邮件"]),
];

/// The attribute that a word of a question asks for; the word folded.
pub(super) fn of_word(word: &str) -> Option<Attribute> {
    WORDS.iter().find(|(_, words)| words.contains(&word)).map(|(attribute, _)| *attribute)
}

/// Words of unspaced scripts that ask for an attribute.
pub(super) fn unspaced() -> impl Iterator<Item = (Attribute, &'static str)> {
    WORDS.iter().flat_map(|(attribute, words)| {
        words.iter().filter(|word| !word.is_ascii()).map(|word| (*attribute, *word))
    })
}

impl Attribute {
    /// Whether a text tells it; the text folded.
    pub(super) fn is_told_by(self, text: &str) -> bool {
        match self {
            Age => {
                has_unit(text, self.units())
                    || ["born", "aged ", "出生", "生于"].iter().any(|word| text.contains(word))
            }
            Telephone => has_telephone(text),
            Mail => text.split_whitespace().any(|word| {
                word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
            }),
            Price | Weight | Length | Temperature => has_unit(text, self.units()),
        }
    }

    /// Whether a row of a table tells it whose unit stands in the head of its column.
    pub(super) fn is_told_by_row(self, row: &str, table: &str) -> bool {
        // A unit of a letter or two is in any table.
        let in_head = |unit: &&str| unit.chars().count() > 2 || !unit.is_ascii();
        row.contains('|')
            && row.chars().any(|c| c.is_ascii_digit())
            && self.units().iter().copied().filter(in_head).any(|unit| {
                table.lines().next().is_some_and(|head| head.contains('|') && head.contains(unit))
            })
    }

    fn units(self) -> &'static [&'static str] {
        match self {
            Price => &[
                "€", "$", "£", "¥", "eur", "euro", "euros", "usd", "dollar", "dollars", "pounds", "yen",
                "yuan", "cents", "元", "块", "美元", "欧元", "英镑", "日元", "美分",
            ],
            Weight => &[
                "kg",
                "g",
                "mg",
                "gram",
                "grams",
                "kilogram",
                "kilograms",
                "tonnes",
                "tons",
                "lb",
                "lbs",
                "ounces",
                "公斤",
                "千克",
                "克",
                "吨",
                "斤",
            ],
            Length => &[
                "m", "cm", "mm", "km", "metre", "metres", "meter", "meters", "feet", "ft", "inches", "miles",
                "米", "厘米", "公分", "毫米", "公里",
            ],
            Temperature => &["°c", "°f", "°", "degrees", "c", "f", "度"],
            Age => &["岁", "years old"],
            Telephone | Mail => &[],
        }
    }
}

/// Whether a number stands before or after one of these.
fn has_unit(text: &str, units: &[&str]) -> bool {
    units.iter().any(|unit| {
        text.match_indices(unit).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + unit.len()..]);
            let letter = |c: char| c.is_ascii_alphabetic();
            let is_word =
                !unit.starts_with(letter) || (!before.ends_with(letter) && !after.starts_with(letter));
            let number_before = before.trim_end_matches([' ', '-', '\u{a0}']).ends_with(is_numeral);
            let number_after = after
                .trim_start_matches([' ', '\u{a0}', ':', '|', '\n'])
                .starts_with(|c: char| c.is_ascii_digit());
            is_word && (number_before || (number_after && !matches!(*unit, "m" | "g" | "c" | "f")))
        })
    })
}

fn is_numeral(c: char) -> bool {
    c.is_ascii_digit() || "零一二两三四五六七八九十百千万半".contains(c)
}

/// Whether a run of digits is there as telephones have it: no date, no amount.
fn has_telephone(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_digit() || matches!(c, ' ' | '-' | '+' | '(' | ')' | '/'))).any(|run| {
        let run = run.trim();
        let digits = run.chars().filter(char::is_ascii_digit).count();
        let is_date = run.len() == 10 && run.split(['-', '/']).map(str::len).eq([4, 2, 2]);
        (7..=15).contains(&digits) && !is_date
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_told_by_its_unit() {
        for (attribute, text) in [
            (Price, "tea ceremony, 15:00, 4,200 yen each"),
            (Price, "一共花了二十八美元"),
            (Weight, "makes one loaf of about 900 g"),
            (Length, "the water stood 12 cm deep"),
            (Temperature, "22 minutes at 220 °c"),
            (Age, "born in rouen in 1951"),
            (Telephone, "call 0555 123 4567"),
            (Mail, "write to ada@example.org"),
        ] {
            assert!(attribute.is_told_by(text), "{attribute:?}: {text}");
        }
        for (attribute, text) in [
            (Price, "the audit is in september 2026"),
            (Weight, "the heron 7 has seven gears"),
            (Age, "the old office, 12 march 2026"),
            (Telephone, "on 2026-03-12, 14 quay street"),
            (Mail, "reminders by e-mail"),
        ] {
            assert!(!attribute.is_told_by(text), "{attribute:?}: {text}");
        }
        let table = "| date | amount_eur |\n| --- | --- |\n| 2026-01-15 | 214.00 |";
        assert!(Price.is_told_by_row("| 2026-01-15 | 214.00 |", table));
        assert!(!Weight.is_told_by_row("| 2026-01-15 | 214.00 |", table));
    }
}
