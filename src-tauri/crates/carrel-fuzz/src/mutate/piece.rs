//! Pieces of a text: an element of markup, a group in brackets, some lines, some bytes.

use super::Random;
use std::ops::Range;

/// A piece looks for its end this far.
const FAR: usize = 1 << 16;

/// Leaves a piece out, moves, repeats or nests it. False where that would be too long.
pub(super) fn change(bytes: &mut Vec<u8>, most: usize, random: &mut Random) -> bool {
    let range = piece(bytes, random);
    let Some(own) = bytes.get(range.clone()).filter(|own| !own.is_empty()).map(<[u8]>::to_vec) else {
        return false;
    };
    let room = most.saturating_sub(bytes.len());
    match random.below(6) {
        0 => drop(bytes.drain(range)),
        1 => {
            bytes.drain(range);
            let at = place(bytes, random);
            bytes.splice(at..at, own);
        }
        2 if own.len() <= room => {
            let at = place(bytes, random);
            bytes.splice(at..at, own);
        }
        3 if own.len() <= room => {
            let times = (1 << random.below(13)).min(room / own.len());
            bytes.splice(range.end..range.end, own.repeat(times));
        }
        4 => {
            // Nested: the head of an element before itself, again and again, and its tail behind.
            let (head, tail) = head_and_tail(&own);
            let times = (1 << random.below(13)).min(room / (head.len() + tail.len()).max(1));
            let mut nested = head.repeat(times);
            nested.extend_from_slice(&own);
            if random.below(3) > 0 {
                nested.extend(tail.repeat(times));
            }
            bytes.splice(range, nested);
        }
        5 => {
            let other = piece(bytes, random);
            let Some(replacement) = bytes.get(other).map(<[u8]>::to_vec) else { return false };
            if replacement.len() > room {
                return false;
            }
            bytes.splice(range, replacement);
        }
        _ => return false,
    }
    bytes.len() <= most
}

/// What opens and what closes a piece.
fn head_and_tail(own: &[u8]) -> (&[u8], &[u8]) {
    let find = |byte: u8| own.iter().position(|b| *b == byte);
    match own.first() {
        Some(b'<') => {
            let head = find(b'>').map_or(own.len(), |end| end + 1);
            let tail = own.iter().rposition(|b| *b == b'<').filter(|at| *at > 0).unwrap_or(own.len());
            (own.get(..head).unwrap_or_default(), own.get(tail..).unwrap_or_default())
        }
        Some(b'{' | b'[' | b'(') => {
            (own.get(..1).unwrap_or_default(), own.get(own.len() - 1..).unwrap_or_default())
        }
        _ => (own.get(..own.len().min(4)).unwrap_or_default(), &[]),
    }
}

/// A place between two pieces.
fn place(bytes: &[u8], random: &mut Random) -> usize {
    let range = piece(bytes, random);
    if random.below(2) == 0 { range.start } else { range.end }
}

fn piece(bytes: &[u8], random: &mut Random) -> Range<usize> {
    let from = random.below(bytes.len());
    let rest = bytes.get(from..).unwrap_or_default();
    let next = |wanted: &[u8]| rest.iter().take(FAR).position(|b| wanted.contains(b)).map(|i| from + i);
    let found = match random.below(4) {
        0 => next(b"<").and_then(|at| element(bytes, at)),
        1 => next(b"{[(").and_then(|at| group(bytes, at)),
        2 => next(b"\n").map(|at| {
            let lines = 1 + random.below(4);
            let ends =
                bytes.iter().enumerate().skip(at + 1).filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
            at + 1..ends.take(lines).last().unwrap_or(bytes.len())
        }),
        _ => None,
    };
    found.unwrap_or_else(|| {
        let most = 1 << random.below(9);
        from..(from + 1 + random.below(most)).min(bytes.len())
    })
}

/// The element that begins here: to its end, or its tag alone where it has none.
fn element(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..(at + FAR).min(bytes.len()))?;
    let name = rest.get(1..)?.iter().take_while(|b| !b" />\t\r\n".contains(b)).count();
    let name = rest.get(1..=name)?;
    let tag = rest.iter().position(|b| *b == b'>')? + 1;
    if name.is_empty() || rest.get(tag.checked_sub(2)?) == Some(&b'/') {
        return Some(at..at + tag);
    }
    let mut depth = 0_usize;
    for (i, _) in rest.iter().enumerate().filter(|(_, b)| **b == b'<') {
        let after = rest.get(i + 1..)?;
        let is_it = |after: &[u8]| {
            after.starts_with(name) && after.get(name.len()).is_none_or(|b| b" />\t\r\n".contains(b))
        };
        if is_it(after) {
            let end = after.iter().position(|b| *b == b'>')?;
            depth += usize::from(after.get(end.wrapping_sub(1)) != Some(&b'/'));
        } else if after.strip_prefix(b"/").is_some_and(is_it) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                let end = after.iter().position(|b| *b == b'>')?;
                return Some(at..at + i + end + 2);
            }
        }
    }
    Some(at..at + tag)
}

/// The group in brackets that begins here.
fn group(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let open = *bytes.get(at)?;
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    };
    let mut depth = 0_usize;
    for (i, byte) in bytes.iter().enumerate().skip(at).take(FAR) {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at..i + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_groups_are_taken_whole() {
        let text = b"<a><b x='1'>c<b/></b></a>{d{e}}";
        let of = |range: Option<Range<usize>>| String::from_utf8_lossy(&text[range.unwrap()]).into_owned();
        assert_eq!(of(element(text, 3)), "<b x='1'>c<b/></b></a>".replace("</a>", ""));
        assert_eq!(of(element(text, 0)), "<a><b x='1'>c<b/></b></a>");
        assert_eq!(of(group(text, 25)), "{d{e}}");
    }

    #[test]
    fn changes_stay_within_the_room() {
        for seed in 0..5_000 {
            let mut bytes = b"<a>{b}\nc\n<d/></a>".to_vec();
            change(&mut bytes, 100, &mut Random::new(seed));
            assert!(bytes.len() <= 100);
        }
    }
}
