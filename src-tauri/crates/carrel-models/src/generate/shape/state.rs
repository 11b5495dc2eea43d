//! Reads JSON of a grammar byte by byte.
//!
//! Invariant: from every state that [`State::step`] accepted, [`State::closing`] leads to a whole value.

use super::grammar::{Grammar, Kind, NULL, Rule};

/// Values within values, at most.
pub(super) const DEPTH: usize = 12;
/// Digits on each side of the point: what a 64-bit float tells apart.
const DIGITS: u8 = 15;

/// Where in a value the text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum At {
    /// Before its first byte.
    #[default]
    Begin,
    /// So many bytes into a word, which may still be this one or a later one with the same beginning.
    Word { which: u32, done: u32 },
    /// In a text that may have so many more characters.
    Text { left: u32 },
    /// Behind a backslash.
    Escape { left: u32 },
    /// In a character: so many bytes follow, the next one within these bounds.
    Character { left: u32, more: u8, low: u8, high: u8 },
    /// Behind the sign of a number.
    Minus,
    /// Behind a zero that nothing but a point can follow.
    Zero,
    /// Behind so many digits.
    Digits(u8),
    /// Behind the point.
    Point,
    /// Behind so many digits after the point.
    Decimals(u8),
    /// Behind the bracket.
    Open,
    /// Before the item with this number: behind a comma.
    Item(u32),
    /// Behind so many items.
    Items(u32),
    /// So many bytes into the name of a property.
    Name { property: u16, done: u16 },
    /// Before the value of a property: behind its colon.
    Value(u16),
    /// Behind the value of a property.
    Values(u16),
    /// Behind the comma before a property.
    Next(u16),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Frame {
    rule: Rule,
    at: At,
}

/// A value and those around it. Small enough to be copied for every byte that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    frames: [Frame; DEPTH],
    depth: u8,
}

/// What a byte does to the innermost value.
enum Step {
    /// It belongs to it.
    To(At),
    /// It ends it.
    Ends,
    /// The value ended before it.
    Ended,
    /// It begins a value inside; behind that one, the text is here.
    Inside(Rule, At),
    /// The byte before a value inside.
    Before(Rule, At),
    /// It is read as the beginning of another rule.
    As(Rule),
    /// It cannot come here.
    Never,
}

impl State {
    pub(super) fn begin(grammar: &Grammar) -> Self {
        let mut state = Self { frames: [Frame::default(); DEPTH], depth: 0 };
        state.push(grammar.root());
        state
    }

    fn push(&mut self, rule: Rule) -> bool {
        let Some(frame) = self.frames.get_mut(usize::from(self.depth)) else { return false };
        *frame = Frame { rule, at: At::Begin };
        self.depth += 1;
        true
    }

    fn pop(&mut self) {
        self.depth -= 1;
        // So that equal states are equal.
        self.frames[usize::from(self.depth)] = Frame::default();
    }

    fn top(&mut self) -> Option<&mut Frame> {
        self.frames[..usize::from(self.depth)].last_mut()
    }

    /// Nothing may follow.
    pub(super) fn is_over(&self) -> bool {
        self.depth == 0
    }

    /// It can end here.
    pub(super) fn is_whole(&self) -> bool {
        self.depth == 0 || (self.depth == 1 && may_end(self.frames[0].at))
    }

    /// Takes a byte; false where it cannot come here, and then the state is of no use.
    pub(super) fn step(&mut self, grammar: &Grammar, byte: u8) -> bool {
        loop {
            let Some(frame) = self.top() else { return false };
            match step(grammar.kind(frame.rule), frame.at, byte) {
                Step::To(at) => {
                    frame.at = at;
                    return true;
                }
                Step::Ends => {
                    self.pop();
                    return true;
                }
                Step::Ended => self.pop(),
                Step::As(rule) => *frame = Frame { rule, at: At::Begin },
                Step::Inside(rule, behind) => {
                    frame.at = behind;
                    if !self.push(rule) {
                        return false;
                    }
                }
                Step::Before(rule, behind) => {
                    frame.at = behind;
                    return self.push(rule);
                }
                Step::Never => return false,
            }
        }
    }

    /// The shortest text that makes it whole, or nearly.
    pub(super) fn closing(mut self, grammar: &Grammar) -> Vec<u8> {
        let mut text = Vec::new();
        while let Some(frame) = self.top() {
            if may_end(frame.at) {
                self.pop();
                continue;
            }
            let byte = towards_end(grammar, *frame);
            if !self.step(grammar, byte) {
                break;
            }
            text.push(byte);
        }
        text
    }

