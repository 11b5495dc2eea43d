//! The readable text of raw HTML in Markdown: what stands between tags. Only for legibility: whatever it keeps is escaped.

use std::ops::Range;

/// Where the scan stands; a tag, comment or script may span several events.
#[derive(Default)]
pub struct Stripper {
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Tag,
    Quoted(u8),
    Comment,
    /// Inside `script` or `style`, up to its end tag.
    Hidden(&'static str),
}

impl Stripper {
    /// The ranges of `html` that are text.
    pub fn text_of(&mut self, html: &str) -> Vec<Range<usize>> {
        let bytes = html.as_bytes();
        let mut kept = Vec::new();
        let mut from = 0;
        let mut at = 0;
        let mut hides = None;
        while at < bytes.len() {
            match self.state {
                State::Text => {
                    let begins = |c: &u8| c.is_ascii_alphabetic() || matches!(c, b'/' | b'!' | b'?');
                    if bytes[at] == b'<' && bytes.get(at + 1).is_none_or(begins) {
                        kept.push(from..at);
                        let rest = &bytes[at..];
                        hides = ["script", "style"].into_iter().find(|name| starts(&rest[1..], name));
                        self.state = if rest.starts_with(b"<!--") { State::Comment } else { State::Tag };
                    }
                }
                State::Tag => match bytes[at] {
                    quote @ (b'"' | b'\'') => self.state = State::Quoted(quote),
                    b'>' => {
                        self.state = hides.take().map_or(State::Text, State::Hidden);
                        from = at + 1;
                    }
                    _ => {}
                },
                State::Quoted(quote) => {
                    if bytes[at] == quote {
                        self.state = State::Tag;
                    }
                }
                State::Comment => {
                    if bytes[..=at].ends_with(b"-->") {
                        self.state = State::Text;
                        from = at + 1;
                    }
                }
                State::Hidden(name) => {
                    if bytes[at..].starts_with(b"</") && starts(&bytes[at + 2..], name) {
                        self.state = State::Tag;
                    }
                }
            }
            at += 1;
        }
        if self.state == State::Text {
            kept.push(from..bytes.len());
        }
        kept.retain(|range| !range.is_empty());
        kept
    }
}

fn starts(bytes: &[u8], name: &str) -> bool {
    bytes.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        Stripper::default().text_of(html).into_iter().map(|r| &html[r]).collect()
    }

    #[test]
    fn tags_comments_and_scripts_go_and_text_stays() {
        assert_eq!(text("<details><summary>Terms</summary>Ninety days</details>"), "TermsNinety days");
        assert_eq!(text("a<!-- not <b>this</b> -->b"), "ab");
        assert_eq!(text("a<script>alert(1 < 2)</script>b<STYLE>p{}</STYLE>c"), "abc");
        assert_eq!(text("<img alt=\"a > b\" src=x>after"), "after");
        assert_eq!(text("<p>a < b</p>"), "a < b");
        assert_eq!(text("<unfinished"), "");
    }

    #[test]
    fn a_tag_may_span_events() {
        let mut stripper = Stripper::default();
        assert!(stripper.text_of("<div\n").is_empty());
        assert_eq!(stripper.text_of("class=x>word").len(), 1);
    }
}
