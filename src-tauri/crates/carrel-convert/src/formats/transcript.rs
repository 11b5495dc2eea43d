//! What was said in a recording, as paragraphs of segments that know their seconds.

use super::subtitles::{LONG, PAUSE, TOO_LONG, is_east_asian};
use crate::audio::Recording;
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use carrel_engine::domain::{Location, clock_time};
use carrel_engine::seams::{ConvertError, Limits, SpokenSegment, Transcript};

/// Doubtful places that are named.
const NAMED: usize = 3;

/// Writes a transcript down.
pub(crate) fn write(
    transcript: &Transcript,
    recording: Recording,
    limits: &Limits,
) -> Result<Draft, ConvertError> {
    if transcript.segments.is_empty() {
        return Err(ConvertError::NoText { detail: "there is no speech in it".into() });
    }
    let mut writer = Writer::new(limits.output_bytes);
    writer.title(recording.title.as_deref().unwrap_or_default());
    let mut paragraph: Vec<&SpokenSegment> = Vec::new();
    let mut length = 0;
    for segment in &transcript.segments {
        if let Some(last) = paragraph.last() {
            let ended = last.text.ends_with(['.', '!', '?', '…', '"', '”', '。', '！', '？']);
            let pause = segment.seconds.0 - last.seconds.1 > PAUSE;
            if pause || length > TOO_LONG || (length > LONG && ended) {
                flush(&mut writer, &mut paragraph);
                length = 0;
            }
        }
        length += segment.text.len();
        paragraph.push(segment);
    }
    flush(&mut writer, &mut paragraph);
    for warning in recording.missing {
        writer.missing(&warning.code, warning.message);
    }
    if !transcript.doubtful.is_empty() {
        let named = transcript.doubtful.iter().take(NAMED);
        let named: Vec<String> =
            named.map(|(from, to)| format!("{}–{}", clock_time(*from), clock_time(*to))).collect();
        let more = match transcript.doubtful.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more places"),
        };
        writer
            .note("low_confidence", format!("what was said at {}{more} was hard to hear", named.join(", ")));
    }
    writer.finish()
}

fn flush(writer: &mut Writer, paragraph: &mut Vec<&SpokenSegment>) {
    let mut parts: Vec<(String, Option<Location>)> = Vec::new();
    for segment in paragraph.drain(..) {
        let joined = parts
            .last()
            .is_none_or(|(last, _)| last.ends_with(is_east_asian) && segment.text.starts_with(is_east_asian));
        if !joined {
            parts.push((" ".to_owned(), None));
        }
        let location = Location { seconds: Some(segment.seconds), ..Location::default() };
        parts.push((escaped(&segment.text.replace('\n', " ")), Some(location)));
    }
    let parts: Vec<(&str, Option<Location>)> =
        parts.iter().map(|(text, location)| (text.as_str(), location.clone())).collect();
    writer.paragraph_parts(&parts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrel_engine::domain::Span;

    fn segment(from: f64, to: f64, text: &str) -> SpokenSegment {
        SpokenSegment { seconds: (from, to), text: text.to_owned() }
    }

    fn transcript(segments: Vec<SpokenSegment>) -> Transcript {
        Transcript { language: Some("en".into()), segments, doubtful: Vec::new() }
    }

    #[test]
    fn segments_become_paragraphs_and_keep_their_seconds() {
        let said = transcript(vec![
            segment(0.0, 2.5, "The *keeper* wrote it down."),
            segment(2.5, 4.0, "Nobody read it."),
            segment(30.0, 32.0, "1. Later on"),
        ]);
        let draft = write(&said, Recording::default(), &Limits::default()).unwrap();
        assert_eq!(draft.markdown, "The \\*keeper\\* wrote it down. Nobody read it.\n\n1\\. Later on");
        let at = |words: &str| {
            let start = draft.markdown.find(words).unwrap();
            Location::of_span(Span::new(start, start + words.len()), &draft.locations).seconds.unwrap()
        };
        assert_eq!((at("wrote it"), at("Nobody"), at("Later")), ((0.0, 2.5), (2.5, 4.0), (30.0, 32.0)));
    }

    #[test]
    fn chinese_is_joined_without_spaces_and_doubts_are_told() {
        let mut said = transcript(vec![segment(0.0, 1.0, "你好"), segment(1.0, 2.0, "世界")]);
        said.doubtful = vec![(0.0, 75.0); 5];
        let draft = write(&said, Recording::default(), &Limits::default()).unwrap();
        assert_eq!(draft.markdown, "你好世界");
        let message = "what was said at 0:00–1:15, 0:00–1:15, 0:00–1:15 and 2 more places was hard to hear";
        assert_eq!(draft.warnings[0].message, message);
        assert!(!draft.incomplete);
    }

    #[test]
    fn silence_is_no_text() {
        let error = write(&transcript(Vec::new()), Recording::default(), &Limits::default()).unwrap_err();
        assert_eq!(error, ConvertError::NoText { detail: "there is no speech in it".into() });
    }
}
