//! Inline Markdown from plain runs: escapes only what would be read as markup, so that text and quotation stay the same.

/// The mark that opens a link; it is closed with `](…)`.
pub(crate) const LINK: &str = "[";

/// Collects the runs of one paragraph, heading or cell. White space is collapsed across runs.
#[derive(Debug, Default, Clone)]
pub(crate) struct Inline {
    out: String,
    /// White space seen and not yet written.
    gap: bool,
    /// Emphasis that is to open before the next letter.
    opening: Vec<&'static str>,
    /// Emphasis that is open, and where its mark stands.
    open: Vec<(&'static str, usize)>,
}

impl Inline {
    /// Appends text; controls go, white space collapses, markup characters are escaped.
    pub(crate) fn text(&mut self, text: &str) {
        let scrubbed = crate::text::clean::scrub(text);
        let mut chars = scrubbed.chars().peekable();
        while let Some(c) = chars.next() {
            if c.is_whitespace() && c != '\u{3000}' {
                self.gap = true;
                continue;
            }
            self.before_letter();
            let previous = self.out.chars().next_back();
            if needs_escape(c, previous, chars.peek().copied()) {
                self.out.push('\\');
            }
            self.out.push(c);
        }
    }

    /// Appends Markdown as it is, without a space before it unless one is due.
    pub(crate) fn raw(&mut self, markdown: &str) {
        if !markdown.is_empty() {
            self.before_letter();
            self.out.push_str(markdown);
        }
    }

    /// Appends a code span.
    pub(crate) fn code(&mut self, text: &str) {
        let text = crate::text::clean::line(text);
        if text.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(&text, '`') + 1);
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        self.raw(&format!("{fence}{pad}{text}{pad}{fence}"));
    }

    /// White space is due.
    pub(crate) fn space(&mut self) {
        self.gap = true;
    }

    /// Opens emphasis (`**` or `*`).
    pub(crate) fn open(&mut self, mark: &'static str) {
        self.opening.push(mark);
    }

    /// Closes the emphasis opened last with this mark; writes nothing where nothing stood in it.
    pub(crate) fn close(&mut self, mark: &'static str) {
        self.close_with(mark, mark);
    }

    /// Closes what was opened last with `mark` by writing `end`.
    pub(crate) fn close_with(&mut self, mark: &'static str, end: &str) {
        if self.opening.last() == Some(&mark) {
            self.opening.pop();
        } else if self.open.last().is_some_and(|(open, _)| *open == mark) {
            self.open.pop();
            self.out.push_str(end);
        }
    }

    /// A line break inside the paragraph.
    pub(crate) fn newline(&mut self) {
        self.gap = false;
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// The Markdown; emphasis still open is closed, a link still open is text.
    pub(crate) fn finish(mut self) -> String {
        while let Some((mark, at)) = self.open.pop() {
            if mark == LINK {
                self.out.replace_range(at..at + LINK.len(), "");
            } else {
                self.out.push_str(mark);
            }
        }
        crate::text::clean::nfc(self.out.into()).into_owned()
    }

    fn before_letter(&mut self) {
        if self.gap {
            if !self.out.is_empty() && !self.out.ends_with('\n') {
                self.out.push(' ');
            }
            self.gap = false;
        }
        for mark in self.opening.drain(..) {
            self.open.push((mark, self.out.len()));
            self.out.push_str(mark);
        }
    }
}

/// Plain text as inline Markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut inline = Inline::default();
    inline.text(text);
    inline.finish()
}

/// Parts of one paragraph as inline Markdown, each escaped as it stands among the others. White space between two parts begins
/// the second.
pub(crate) fn escaped_parts<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut inline = Inline::default();
    let mut start = 0;
    let mut out = Vec::new();
    for part in parts {
        inline.text(part);
        out.push(crate::text::clean::nfc(inline.out.get(start..).unwrap_or_default().into()).into_owned());
        start = inline.out.len();
    }
    out
}

/// Whether `c` would be read as markup between these neighbours.
fn needs_escape(c: char, previous: Option<char>, next: Option<char>) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    match c {
        '`' => true,
        '*' => !(blank(previous) && blank(next)),
        '_' => {
            let run = |c: Option<char>| c == Some('_');
            let opens = !word(previous) && !run(previous) && !blank(next);
            let closes = word(previous) && !word(next) && !run(next);
            opens || closes
        }
        '~' => previous == Some('~') || next == Some('~'),
        '\\' => next.is_some_and(|n| n.is_ascii_punctuation()),
        '<' => next.is_some_and(|n| n.is_ascii_alphabetic() || matches!(n, '/' | '!' | '?')),
        '&' => next.is_some_and(|n| n.is_ascii_alphanumeric() || n == '#'),
        '(' => previous == Some(']'),
        _ => false,
    }
}

/// Escapes what would make a line something else than a paragraph.
pub(crate) fn guard_line_start(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let first = *bytes.first()?;
    let blank_after = |i: usize| bytes.get(i).is_none_or(|b| *b == b' ');
    match first {
        b'#' => {
            let level = bytes.iter().take_while(|b| **b == b'#').count();
            (level <= 6 && blank_after(level)).then_some(0)
        }
        b'>' | b'|' => Some(0),
        b'-' | b'+' | b'*' | b'=' if blank_after(1) || is_rule(line, first) => Some(0),
        b'~' if line.starts_with("~~~") => Some(0),
        b'_' if is_rule(line, first) => Some(0),
        b'[' if line.find("]:").is_some() => Some(0),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            let marker = matches!(bytes.get(digits), Some(b'.' | b')'));
            (digits <= 9 && marker && blank_after(digits + 1)).then_some(digits)
        }
        _ => None,
    }
}

fn is_rule(line: &str, mark: u8) -> bool {
    line.bytes().all(|b| b == mark || b == b' ')
}

/// The longest run of `mark`.
pub(crate) fn longest_run(text: &str, mark: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == mark { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_text_is_not_touched() {
        for text in
            ["C++ and foo_bar, v2026.4.10 [1] a * b 5 < 6 & 7", "“Zoë” – 50 % (x)", "~5 km, ISO-27001"]
        {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("*a* `b` <img> &amp; [x](y)"), r"\*a\* \`b\` \<img> \&amp; [x]\(y)");
    }

    #[test]
    fn emphasis_hugs_its_words() {
        let mut inline = Inline::default();
        inline.text("Para");
        inline.open("**");
        inline.text(" bold ");
        inline.close("**");
        inline.open("*");
        inline.close("*");
        inline.text("end");
        assert_eq!(inline.finish(), "Para **bold** end");
    }
}
