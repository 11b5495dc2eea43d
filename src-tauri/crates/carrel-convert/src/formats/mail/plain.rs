//! Plain text of a message: paragraphs, and quoted history as quotations.

use super::letter::Text;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use crate::text::clean;

/// Quotations deeper than this are written at this depth.
const MAX_QUOTES: usize = 6;

pub(super) fn write(writer: &mut Writer, text: &Text) {
    let scrubbed = clean::scrub(&text.content);
    let mut open = 0;
    let mut paragraph: Vec<String> = Vec::new();
    // Whether the line before goes on in this one.
    let mut goes_on = false;
    for line in scrubbed.split('\n') {
        let (depth, line) = quotes(line);
        // An empty quoted line parts paragraphs of its own depth.
        let depth = depth.min(MAX_QUOTES);
        let line = if text.flowed { line.strip_prefix(' ').unwrap_or(line) } else { line };
        if depth != open || line.trim().is_empty() {
            flush(writer, &mut paragraph);
            goes_on = false;
        }
        if line.trim().is_empty() {
            continue;
        }
        while open > depth {
            writer.close();
            open -= 1;
        }
        while open < depth {
            writer.open_quote();
            open += 1;
        }
        match paragraph.last_mut().filter(|_| goes_on) {
            Some(last) => last.push_str(line),
            None => paragraph.push(line.to_owned()),
        }
        goes_on = text.flowed && line.ends_with(' ') && line != "-- ";
        if goes_on
            && text.joined
            && let Some(last) = paragraph.last_mut()
        {
            last.pop();
        }
    }
    flush(writer, &mut paragraph);
    for _ in 0..open {
        writer.close();
    }
}

/// How often a line is quoted, and what is.
fn quotes(line: &str) -> (usize, &str) {
    let mut depth = 0;
    let mut rest = line;
    loop {
        let inner = if depth == 0 { rest } else { rest.strip_prefix(' ').unwrap_or(rest) };
        match inner.strip_prefix('>') {
            Some(after) => {
                depth += 1;
                rest = after;
            }
            None => return (depth, if depth == 0 { rest } else { rest.strip_prefix(' ').unwrap_or(rest) }),
        }
    }
}

fn flush(writer: &mut Writer, paragraph: &mut Vec<String>) {
    let lines: Vec<String> = paragraph.drain(..).map(|line| escaped(&line)).collect();
    writer.paragraph(&lines.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str, flowed: bool) -> String {
        let mut writer = Writer::new(1 << 20);
        write(&mut writer, &Text { content: text.to_owned(), flowed, joined: false });
        writer.finish().unwrap().markdown
    }

    #[test]
    fn history_is_quoted() {
        assert_eq!(
            markdown("new\n\nOn Monday, A wrote:\n> old\n> more\n>\n>> older\n# no heading\n", false),
            "new\n\nOn Monday, A wrote:\n\n> old\n> more\n>\n> > older\n\n\\# no heading"
        );
    }

    #[test]
    fn flowed_lines_are_joined() {
        assert_eq!(markdown("one \ntwo\nthree\n-- \nsig", true), "one two\nthree\n\\--\nsig");
    }
}
