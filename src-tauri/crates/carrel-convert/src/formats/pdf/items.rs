//! Marks at the start of lines: bullets, numbers of items, and lines of a table of contents.

/// Signs that stand in front of an item.
const BULLETS: &[char] = &[
    '•', '‣', '▪', '◦', '●', '○', '■', '□', '◆', '◇', '➢', '➤', '➔', '✓', '✔', '✗', '☐', '☑', '☒', '►', '▶',
    '▸', '❖', '♦', '★', '◼', '◾', '⁃', '∎', '»', '–', '—', '∙', '·', '-',
];
/// Those of them that are signs within a text as well: a blank must follow.
const AMBIGUOUS: &[char] = &['–', '—', '·', '»', '-', '★'];
/// Fewer dots than this are no leader.
const LEADER: usize = 4;

/// Boxes that are part of what an item says.
const BOXES: &[char] = &['☐', '☑', '☒'];
/// What captions begin with, before their number.
const CAPTIONS: &[&str] = &[
    "figure",
    "fig",
    "table",
    "abbildung",
    "abb",
    "tabelle",
    "tab",
    "tableau",
    "figura",
    "tabla",
    "tabela",
    "рис",
    "рисунок",
    "таблица",
    "图",
    "圖",
    "表",
    "그림",
    "표",
    "図",
];

/// Whether it names a figure or a table by its number.
pub(super) fn is_caption(text: &str) -> bool {
    let text = text.trim_start_matches(['[', '<', '〈', '【', '(']);
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let rest = text.trim_start_matches(char::is_alphabetic).trim_start_matches(['.', ' ', '\u{a0}']);
    CAPTIONS.contains(&word.as_str()) && rest.starts_with(|c: char| c.is_numeric())
}

/// The text behind a bullet. A box to tick stays: it may be ticked.
pub(super) fn bullet(text: &str) -> Option<&str> {
    if text.starts_with(BOXES) {
        return Some(text).filter(|text| text.chars().nth(1).is_some());
    }
    let rest = text.strip_prefix(BULLETS)?;
    if rest.trim_start().starts_with(BULLETS) {
        // A line drawn in signs.
        return None;
    }
    (rest.starts_with(' ') || !text.starts_with(AMBIGUOUS))
        .then(|| rest.trim_start())
        .filter(|rest| !rest.is_empty())
}

/// Whether it is a line drawn in signs: dashes, stars, with hardly a letter.
pub(super) fn is_drawn(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    let signs = text.chars().filter(|c| matches!(c, '-' | '_' | '=' | '*' | '~' | '#' | '–' | '—')).count();
    signs >= 8 && letters * 5 < signs
}

/// Whether it is a bullet and nothing else.
pub(super) fn is_sign(text: &str) -> bool {
    text.trim_end().strip_prefix(BULLETS).is_some_and(str::is_empty)
}

/// Whether it is a bullet, or the number of an item, alone.
pub(super) fn is_marker(text: &str) -> bool {
    let text = text.trim();
    bullet(&format!("{text} x")).is_some() || text == "*" || numbered(&format!("{text} x"))
}

/// Whether it starts as an item of a numbered list does.
pub(super) fn numbered(text: &str) -> bool {
    let text = text.strip_prefix(['(', '[']).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        1..=2 => text.get(digits..),
        0 => text.get(1..).filter(|_| text.starts_with(|c: char| c.is_ascii_lowercase())),
        _ => None,
    };
    rest.and_then(|r| r.strip_prefix([')', '.', ']']))
        .is_some_and(|r| r.starts_with(' ') && (digits > 0 || !text.contains("..")))
}

/// The number of an item (`12. text`), and its text.
pub(super) fn counted(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.strip_prefix(". ")?.trim_start();
    let number = text.get(..digits).filter(|_| (1..=3).contains(&digits))?.parse().ok()?;
    (!rest.is_empty()).then_some((number, rest))
}

/// A line of a table of contents: its title, and the page behind the dots.
pub(super) fn contents_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let tail = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let page = text.get(tail.len()..)?;
    let number = page.chars().all(|c| c.is_ascii_digit()) || page.chars().all(|c| "ivxlc".contains(c));
    if page.is_empty() || page.len() > 6 || !number {
        return None;
    }
    let title = tail.trim_end_matches(['.', '…', '·', '‧', '_', ' ']);
    let leader = tail.get(title.len()..)?;
    let dots: usize = leader
        .chars()
        .map(|c| match c {
            ' ' => 0,
            '…' => 3,
            _ => 1,
        })
        .sum();
    (dots >= LEADER && title.chars().any(char::is_alphanumeric)).then_some((title, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers() {
        assert_eq!(bullet("• one"), Some("one"));
        assert_eq!(bullet("- one"), Some("one"));
        assert_eq!(bullet("☑ paid"), Some("☑ paid"));
        assert_eq!((bullet("–5 degrees"), bullet("-x")), (None, None));
        assert_eq!(bullet("- - - - - - - - x"), None);
        assert!(is_drawn("- - - - - - - - x") && !is_drawn("state-of-the-art, as it was – once"));
        assert!(numbered("1. one") && numbered("(a) one") && numbered("12) x"));
        assert!(!numbered("1.5 times") && !numbered("e.g. this") && !numbered("2024. It"));
        assert_eq!(counted("12. Open it"), Some((12, "Open it")));
        assert_eq!((counted("1.2 Head"), counted("2024. It"), counted("1.")), (None, None, None));
    }

    #[test]
    fn captions() {
        for text in ["Figure 7-26. Nuts", "Table 2: Rows", "[표 1] 비교", "图3 结构", "Fig. 4"] {
            assert!(is_caption(text), "{text}");
        }
        assert!(!is_caption("Table of contents") && !is_caption("Figures 1") && !is_caption("1 Table"));
    }

    #[test]
    fn lines_of_contents() {
        assert_eq!(contents_line("Notices . . . . . . . . vii"), Some(("Notices", "vii")));
        assert_eq!(contents_line("1.2 Roles........... 17"), Some(("1.2 Roles", "17")));
        for text in ["He paid 17", "wait ... 17", "v 1.2.3", ". . . . . 4", "and so on ....."] {
            assert_eq!(contents_line(text), None, "{text}");
        }
    }
}
