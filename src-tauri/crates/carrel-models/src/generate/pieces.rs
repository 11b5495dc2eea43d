//! Bytes of tokens to pieces of text: a character that is split over several tokens is held until it is whole.

/// The bytes that do not make a character yet.
#[derive(Default)]
pub(super) struct Pieces {
    held: Vec<u8>,
}

impl Pieces {
    /// Adds the bytes of a token; hands out what is valid UTF-8 by now. Bytes that can never become a character are
    /// handed out as U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8], on_text: &mut dyn FnMut(&str)) {
        self.held.extend_from_slice(bytes);
        let mut rest = self.held.as_slice();
        let mut text = String::new();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    rest = &[];
                    break;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                    let Some(bad) = error.error_len() else {
                        rest = after;
                        break;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = &after[bad..];
                }
            }
        }
        self.held = rest.to_vec();
        if !text.is_empty() {
            on_text(&text);
        }
    }

    /// The end: what is held will not become whole any more.
    pub(super) fn finish(&mut self, on_text: &mut dyn FnMut(&str)) {
        if !self.held.is_empty() {
            self.held.clear();
            on_text("\u{FFFD}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_come_out_whole() {
        let mut pieces = Pieces::default();
        let mut out = Vec::new();
        for byte in "a港😀é".bytes() {
            pieces.push(&[byte], &mut |t| out.push(t.to_owned()));
        }
        pieces.push(&[0xFF, b'b', 0xE6], &mut |t| out.push(t.to_owned()));
        pieces.finish(&mut |t| out.push(t.to_owned()));
        assert_eq!(out, ["a", "港", "😀", "é", "\u{FFFD}b", "\u{FFFD}"]);
    }
}
