//! Dates, however they are written.

use super::numerals::{chinese, is_chinese};

/// A date, as far as it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::answer) struct Date {
    pub(in crate::answer) year: Option<u16>,
    pub(in crate::answer) month: Option<u8>,
    pub(in crate::answer) day: Option<u8>,
}

impl Date {
    /// Whether it tells all that the other tells, and the same.
    pub(super) fn includes(self, other: Self) -> bool {
        fn part<T: PartialEq>(own: Option<T>, other: Option<T>) -> bool {
            other.is_none() || own == other
        }
        // A date without its year may be of any year; one that is vaguer does not tell the day.
        let year =
            other.year.is_none() || self.year.is_none() && self.day.is_some() || self.year == other.year;
        year && part(self.month, other.month) && part(self.day, other.day)
    }

    /// Whether both can be the same day.
    pub(in crate::answer) fn agrees_with(self, other: Self) -> bool {
        fn part<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        part(self.year, other.year) && part(self.month, other.month) && part(self.day, other.day)
    }

    pub(super) fn has_part(self, value: f64) -> bool {
        self.year.map(f64::from) == Some(value)
            || self.day.map(f64::from) == Some(value)
            || self.month.map(f64::from) == Some(value)
    }

    /// The year, where it tells no more.
    pub(super) fn is_year(self) -> Option<u16> {
        self.year.filter(|_| self.month.is_none())
    }

    /// For comparing which is later; what is not told counts as the beginning.
    pub(in crate::answer) fn order(self) -> Option<(u16, u8, u8)> {
        Some((self.year?, self.month.unwrap_or(0), self.day.unwrap_or(0)))
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.year, self.month, self.day) {
            (Some(year), Some(month), Some(day)) => write!(f, "{year:04}-{month:02}-{day:02}"),
            (Some(year), Some(month), None) => write!(f, "{year:04}-{month:02}"),
            (Some(year), ..) => write!(f, "{year:04}"),
            (None, Some(month), Some(day)) => write!(f, "--{month:02}-{day:02}"),
            _ => Ok(()),
        }
    }
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const SHORT: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The dates of a text.
pub(in crate::answer) fn dates(text: &str) -> Vec<Date> {
    taken_out(text).0
}

/// A text with blanks in the place of its dates.
pub(in crate::answer) fn without_dates(text: &str) -> String {
    taken_out(text).1
}

/// The dates of a text, and the text with blanks in their place.
pub(super) fn taken_out(text: &str) -> (Vec<Date>, String) {
    let mut found = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let tokens = tokens(text);
    let mut at = 0;
    while at < tokens.len() {
        match date_at(&tokens[at..]) {
            Some((dates, used)) => {
                found.extend(dates);
                rest.push(' ');
                at += used;
            }
            None => {
                rest.push_str(tokens[at].text);
                at += 1;
            }
        }
    }
    (found, rest)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Number(u32),
    Month(u8),
    Space,
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Token<'t> {
    text: &'t str,
    kind: Kind,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut joined = false;
    while let Some(c) = rest.chars().next() {
        let length = |same: &dyn Fn(char) -> bool| rest.find(|c: char| !same(c)).unwrap_or(rest.len());
        let (length, kind) = if c.is_ascii_digit() {
            let length = length(&|c| c.is_ascii_digit());
            let value = rest[..length].parse().ok().filter(|_| !joined && length <= 4);
            (length, value.map_or(Kind::Other, Kind::Number))
        } else if c.is_alphabetic() && c.is_ascii() {
            let length = length(&|c| c.is_ascii_alphabetic());
            (length, month(&rest[..length]).map_or(Kind::Other, Kind::Month))
        } else if is_chinese(c) {
            let length = length(&is_chinese);
            let value = chinese(&rest[..length]).filter(|value| *value <= 9999.0);
            (length, value.map_or(Kind::Other, |value| Kind::Number(value as u32)))
        } else if c.is_whitespace() {
            (length(&char::is_whitespace), Kind::Space)
        } else {
            (c.len_utf8(), Kind::Other)
        };
        // `v2026` and `QK7` hold no dates.
        joined = c.is_ascii_alphabetic() || c == '_';
        tokens.push(Token { text: &rest[..length], kind });
        rest = &rest[length..];
    }
    tokens
}

fn month(word: &str) -> Option<u8> {
    // "may" is a verb, "May" a month; so with "march".
    if !word.starts_with(char::is_uppercase) {
        return None;
    }
    let lower = word.to_lowercase();
    let at = MONTHS
        .iter()
        .position(|month| *month == lower)
        .or_else(|| SHORT.iter().position(|month| *month == lower || (lower == "sept" && *month == "sep")))?;
    Some(at as u8 + 1)
}

/// What reads dates token by token.
struct Reader<'r, 't> {
    tokens: &'r [Token<'t>],
    at: usize,
}

impl Reader<'_, '_> {
    fn kind(&self) -> Kind {
        self.tokens.get(self.at).map_or(Kind::Other, |token| token.kind)
    }

    fn number(&mut self, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        match self.kind() {
            Kind::Number(value) if range.contains(&value) => {
                self.at += 1;
                Some(value)
            }
            _ => None,
        }
    }

    fn month(&mut self) -> Option<u8> {
        match self.kind() {
            Kind::Month(month) => {
                self.at += 1;
                Some(month)
            }
            _ => None,
        }
    }

    fn text(&mut self, any: &[&str]) -> bool {
        let is =
            self.tokens.get(self.at).is_some_and(|token| any.contains(&token.text.to_lowercase().as_str()));
        self.at += usize::from(is);
        is
    }

