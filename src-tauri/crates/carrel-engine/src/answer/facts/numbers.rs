//! Numbers with their units.

use super::numerals::{chinese, english, is_chinese, multiplier, scale};

/// What is counted or measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer) enum Unit {
    /// A unit under the name that all its writings share.
    Known(&'static str),
    /// A word behind the number, which may be one.
    Word(String),
}

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::answer) struct Number {
    pub(in crate::answer) value: f64,
    pub(in crate::answer) unit: Option<Unit>,
}

impl Number {
    /// Whether it is the same in value, and in unit where both have a known one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let same_value = (self.value - other.value).abs() <= 1e-9 * self.value.abs().max(1.0);
        let same_unit = match (&self.unit, &other.unit) {
            (Some(Unit::Known(a)), Some(Unit::Known(b))) => a == b,
            _ => true,
        };
        same_value && same_unit
    }

    /// Whether both measure the same: known units alike, or the same word behind both.
    pub(in crate::answer) fn measures_as(&self, other: &Self) -> bool {
        matches!((&self.unit, &other.unit), (Some(a), Some(b)) if a == b)
    }
}

/// Units, and how they are written.
const UNITS: &[(&str, &[&str])] = &[
    ("eur", &["€", "eur", "euro", "euros", "欧元"]),
    ("usd", &["$", "usd", "dollar", "dollars", "美元"]),
    ("gbp", &["£", "gbp", "pound", "pounds", "英镑"]),
    ("yen", &["yen", "jpy", "日元"]),
    ("yuan", &["¥", "￥", "元", "yuan", "cny", "rmb", "人民币", "块"]),
    ("%", &["%", "％", "percent", "per cent"]),
    ("kg", &["kg", "kilogram", "kilograms", "公斤", "千克"]),
    ("g", &["g", "gram", "grams", "克"]),
    ("t", &["tonnes", "tonne", "tons", "吨"]),
    ("km", &["km", "kilometre", "kilometres", "kilometers", "公里", "千米"]),
    ("m", &["m", "metre", "metres", "meter", "meters", "米"]),
    ("cm", &["cm", "centimetres", "centimeters", "厘米", "公分"]),
    ("mm", &["mm", "millimetres", "millimeters", "毫米"]),
    ("ml", &["ml", "毫升"]),
    ("l", &["l", "litre", "litres", "liters", "升"]),
    ("°C", &["°c", "℃", "°", "摄氏度", "degrees"]),
    ("bar", &["bar"]),
    ("Nm", &["nm"]),
    ("second", &["s", "second", "seconds", "秒"]),
    ("minute", &["min", "minute", "minutes", "分钟"]),
    ("hour", &["h", "hour", "hours", "小时", "个小时"]),
    ("day", &["day", "days", "天"]),
    ("week", &["week", "weeks", "周", "星期", "个星期"]),
    ("month", &["month", "months", "month's", "months'", "个月"]),
    ("year", &["year", "years", "year's", "years'", "年"]),
    ("piece", &["个", "件", "只", "颗", "本", "份", "次", "人", "位"]),
    ("o'clock", &["o'clock", "点"]),
];

/// The numbers of a text, in order. Numbers of lists (`1. First`) are none.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let lower = text.to_lowercase().replace('’', "'");
    let mut found = Vec::new();
    let mut rest = lower.as_str();
    let mut before: Option<char> = None;
    let mut line_start = true;
    while let Some(c) = rest.chars().next() {
        let word_before = before.is_some_and(|b| b.is_alphanumeric() && b.is_ascii());
        let taken = if c.is_ascii_digit() || is_full_width(c) {
            digits(rest)
        } else if is_chinese(c) {
            numerals(rest, before)
        } else if c.is_ascii_alphabetic() && !word_before {
            words(rest)
        } else {
            None
        };
        match taken {
            Some((value, length)) => {
                let after = &rest[length..];
                let is_of_list = line_start && after.starts_with(". ")
                    || word_before && before.is_some_and(|b| b.is_ascii_alphabetic());
                if !is_of_list {
                    let (value, unit) = scaled(value, after, prefix_unit(&lower[..lower.len() - rest.len()]));
                    found.push(Number { value, unit });
                }
                before = rest[..length].chars().next_back();
                rest = after;
                line_start = false;
            }
            None => {
                let length = if c.is_ascii_alphabetic() {
                    rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())
                } else {
                    c.len_utf8()
                };
                line_start = c == '\n' || line_start && matches!(c, ' ' | '#' | '>');
                before = rest[..length].chars().next_back();
                rest = &rest[length..];
            }
        }
    }
    found
}

fn is_full_width(c: char) -> bool {
    ('０'..='９').contains(&c)
}