    /// The same for all that follows within a token of so many characters: long texts have one mask.
    pub(super) fn as_seen_by(mut self, characters: u32) -> Self {
        if let Some(frame) = self.top()
            && let At::Text { left } | At::Escape { left } | At::Character { left, .. } = &mut frame.at
        {
            *left = (*left).min(characters);
        }
        self
    }
}

/// Whether a number can end here.
fn may_end(at: At) -> bool {
    matches!(at, At::Zero | At::Digits(_) | At::Decimals(_))
}

fn step(kind: &Kind, at: At, byte: u8) -> Step {
    match kind {
        Kind::Nullable(_) if byte == b'n' => Step::As(NULL),
        Kind::Nullable(rule) => Step::As(*rule),
        Kind::Words(words) => word(words, at, byte),
        Kind::Text(most) => text(*most, at, byte),
        Kind::Number { whole } => number(*whole, at, byte),
        Kind::Array { item, least, most } => array(*item, (*least, *most), at, byte),
        Kind::Object(properties) => object(properties, at, byte),
    }
}

fn word(words: &[Vec<u8>], at: At, byte: u8) -> Step {
    let (which, done) = match at {
        At::Word { which, done } => (which as usize, done as usize),
        _ => (0, 0),
    };
    let Some(beginning) = words.get(which).and_then(|word| word.get(..done)) else { return Step::Never };
    let same = |word: &Vec<u8>| word.starts_with(beginning) && word.get(done) == Some(&byte);
    match words.iter().enumerate().skip(which).find(|(_, word)| same(word)) {
        Some((_, word)) if word.len() == done + 1 => Step::Ends,
        Some((i, _)) => Step::To(At::Word { which: i as u32, done: done as u32 + 1 }),
        None => Step::Never,
    }
}

fn text(most: u32, at: At, byte: u8) -> Step {
    match (at, byte) {
        (At::Begin, b'"') => Step::To(At::Text { left: most }),
        (At::Text { .. }, b'"') => Step::Ends,
        (At::Text { left: 0 }, _) => Step::Never,
        (At::Text { left }, b'\\') => Step::To(At::Escape { left: left - 1 }),
        (At::Text { left }, b' '..=b'~') => Step::To(At::Text { left: left - 1 }),
        (At::Text { left }, lead) => {
            // The well-formed byte sequences of the Unicode Standard, table 3-7.
            let (more, low, high) = match lead {
                0xC2..=0xDF => (1, 0x80, 0xBF),
                0xE0 => (2, 0xA0, 0xBF),
                0xED => (2, 0x80, 0x9F),
                0xE1..=0xEF => (2, 0x80, 0xBF),
                0xF0 => (3, 0x90, 0xBF),
                0xF1..=0xF3 => (3, 0x80, 0xBF),
                0xF4 => (3, 0x80, 0x8F),
                _ => return Step::Never,
            };
            Step::To(At::Character { left: left - 1, more, low, high })
        }
        (At::Character { left, more, low, high }, byte) if (low..=high).contains(&byte) => match more {
            1 => Step::To(At::Text { left }),
            _ => Step::To(At::Character { left, more: more - 1, low: 0x80, high: 0xBF }),
        },
        (At::Escape { left }, b'"' | b'\\' | b'/' | b'n' | b'r' | b't') => Step::To(At::Text { left }),
        _ => Step::Never,
    }
}

fn number(whole: bool, at: At, byte: u8) -> Step {
    match (at, byte) {
        (At::Begin, b'-') => Step::To(At::Minus),
        (At::Begin, b'0') => Step::To(At::Zero),
        // A whole number is never −0, which readers take for a float.
        (At::Minus, b'0') if !whole => Step::To(At::Zero),
        (At::Begin | At::Minus, b'1'..=b'9') => Step::To(At::Digits(1)),
        (At::Digits(n), b'0'..=b'9') if n < DIGITS => Step::To(At::Digits(n + 1)),
        (At::Zero | At::Digits(_), b'.') if !whole => Step::To(At::Point),
        (At::Point, b'0'..=b'9') => Step::To(At::Decimals(1)),
        (At::Decimals(n), b'0'..=b'9') if n < DIGITS => Step::To(At::Decimals(n + 1)),
        (At::Zero | At::Digits(_) | At::Decimals(_), _) => Step::Ended,
        _ => Step::Never,
    }
}

