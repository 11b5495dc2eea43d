//! Subtitles (SRT and WebVTT): what is said, joined into paragraphs, of which each cue knows its seconds.
//!
//! A paragraph ends at a pause, at a new speaker, or at the end of a sentence when it is long enough. Lines that roll from one cue into the next are written once.

use crate::build::Draft;
use crate::build::inline::escaped_parts;
use crate::build::writer::Writer;
use crate::text::clean;
use carrel_engine::domain::Location;
use carrel_engine::seams::{ConvertError, Limits};

/// A longer silence ends a paragraph.
pub(super) const PAUSE: f64 = 4.0;
/// A paragraph of this many bytes ends with its sentence; one of the second many ends anyhow.
pub(super) const LONG: usize = 400;
pub(super) const TOO_LONG: usize = 1500;

/// A cue with more lines does not roll.
const MOST_LINES: usize = 20;

struct Cue {
    from: f64,
    to: f64,
    speaker: Option<String>,
    lines: Vec<String>,
}

pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let cues = cues(&clean::scrub(text));
    if cues.is_empty() {
        return super::text::convert(text, limits);
    }
    let mut writer = Writer::new(limits.output_bytes);
    // What each cue adds, with its seconds.
    let mut paragraph: Vec<(String, (f64, f64))> = Vec::new();
    let (mut length, mut to) = (0, 0.0);
    let mut speaker: Option<String> = None;
    let mut shown: Vec<String> = Vec::new();
    let mut flush = |paragraph: &mut Vec<(String, (f64, f64))>| {
        let parts = std::mem::take(paragraph);
        let texts = escaped_parts(parts.iter().map(|(text, _)| text.as_str()));
        let located = texts.iter().zip(&parts).map(|(text, (_, seconds))| {
            (text.as_str(), Some(Location { seconds: Some(*seconds), ..Location::default() }))
        });
        writer.paragraph_parts(&located.collect::<Vec<_>>());
    };
    for cue in cues {
        let rolls = cue.lines.len() <= MOST_LINES;
        let fresh: Vec<&String> = cue.lines.iter().filter(|line| !(rolls && shown.contains(line))).collect();
        let ended = paragraph
            .last()
            .is_some_and(|(text, _)| text.ends_with(['.', '!', '?', '…', '"', '”', '。', '！', '？']));
        let turn = cue.speaker.is_some() && cue.speaker != speaker;
        if turn || cue.from - to > PAUSE || length > TOO_LONG || (length > LONG && ended) {
            flush(&mut paragraph);
            (length, to) = (0, cue.from);
        }
        let mut said = String::new();
        let mut before = paragraph.last().map(|(text, _)| text.ends_with(is_east_asian));
        for line in fresh {
            match before {
                None => {
                    if let Some(speaker) = cue.speaker.as_ref().filter(|_| turn) {
                        said = format!("{speaker}: ");
                    }
                }
                Some(dense) if dense && line.starts_with(is_east_asian) => {}
                Some(_) => said.push(' '),
            }
            said.push_str(line);
            before = Some(line.ends_with(is_east_asian));
        }
        if !said.is_empty() {
            length += said.len();
            // Times may run backwards; what is said has a beginning and an end all the same.
            paragraph.push((said, (cue.from.min(cue.to), cue.from.max(cue.to))));
        }
        to = f64::max(to, cue.to);
        if turn {
            speaker.clone_from(&cue.speaker);
        }
        shown = if rolls { cue.lines } else { Vec::new() };
    }
    flush(&mut paragraph);
    writer.finish()
}

/// Characters that no spaces part.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff00}'..='\u{ff60}')
}

fn cues(text: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some((from, to)) = times(line) {
            cues.push(Cue { from, to, speaker: None, lines: Vec::new() });
            open = true;
        } else if line.trim().is_empty() {
            open = false;
        } else if open {
            // A number before the next times belongs to them.
            if lines.peek().is_some_and(|next| times(next).is_some())
                && line.trim().bytes().all(|b| b.is_ascii_digit())
            {
                continue;
            }
            let (speaker, said) = said(line);
            if let Some(cue) = cues.last_mut() {
                cue.speaker = cue.speaker.take().or(speaker);
                if !said.is_empty() {
                    cue.lines.push(said);
                }
            }
        }
    }
    cues.retain(|cue| !cue.lines.is_empty());
    cues
}

/// `00:01:02,500 --> 00:01:04.000 position…`, hours left out or not.
fn times(line: &str) -> Option<(f64, f64)> {
    let (from, rest) = line.split_once("-->")?;
    let to = rest.split_whitespace().next()?;
    Some((seconds(from.trim())?, seconds(to)?))
}

fn seconds(time: &str) -> Option<f64> {
    let mut total = 0.0;
    for (unit, count) in time.split(':').zip(1..) {
        let value: f64 = unit.replace(',', ".").parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0)?;
        total = total * 60.0 + value;
        if count > 3 {
            return None;
        }
    }
    (time.contains(':') && total.is_finite()).then_some(total)
}

/// Who speaks, where it is marked, and what is said, without markup.
fn said(line: &str) -> (Option<String>, String) {
    let mut speaker = None;
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let end = if mark.starts_with('<') { '>' } else { '}' };
        let inside = mark.get(1..).unwrap_or_default();
        let is_mark = if end == '>' {
            inside.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        } else {
            inside.starts_with('\\')
        };
        match inside.split_once(end).filter(|_| is_mark) {
            Some((tag, after)) => {
                if let Some((name, voice)) = tag.split_once(' ')
                    && (name == "v" || name.starts_with("v."))
                {
                    speaker = Some(clean::line(voice)).filter(|v| !v.is_empty());
                }
                rest = after;
            }
            None => {
                out.push_str(mark.get(..1).unwrap_or_default());
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    let out = out.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ");
    (speaker, clean::line(&out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Draft {
        convert(text, &Limits::default()).unwrap()
    }

    #[test]
    fn cues_are_joined_and_know_their_seconds() {
        let d = draft(
            "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i>\r\nthere\r\n\r\n2\r\n00:00:02,600 --> 00:00:04,000\r\nmy friend.\r\n\r\n3\r\n00:01:00,000 --> 00:01:01,000\r\nLater {\\an8}on\r\n",
        );
        assert_eq!(d.markdown, "Hello there my friend.\n\nLater on");
        let seconds: Vec<_> = d.locations.iter().map(|l| l.location.seconds.unwrap()).collect();
        assert_eq!(seconds, [(1.0, 2.5), (2.6, 4.0), (60.0, 61.0)]);
    }

    #[test]
    fn speakers_notes_and_rolling_lines() {
        let d = draft(
            "WEBVTT - x\n\nNOTE\nnot said\n\n00:01.000 --> 00:02.000 align:start\n<v Ann>one\n\n00:02.000 --> 00:03.000\none\ntwo\n\n00:03.000 --> 00:04.000\n<v.loud Ben>three &lt; 4\n",
        );
        assert_eq!(d.markdown, "Ann: one two\n\nBen: three < 4");
    }
}
