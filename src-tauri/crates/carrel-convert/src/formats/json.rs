//! JSON and JSON Lines: fenced, with text as it reads. Escaped characters are written out, and what stands on one line is laid out.
//!
//! Numbers and order stay as they are. No depth is too deep: nothing here recurses. What is not JSON stays as it is.

use super::code;
use crate::build::Draft;
use carrel_engine::seams::{ConvertError, Limits};

/// A longer line is laid out.
const LONG_LINE: usize = 2_000;
/// Deeper levels are not indented further.
const MAX_INDENT: usize = 32;
/// Laid out it may be so many times as long: beyond, it is little but brackets.
const MAX_GROWTH: usize = 8;

pub(super) fn convert(text: &str, name: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let laid_out = longest_line(text) > LONG_LINE;
    if !laid_out && !text.contains("\\u") {
        return code::fenced(text, Some("json"), limits);
    }
    let lines = crate::catalogue::extension(name).is_some_and(|e| e == "jsonl" || e == "ndjson");
    let room = usize::try_from(limits.output_bytes).unwrap_or(usize::MAX);
    let room = room.min(text.len().saturating_mul(MAX_GROWTH));
    let written = if laid_out && !lines { lay_out(text, room) } else { Some(spelled_out(text)) };
    let mut draft = code::fenced(written.as_deref().unwrap_or(text), Some("json"), limits)?;
    if laid_out && !lines && written.is_some() {
        // Its lines are ours, not those of the file.
        draft.locations.clear();
    }
    Ok(draft)
}

fn longest_line(text: &str) -> usize {
    text.split('\n').map(str::len).max().unwrap_or_default()
}

/// The text with `\u` escapes of visible characters written out. What JSON must escape stays escaped.
fn spelled_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        match unicode_escape(escape) {
            Some((c, length)) => {
                out.push(c);
                rest = escape.get(length..).unwrap_or_default();
            }
            None => {
                let length = escape.chars().take(2).map(char::len_utf8).sum();
                let (kept, after) = escape.split_at(length);
                out.push_str(kept);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The character of `\uXXXX`, surrogate pairs included, if it may stand in a string as it is, and the length of the escape.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let first = unit(0)?;
    let (c, length) = match char::decode_utf16([first]).next()? {
        Ok(c) => (c, 6),
        Err(_) => (char::decode_utf16([first, unit(6)?]).next()?.ok()?, 12),
    };
    (!c.is_control() && c != '"' && c != '\\').then_some((c, length))
}

/// One value a line, indented; `None` where it is no JSON, or too long like that.
fn lay_out(text: &str, room: usize) -> Option<String> {
    let mut out = String::with_capacity(text.len() * 2);
    let mut open: Vec<char> = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    while let Some(c) = rest.chars().next() {
        if out.len() > room {
            return None;
        }
        let mut length = c.len_utf8();
        match c {
            '{' | '[' => {
                let close = if c == '{' { '}' } else { ']' };
                out.push(c);
                let after = rest.get(1..).unwrap_or_default().trim_start();
                if after.starts_with(close) {
                    out.push(close);
                    length = rest.len() - after.len() + 1;
                } else {
                    open.push(close);
                    newline(&mut out, open.len());
                }
            }
            '}' | ']' => {
                if open.pop() != Some(c) {
                    return None;
                }
                newline(&mut out, open.len());
                out.push(c);
            }
            ',' => {
                out.push(',');
                newline(&mut out, open.len());
            }
            ':' => out.push_str(": "),
            '"' => {
                length = string_length(rest)?;
                out.push_str(&spelled_out(rest.get(..length)?));
            }
            _ => {
                length = rest.find([',', ':', '}', ']', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                let word = rest.get(..length).filter(|w| !w.is_empty() && w.is_ascii())?;
                if open.is_empty() && !out.is_empty() {
                    return None;
                }
                out.push_str(word);
            }
        }
        let before = rest.get(length..)?;
        rest = before.trim_start();
        // Values after each other, as in JSON Lines.
        if open.is_empty() && !rest.is_empty() && matches!(c, '}' | ']') {
            out.push('\n');
        }
    }
    open.is_empty().then_some(out)
}

/// Bytes of the string that begins here, quotes included.
fn string_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> String {
        convert(text, "a.json", &Limits::default()).unwrap().markdown
    }

    #[test]
    fn escaped_characters_are_written_out() {
        assert_eq!(
            markdown("{\n \"a\": \"\\u77e5\\u8bc6 \\ud83d\\udcbb \\u0022 \\\\u77e5 \\u0000\"\n}"),
            "```json\n{\n \"a\": \"知识 💻 \\u0022 \\\\u77e5 \\u0000\"\n}\n```"
        );
    }

    #[test]
    fn one_long_line_is_laid_out_with_its_numbers_as_they_are() {
        let long = "x".repeat(3000);
        let text = format!(
            "{{\"n\":12345678901234567890.10,\"e\":[],\"o\":{{}},\"s\":\"{long}\",\"a\":[1,{{\"b\":null}}]}}"
        );
        assert_eq!(
            markdown(&text),
            format!(
                "```json\n{{\n  \"n\": 12345678901234567890.10,\n  \"e\": [],\n  \"o\": {{}},\n  \"s\": \"{long}\",\n  \"a\": [\n    1,\n    {{\n      \"b\": null\n    }}\n  ]\n}}\n```"
            )
        );
    }

    #[test]
    fn brackets_alone_are_not_laid_out() {
        let deep = format!("{}1{}", "[".repeat(3_000), "]".repeat(3_000));
        assert!(markdown(&deep).len() < 2 * deep.len());
    }

    #[test]
    fn what_is_too_deep_for_other_readers_and_what_is_no_json_stays() {
        let deep = format!("{}\"core\"{}", "[".repeat(20_000), "]".repeat(20_000));
        assert!(markdown(&deep).contains("\"core\""));
        let broken = format!("{{\"a\": {}", "x".repeat(3000));
        assert_eq!(markdown(&broken), format!("```json\n{broken}\n```"));
    }
}