fn array(item: Rule, (least, most): (u32, u32), at: At, byte: u8) -> Step {
    // Beyond what the bounds count, one number of items is as good as another.
    let counted = |n: u32| At::Items(if most == u32::MAX { n.min(least) } else { n });
    match (at, byte) {
        (At::Begin, b'[') => Step::To(At::Open),
        (At::Open, b']') if least == 0 => Step::Ends,
        (At::Open, _) if most > 0 => Step::Inside(item, counted(1)),
        (At::Items(n), b']') if n >= least => Step::Ends,
        (At::Items(n), b',') if n < most => Step::To(At::Item(n)),
        (At::Item(n), b' ') => Step::Before(item, counted(n + 1)),
        (At::Item(n), _) => Step::Inside(item, counted(n + 1)),
        _ => Step::Never,
    }
}

fn object(properties: &[(Vec<u8>, Rule)], at: At, byte: u8) -> Step {
    let name = |property: u16, done: u16| {
        let Some((name, _)) = properties.get(usize::from(property)) else { return Step::Never };
        match name.get(usize::from(done)) {
            Some(next) if *next != byte => Step::Never,
            Some(_) if usize::from(done) + 1 == name.len() => Step::To(At::Value(property)),
            Some(_) => Step::To(At::Name { property, done: done + 1 }),
            None => Step::Never,
        }
    };
    let value = |property: u16| properties.get(usize::from(property)).map(|(_, rule)| *rule);
    match (at, byte) {
        (At::Begin, b'{') => Step::To(At::Open),
        (At::Open, b'}') if properties.is_empty() => Step::Ends,
        (At::Open, _) => name(0, 0),
        (At::Name { property, done }, _) => name(property, done),
        (At::Value(property), _) => match value(property) {
            Some(rule) if byte == b' ' => Step::Before(rule, At::Values(property)),
            Some(rule) => Step::Inside(rule, At::Values(property)),
            None => Step::Never,
        },
        (At::Values(property), b'}') if usize::from(property) + 1 == properties.len() => Step::Ends,
        (At::Values(property), b',') if usize::from(property) + 1 < properties.len() => {
            Step::To(At::Next(property + 1))
        }
        (At::Next(property), b' ') => Step::To(At::Name { property, done: 0 }),
        (At::Next(property), _) => name(property, 0),
        _ => Step::Never,
    }
}

/// A byte that leads to the end of the value, and is not its end where more must come.
fn towards_end(grammar: &Grammar, Frame { rule, at }: Frame) -> u8 {
    let inside = |rule: Rule| towards_end(grammar, Frame { rule, at: At::Begin });
    match (grammar.kind(rule), at) {
        (Kind::Nullable(_), _) => b'n',
        (Kind::Words(words), At::Word { which, done }) => {
            words.get(which as usize).and_then(|word| word.get(done as usize)).copied().unwrap_or_default()
        }
        (Kind::Words(words), _) => words.first().and_then(|word| word.first()).copied().unwrap_or_default(),
        (Kind::Text(_), At::Escape { .. }) => b'n',
        (Kind::Text(_), At::Character { low, .. }) => low,
        (Kind::Text(_), _) => b'"',
        (Kind::Number { .. }, At::Minus) => b'1',
        (Kind::Number { .. }, _) => b'0',
        (Kind::Array { .. }, At::Begin) => b'[',
        (Kind::Array { item, least, .. }, At::Open) if *least > 0 => inside(*item),
        (Kind::Array { item, .. }, At::Item(_)) => inside(*item),
        (Kind::Array { least, .. }, At::Items(n)) if n < *least => b',',
        (Kind::Array { .. }, _) => b']',
        (Kind::Object(_), At::Begin) => b'{',
        (Kind::Object(properties), at) => {
            let property = |i: u16| properties.get(usize::from(i));
            let name =
                |i: u16, done: u16| property(i).and_then(|(name, _)| name.get(usize::from(done)).copied());
            let byte = match at {
                At::Open => name(0, 0),
                At::Name { property, done } => name(property, done),
                At::Next(property) => name(property, 0),
                At::Value(i) => property(i).map(|(_, rule)| inside(*rule)),
                At::Values(i) if usize::from(i) + 1 < properties.len() => Some(b','),
                _ => None,
            };
            byte.unwrap_or(b'}')
        }
    }
}
