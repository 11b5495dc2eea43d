//! Markdown stays Markdown: cleaned, with its block tree, front matter and lines. Wiki links become their label.

use super::text::locate;
use crate::build::{Draft, parse};
use crate::text::clean::{Treatment, lines, scrub};
use carrel_engine::domain::{Block, BlockKind};
use carrel_engine::seams::{ConvertError, Limits};
use std::borrow::Cow;

pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let scrubbed = linked(scrub(text));
    let verbatim = parse::verbatim_ranges(&scrubbed);
    let mut next = 0;
    let lines = lines(&scrubbed, |offset| {
        while verbatim.get(next).is_some_and(|r| r.end <= offset) {
            next += 1;
        }
        match verbatim.get(next) {
            Some(range) if range.start <= offset => Treatment::Verbatim,
            _ => Treatment::Markdown,
        }
    });
    let blocks = parse::blocks(&lines.text);
    let title = title(&lines.text, &blocks);
    let locations = locate(&lines, &blocks);
    Ok(Draft { markdown: lines.text, blocks, locations, title, ..Draft::default() })
}

/// The text with wiki links as their label: `[[page|label]]`, `[[page#part]]`, `![[picture.png]]`. Code stays as it is.
fn linked(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains("[[") {
        return text;
    }
    let verbatim = parse::verbatim_ranges(&text);
    let mut out = String::with_capacity(text.len());
    let (mut line_start, mut next) = (0, 0);
    for line in text.split_inclusive('\n') {
        while verbatim.get(next).is_some_and(|range| range.end <= line_start) {
            next += 1;
        }
        let is_code = verbatim.get(next).is_some_and(|range| range.start <= line_start);
        out.push_str(&if is_code { Cow::Borrowed(line) } else { labelled(line) });
        line_start += line.len();
    }
    Cow::Owned(out)
}

/// A line with its wiki links as labels.
fn labelled(line: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = line;
    let mut in_code = false;
    // Without an end no link begins.
    while let Some((before, after)) = rest.split_once("[[").filter(|(_, after)| after.contains("]]")) {
        in_code ^= before.matches('`').count() % 2 == 1;
        let target = after.split_once("]]").filter(|(inside, _)| {
            !in_code && !inside.is_empty() && !inside.contains(['[', ']', '`']) && !inside.starts_with('^')
        });
        let Some((inside, behind)) = target else {
            out.push_str(before);
            out.push_str("[[");
            rest = after;
            continue;
        };
        let embedded = before.ends_with('!');
        out.push_str(before.strip_suffix('!').unwrap_or(before));
        let (page, label) = match inside.rsplit_once('|') {
            Some((page, label)) => {
                (page.trim_end_matches('\\'), Some(label.trim()).filter(|l| !l.is_empty()))
            }
            None => (inside, None),
        };
        let picture = embedded && crate::catalogue::extension(page).is_some_and(|e| e != "md");
        if !picture {
            out.push_str(
                &label.map_or_else(|| page.trim_start_matches('#').replace('#', " > "), str::to_owned),
            );
        }
        rest = behind;
    }
    if out.is_empty() && rest.len() == line.len() {
        return Cow::Borrowed(line);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// `title:` of the front matter, or the first heading of level 1.
fn title(markdown: &str, blocks: &[Block]) -> Option<String> {
    let front = blocks.first().filter(|b| b.kind == BlockKind::Meta).and_then(|b| b.span.of(markdown));
    let stated = front.and_then(|front| {
        front.lines().find_map(|line| {
            let value = line.strip_prefix("title").map(str::trim_start)?;
            let value = value.strip_prefix([':', '='])?.trim();
            Some(value.trim_matches(['"', '\'']).to_owned()).filter(|v| !v.is_empty())
        })
    });
    stated.or_else(|| {
        blocks.iter().find_map(|b| match &b.kind {
            BlockKind::Heading { level: 1, text } => Some(text.clone()),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Draft {
        convert(text, &Limits::default()).unwrap()
    }

    #[test]
    fn code_is_left_alone_and_prose_is_cleaned() {
        let d = draft("# A \n\n\n\nte\0xt  \nmore   \n\n```py\nx  =  1   \n\n\ny\n```\n");
        assert_eq!(d.markdown, "# A\n\nte\u{78}t  \nmore  \n\n```py\nx  =  1   \n\n\ny\n```");
    }

    #[test]
    fn title_and_lines() {
        let d = draft("---\ntitle: \"The desk\"\ntags: [a]\n---\n\n\n# Head\n\ntext\n");
        assert_eq!(d.title.as_deref(), Some("The desk"));
        let lines: Vec<_> = d.locations.iter().map(|l| l.location.line.unwrap()).collect();
        assert_eq!(lines, [1, 2, 3, 4, 7, 9]);
        assert_eq!(draft("text\n\n# Head *x*").title.as_deref(), Some("Head x"));
    }

    #[test]
    fn wiki_links_are_shown_by_their_label() {
        let d = draft(
            "See [[Desk|the desk]], [[Lamp]] and [[Desk#Legs]].\n\n![[a.png]] `[[x]]`\n\n```\n[[y]]\n```\n\n[[z\n",
        );
        assert_eq!(d.markdown, "See the desk, Lamp and Desk > Legs.\n\n `[[x]]`\n\n```\n[[y]]\n```\n\n[[z");
    }

    #[test]
    fn indented_code_in_front_of_the_text_keeps_its_indent() {
        let d = draft("para\n\n    code  \n        more\n");
        assert!(d.markdown.contains("    code  \n        more"));
    }
}
