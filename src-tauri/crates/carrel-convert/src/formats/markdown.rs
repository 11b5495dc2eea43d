//! Markdown stays Markdown: cleaned, with its block tree, front matter and lines.

use super::text::locate;
use crate::build::{Draft, parse};
use crate::text::clean::{Treatment, lines, scrub};
use carrel_engine::domain::{Block, BlockKind};
use carrel_engine::seams::{ConvertError, Limits};

pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let scrubbed = scrub(text);
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
        assert_eq!(lines, [1, 7, 9]);
        assert_eq!(draft("text\n\n# Head *x*").title.as_deref(), Some("Head x"));
    }

    #[test]
    fn indented_code_in_front_of_the_text_keeps_its_indent() {
        let d = draft("para\n\n    code  \n        more\n");
        assert!(d.markdown.contains("    code  \n        more"));
    }
}
