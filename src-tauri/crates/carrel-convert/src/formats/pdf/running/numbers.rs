//! Numbers of pages in lines at the edge of a page.

/// The words around the number of a page.
const PAGE_WORDS: &[&str] = &[
    "page",
    "of",
    "p",
    "pg",
    "seite",
    "von",
    "página",
    "pagina",
    "de",
    "di",
    "sur",
    "sida",
    "av",
    "side",
    "af",
    "strona",
    "z",
    "стр",
    "страница",
    "из",
    "第",
    "页",
    "頁",
    "共",
    "页共",
    "頁共",
    "ページ",
    "쪽",
];

/// Whether it is the number of a page, with no other word than those around one.
pub(super) fn is_page_number(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| PAGE_WORDS.contains(&word.to_lowercase().as_str()))
}

/// Whether it names the number of all pages beside the page's own, in words.
pub(super) fn says_of(text: &str) -> bool {
    text.contains(char::is_alphabetic)
        && text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).count() == 2
}

/// Whether it says that it stands on this page (of so many), and nothing else.
pub(super) fn says_page(text: &str, page: u32, total: u32) -> bool {
    let numbers: Vec<u32> =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let mut words = words.map(str::to_lowercase).peekable();
    let worded = words.peek().is_some();
    words.all(|word| PAGE_WORDS.contains(&word.as_str()))
        && match numbers.as_slice() {
            [n, m] => *n == page && *m == total,
            [n] => *n == page && total > 1 && worded,
            _ => false,
        }
}

/// The text with a number at its start or end taken out, as page numbers stand.
pub(super) fn normalized(text: &str) -> (String, Option<i64>) {
    let text = text.trim().to_lowercase();
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let tail: String =
        bare.chars().rev().take_while(char::is_ascii_digit).collect::<Vec<_>>().into_iter().rev().collect();
    let head: String = bare.chars().take_while(char::is_ascii_digit).collect();
    // "Page 3 of 12", "3 / 12", "第 3 页 共 12 页": the first number counts, the second stays.
    if let Some(number) = page_of(bare) {
        let word = bare.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().trim();
        return (format!("{word}#of"), Some(number));
    }
    if !tail.is_empty() && tail.len() <= 5 {
        let rest = bare.strip_suffix(tail.as_str()).unwrap_or(bare);
        return (format!("{}#", rest.trim()), tail.parse().ok());
    }
    if !head.is_empty() && head.len() <= 5 {
        let rest = bare.strip_prefix(head.as_str()).unwrap_or(bare);
        return (format!("#{}", rest.trim()), head.parse().ok());
    }
    if let Some(number) = roman(bare) {
        return ("#".into(), Some(number));
    }
    (text, None)
}

/// Fewer letters than this beside numbers may be a heading that counts.
const LONG: usize = 20;

/// Stands for a number, as no character of a text does.
const NUMBER: char = '\0';

/// A long text without its numbers, and the numbers. One at its start stands last: so it does on the page across.
pub(super) fn without(text: &str) -> Option<(String, Vec<i64>)> {
    let (mut key, mut numbers) = (String::new(), Vec::new());
    let text = text.trim().to_lowercase();
    let is_edge = |c: char| !c.is_alphanumeric();
    for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        if !digits.is_empty() {
            // A number that is too long for a page's own tells nothing, but is one.
            numbers.push(digits.parse().unwrap_or(-1));
            key.push(NUMBER);
        }
        key.push_str(part.get(digits.len()..).unwrap_or_default());
    }
    if let Some(rest) = key.strip_prefix(NUMBER) {
        key = format!("{}{NUMBER}", rest.trim_matches(is_edge));
        numbers.rotate_left(1);
    } else if let Some(rest) = key.strip_suffix(NUMBER) {
        key = format!("{}{NUMBER}", rest.trim_matches(is_edge));
    }
    let letters = key.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= LONG && !numbers.is_empty()).then_some((key, numbers))
}

/// The number of a line that says little more than "page n of m".
fn page_of(text: &str) -> Option<i64> {
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).collect();
    let words = text.chars().filter(|c| c.is_alphabetic()).count();
    let chinese = text.contains('第') && text.contains('页') || text.contains('頁');
    match numbers.as_slice() {
        [n, m] if words <= 10 && n.len() <= 5 && m.len() <= 5 => {
            n.parse().ok().filter(|n| m.parse::<i64>().is_ok_and(|m| *n <= m))
        }
        [n] if chinese && words <= 3 => n.parse().ok(),
        _ => None,
    }
}

fn roman(text: &str) -> Option<i64> {
    if text.is_empty() || text.len() > 8 || !text.chars().all(|c| "ivxlc".contains(c)) {
        return None;
    }
    let value = |c| match c {
        'i' => 1,
        'v' => 5,
        'x' => 10,
        'l' => 50,
        _ => 100,
    };
    let values: Vec<i64> = text.chars().map(value).collect();
    let signed = values
        .iter()
        .enumerate()
        .map(|(i, v)| if values.get(i + 1).is_some_and(|next| next > v) { -v } else { *v });
    Some(signed.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_numbers_in_the_text_is_none() {
        assert_eq!(without("# the first line of a text without a figure"), None);
        let (left, right) = (
            without("12 The Official Gazette and News, Vol. 3 #"),
            without("The Official Gazette and News, Vol. 3 13"),
        );
        assert_eq!(left.map(|(_, numbers)| numbers), Some(vec![3, 12]));
        assert_eq!(right.map(|(_, numbers)| numbers), Some(vec![3, 13]));
    }
}