/// A number in digits at the beginning of a text, with what separates thousands, a decimal point and a time of day (22:00 is 22.0 with
/// its minutes as hundredths of a fraction that no other number has).
fn digits(text: &str) -> Option<(f64, usize)> {
    let chars: Vec<(usize, char)> = text.char_indices().take(40).collect();
    let value = |c: char| {
        if is_full_width(c) {
            char::from_digit(u32::from(c) - u32::from('０'), 10)
        } else {
            c.is_ascii_digit().then_some(c)
        }
    };
    let digits_from =
        |at: usize| chars[at.min(chars.len())..].iter().take_while(|(_, c)| value(*c).is_some()).count();
    let mut number = String::new();
    let mut at = 0;
    let mut grouped = false;
    while let Some(&(_, c)) = chars.get(at) {
        let next = digits_from(at + 1);
        match value(c) {
            Some(digit) => number.push(digit),
            None if matches!(c, ',' | '\u{a0}' | '\u{202f}' | ' ' | '\'' | '，')
                && next == 3
                && (grouped || (1..=3).contains(&number.len()))
                && c != '，' =>
            {
                // A space parts thousands only where digits go on before it in threes.
                grouped = true;
            }
            None if c == '.' && next > 0 && !number.contains('.') => number.push('.'),
            None if c == ':' && next == 2 && !number.contains('.') && number.len() <= 2 => {
                let minutes: String = chars[at + 1..at + 3].iter().filter_map(|(_, c)| value(*c)).collect();
                let end = chars.get(at + 3).map_or(text.len(), |(end, _)| *end);
                let minutes = minutes.parse::<f64>().ok()?;
                return Some((number.parse::<f64>().ok()? + minutes / 60.0, end));
            }
            None => break,
        }
        at += 1;
    }
    let end = match chars.get(at) {
        Some((end, _)) => *end,
        None => chars.last().map_or(0, |(start, c)| start + c.len_utf8()),
    };
    Some((number.parse().ok()?, end))
}

/// Chinese numerals at the beginning of a text. A single one counts only where a unit follows; 一 hardly ever does.
fn numerals(text: &str, before: Option<char>) -> Option<(f64, usize)> {
    let length = text.find(|c: char| !is_chinese(c)).unwrap_or(text.len());
    let run = &text[..length];
    let after = &text[length..];
    let is_single = run.chars().count() == 1;
    let counts = unit_at(after).is_some();
    // In 百分之八 the unit stands before the number, which is none of its own.
    let is_percent = before == Some('之');
    let says_little = is_single && (!counts || run == "一" && !after.starts_with("个月"));
    if run.chars().all(|c| multiplier(c).is_some()) && is_single || says_little && !is_percent {
        return None;
    }
    Some((chinese(run)?, length))
}

/// English number words at the beginning of a text: "twenty-eight", "two hundred".
fn words(text: &str) -> Option<(f64, usize)> {
    let mut value: Option<f64> = None;
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let gap = rest.len() - rest.trim_start_matches([' ', '-']).len();
        if value.is_some() && gap == 0 {
            break;
        }
        let word = &rest[gap..];
        let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
        let word = &word[..end];
        value = match (english(word), scale(word), value) {
            (Some(new), _, None) => Some(new),
            (Some(new), _, Some(old)) if old >= 20.0 && new < 10.0 || old >= 100.0 => Some(old + new),
            (None, Some(by), Some(old)) => Some(old * by),
            _ => break,
        };
        at += gap + end;
    }
    value.map(|value| (value, at))
}

/// The value with what multiplies it (`48 万`, `3 million`), and its unit.
fn scaled(value: f64, after: &str, before: Option<&'static str>) -> (f64, Option<Unit>) {
    let rest = after.trim_start_matches([' ', '\u{a0}']);
    if let Some((by, rest)) = rest
        .chars()
        .next()
        .and_then(|c| Some((multiplier(c).filter(|by| *by >= 10_000.0)?, &rest[c.len_utf8()..])))
    {
        return (value * by, unit(rest).or(before.map(Unit::Known)));
    }
    let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    if let Some(by) = scale(word) {
        return (value * by, unit(&rest[word.len()..]).or(before.map(Unit::Known)));
    }
    if word == "pm" && value < 12.0 {
        return (value + 12.0, None);
    }
    (value, before.map(Unit::Known).or_else(|| unit(after)))
}

fn unit(after: &str) -> Option<Unit> {
    let rest = after.trim_start_matches([' ', '-', '\u{a0}']);
    if let Some(known) = unit_at(rest) {
        return Some(Unit::Known(known));
    }
    let word: String = rest.chars().take_while(|c| c.is_alphabetic() && c.is_ascii()).collect();
    (word.len() > 2
        && !["and", "the", "for", "from", "with", "per", "are", "was", "not"].contains(&word.as_str()))
    .then_some(Unit::Word(word))
}

/// The known unit at the beginning of a text; the longest writing counts.
fn unit_at(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches([' ', '-', '\u{a0}']);
    let mut best: Option<(&'static str, usize)> = None;
    for (name, writings) in UNITS {
        for writing in *writings {
            let Some(after) = text.strip_prefix(writing) else { continue };
            let ends = !writing.ends_with(|c: char| c.is_ascii_alphabetic())
                || !after.starts_with(|c: char| c.is_ascii_alphanumeric());
            if ends && best.is_none_or(|(_, length)| writing.len() > length) {
                best = Some((name, writing.len()));
            }
        }
    }
    best.map(|(name, _)| name)
}

/// A unit in front of a number: `€ 5`, `EUR 5`.
fn prefix_unit(before: &str) -> Option<&'static str> {
    let before = before.trim_end_matches([' ', '\u{a0}']);
    if before.ends_with("百分之") {
        return Some("%");
    }
    ["eur", "usd", "gbp", "yuan"].into_iter().find(|name| {
        UNITS.iter().filter(|(known, _)| known == name).flat_map(|(_, writings)| writings.iter()).any(
            |writing| {
                let is_sign =
                    matches!(*writing, "€" | "$" | "£" | "¥" | "￥" | "eur" | "usd" | "gbp" | "rmb" | "cny");
                is_sign
                    && before.strip_suffix(writing).is_some_and(|rest| {
                        !writing.starts_with(|c: char| c.is_ascii_alphabetic())
                            || !rest.ends_with(|c: char| c.is_ascii_alphanumeric())
                    })
            },
        )
    })
}
