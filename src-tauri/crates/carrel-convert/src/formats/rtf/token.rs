//! RTF as tokens.

/// A piece of the file.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// A control word and its number.
    Word(&'a str, Option<i32>),
    /// A control symbol: a backslash and a character that is no letter.
    Symbol(u8),
    /// A byte of text, as it is or written in hex.
    Byte(u8),
}

/// Reads tokens one after the other; whatever the bytes are, it ends.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Passes over raw bytes.
    pub(super) fn pass_over(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let first = self.peek()?;
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            if first != b'\'' {
                return Some(Token::Symbol(first));
            }
            let hex = self.bytes.get(self.at..self.at + 2)?;
            let text = std::str::from_utf8(hex).ok();
            let Some(byte) = text.and_then(|h| u8::from_str_radix(h, 16).ok()) else {
                return Some(Token::Symbol(b'\''));
            };
            self.at += 2;
            return Some(Token::Byte(byte));
        }
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphabetic()) {
            self.at += 1;
        }
        let word = std::str::from_utf8(self.bytes.get(start..self.at)?).unwrap_or_default();
        let digits = self.at;
        if self.peek() == Some(b'-') && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        let number = self.bytes.get(digits..self.at).and_then(|d| std::str::from_utf8(d).ok());
        let number = number.filter(|n| !n.is_empty()).and_then(|n| n.parse().ok());
        if self.peek() == Some(b' ') {
            self.at += 1;
        }
        Some(Token::Word(word, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'{' => return Some(Token::Open),
                b'}' => return Some(Token::Close),
                b'\\' => return self.control(),
                b'\r' | b'\n' | 0 => {}
                byte => return Some(Token::Byte(byte)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_symbols_and_hex() {
        let tokens: Vec<_> = Tokens::new(b"{\\rtf1\\b0 a\\'e9\\~\\u-10179 ?}\n\\").collect();
        let expected = [
            Token::Open,
            Token::Word("rtf", Some(1)),
            Token::Word("b", Some(0)),
            Token::Byte(b'a'),
            Token::Byte(0xe9),
            Token::Symbol(b'~'),
            Token::Word("u", Some(-10179)),
            Token::Byte(b'?'),
            Token::Close,
        ];
        assert_eq!(tokens, expected);
    }
}