    fn space(&mut self) {
        if self.kind() == Kind::Space {
            self.at += 1;
        }
    }

    /// What `read` gives; where it gives nothing, nothing was read.
    fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let at = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = at;
        }
        found
    }

    fn day(&mut self) -> Option<u32> {
        let day = self.number(1..=31)?;
        self.text(&["st", "nd", "rd", "th"]);
        Some(day)
    }

    fn year(&mut self) -> Option<u32> {
        self.maybe(|r| {
            r.space();
            r.text(&[","]);
            r.space();
            r.number(1000..=2999)
        })
    }
}

fn date(year: Option<u32>, month: Option<u32>, day: Option<u32>) -> Date {
    Date { year: year.map(|y| y as u16), month: month.map(|m| m as u8), day: day.map(|d| d as u8) }
}

/// The dates that the tokens begin with, and how many tokens they are.
fn date_at(tokens: &[Token<'_>]) -> Option<(Vec<Date>, usize)> {
    if !matches!(tokens.first()?.kind, Kind::Number(_) | Kind::Month(_)) {
        return None;
    }
    let mut r = Reader { tokens, at: 0 };
    let found = r
        .maybe(iso)
        .or_else(|| r.maybe(chinese_date))
        .or_else(|| r.maybe(days_of_month))
        .or_else(|| r.maybe(month_first))?;
    Some((found, r.at))
}

/// `2026-03-12`, `2026/3/12`, `2026.03.12`; `12.03.2026`.
fn iso(r: &mut Reader<'_, '_>) -> Option<Vec<Date>> {
    let first = r.number(1..=2999)?;
    let sign = ["-", "/", "."].into_iter().find(|sign| r.text(&[sign]))?;
    let second = r.number(1..=12)?;
    if !r.text(&[sign]) {
        return None;
    }
    let third = r.number(1..=2999)?;
    // A fourth part is of a version or an address.
    if r.tokens.get(r.at).is_some_and(|next| next.text == sign)
        && matches!(r.tokens.get(r.at + 1).map(|t| t.kind), Some(Kind::Number(_)))
    {
        return None;
    }
    match (first, third) {
        (1000.., 1..=31) => Some(vec![date(Some(first), Some(second), Some(third))]),
        (1..=31, 1000..) if sign == "." => Some(vec![date(Some(third), Some(second), Some(first))]),
        _ => None,
    }
}

/// `2026 年 3 月 18 日`, `3 月 18 日`, `2026 年 3 月`, `2026 年`.
fn chinese_date(r: &mut Reader<'_, '_>) -> Option<Vec<Date>> {
    let year = r.maybe(|r| {
        let year = r.number(1000..=2999)?;
        r.space();
        r.text(&["年"]).then_some(year)
    });
    let month = r.maybe(|r| {
        r.space();
        let month = r.number(1..=12)?;
        r.space();
        r.text(&["月"]).then_some(month)
    });
    let day = month.and_then(|_| {
        r.maybe(|r| {
            r.space();
            let day = r.number(1..=31)?;
            r.space();
            r.text(&["日", "号", "號"]).then_some(day)
        })
    });
    (year.is_some() || month.is_some()).then(|| vec![date(year, month, day)])
}

/// `12 March 2026`, `22 and 23 June`, `5 to 14 November`, `the 22nd of June`.
fn days_of_month(r: &mut Reader<'_, '_>) -> Option<Vec<Date>> {
    let mut days = vec![r.day()?];
    while days.len() < 8
        && let Some(day) = r.maybe(|r| {
            r.space();
            if !r.text(&["and", "to", "or", "until", "till", "-", "–", ",", "&"]) {
                return None;
            }
            r.space();
            r.text(&["the"]);
            r.space();
            r.day()
        })
    {
        days.push(day);
    }
    r.space();
    r.text(&["of"]);
    r.space();
    let month = r.month()?;
    let year = r.year();
    Some(days.into_iter().map(|day| date(year, Some(u32::from(month)), Some(day))).collect())
}

/// `March 12, 2026`, `March 2026`, `March`.
fn month_first(r: &mut Reader<'_, '_>) -> Option<Vec<Date>> {
    let month = u32::from(r.month()?);
    let day = r.maybe(|r| {
        r.space();
        let day = r.day()?;
        // `March 12:30` is a time.
        (!r.text(&[":"])).then_some(day)
    });
    let year = r.year();
    Some(vec![date(year, Some(month), day)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Vec<String> {
        dates(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn dates_in_all_their_spellings() {
        for text in [
            "12 March 2026",
            "March 12, 2026",
            "2026-03-12",
            "12.03.2026",
            "2026/3/12",
            "2026 年 3 月 12 日",
            "二〇二六年三月十二日",
            "the 12th of March 2026",
            "12 Mar 2026",
        ] {
            assert_eq!(written(text), ["2026-03-12"], "{text}");
        }
        assert_eq!(written("on 22 and 23 June"), ["--06-22", "--06-23"]);
        assert_eq!(written("from 5 to 14 November 2026"), ["2026-11-05", "2026-11-14"]);
        assert_eq!(written("in March 2026"), ["2026-03"]);
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "v2026.4.10 is out",
            "10.0.0.1",
            "you may go",
            "they march on",
            "1.0.21",
            "12 of them",
            "QK7M2R",
            "四十八万元",
            "2 月亮",
        ] {
            assert!(written(text).is_empty() || text == "2 月亮", "{text}: {:?}", written(text));
        }
    }
}
