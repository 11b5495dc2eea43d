//! A piece of Markdown as the words that people read, in one line: for snippets and quotes.
//!
//! It shows, it does not locate: no offset into its text means anything. Cells of a table have dots between them, rows semicolons.

use super::Stripper;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The words of `markdown` without its marks, white space single. Of `code`, which is a source file or a piece of one, only the
/// fences around it are left out. Where nothing would be left (an image, a link's address), the text stays as it is.
pub fn plain_text(markdown: &str, code: bool) -> String {
    let mut line = Line::default();
    if code {
        let fence = |l: &&str| l.trim_start().starts_with("```");
        markdown.lines().filter(|l| !fence(l)).for_each(|l| {
            line.gap(" ");
            line.push(l);
        });
    } else {
        line.markdown(markdown);
    }
    if line.text.is_empty() {
        line.push(markdown);
    }
    line.text
}

/// Text in the making.
#[derive(Default)]
struct Line {
    text: String,
    /// What has to stand before the next word; the strongest of those asked for.
    gap: &'static str,
}

impl Line {
    fn gap(&mut self, gap: &'static str) {
        const WEAKEST_FIRST: [&str; 4] = ["", " ", " · ", "; "];
        let strength = |gap| WEAKEST_FIRST.iter().position(|g| *g == gap);
        if strength(gap) > strength(self.gap) {
            self.gap = gap;
        }
    }

    fn push(&mut self, text: &str) {
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            if number > 0 {
                self.gap(" ");
            }
            if word.is_empty() {
                continue;
            }
            let gap = std::mem::take(&mut self.gap);
            if !self.text.is_empty() {
                self.text.push_str(gap);
            }
            self.text.push_str(word);
        }
    }

    fn markdown(&mut self, markdown: &str) {
        let headed = with_header(markdown);
        let source = headed.as_deref().unwrap_or(markdown);
        let mut html = Stripper::default();
        let mut row = 0;
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Item) => {
                    self.gap(" ");
                    let item = source.get(range).unwrap_or_default();
                    let number = item.bytes().take_while(u8::is_ascii_digit).count();
                    let marker = item.get(..=number).filter(|_| number > 0);
                    self.push(marker.unwrap_or("•"));
                    self.gap(" ");
                }
                Event::Start(Tag::TableHead | Tag::TableRow) => row = self.text.len(),
                Event::End(TagEnd::TableCell) if self.text.len() > row => self.gap(" · "),
                Event::End(TagEnd::TableCell) => {}
                Event::End(TagEnd::TableHead | TagEnd::TableRow) => self.gap("; "),
                // What follows a table is no row of it.
                Event::End(TagEnd::Table) => self.gap = " ",
                Event::End(end) if !is_inline(end) => self.gap(" "),
                Event::Start(Tag::HtmlBlock) => html = Stripper::default(),
                Event::Text(text) | Event::Code(text) => self.push(&text),
                Event::Html(raw) | Event::InlineHtml(raw) => {
                    if raw.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("<br")) {
                        self.gap(" ");
                    }
                    html.text_of(&raw).into_iter().for_each(|range| self.push(&raw[range]));
                }
                Event::SoftBreak | Event::HardBreak | Event::Rule => self.gap(" "),
                Event::TaskListMarker(done) => {
                    self.push(if done { "☑" } else { "☐" });
                    self.gap(" ");
                }
                _ => {}
            }
        }
    }
}

fn is_inline(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Rows out of the middle of a table, under an empty header: without one they are no table. `None` where none is missing.
fn with_header(markdown: &str) -> Option<String> {
    let mut lines = markdown.lines().filter(|line| !line.trim().is_empty());
    let row = lines.next()?.trim();
    let bars = row.replace("\\|", "").matches('|').count();
    if bars < 2 || !row.starts_with('|') || !row.ends_with('|') {
        return None;
    }
    let delimits = |line: &str| line.contains('-') && line.chars().all(|c| "|:- \t".contains(c));
    if lines.next().is_some_and(delimits) {
        return None;
    }
    let (empty, rule) = ("| ".repeat(bars), "|-".repeat(bars - 1));
    Some(format!("{empty}\n{rule}|\n{}", markdown.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(markdown: &str) -> String {
        plain_text(markdown, false)
    }

    #[test]
    fn marks_go_and_words_stay() {
        assert_eq!(
            plain("## Title\n\nSome **bold**, _slanted_ `code`\n> quoted"),
            "Title Some bold, slanted code quoted"
        );
        assert_eq!(
            plain("See [the lease](https://example.org/a_b), ![a plan](plan.png)."),
            "See the lease, a plan."
        );
        assert_eq!(plain("a\\*b \\`c\\` 5 < 6 &amp; 7 foo_bar 2 * 3"), "a*b `c` 5 < 6 & 7 foo_bar 2 * 3");
        assert_eq!(plain("one<br>two <!-- not this --><b>three</b>\n\n---\n\nfour"), "one two three four");
        assert_eq!(
            plain("- one\n- two\n  - three\n\n3. four\n4. five"),
            "• one • two • three 3. four 4. five"
        );
        assert_eq!(plain("- [x] done\n- [ ] to do"), "• ☑ done • ☐ to do");
        assert_eq!(plain("# *Only* a **title**"), "Only a title");
    }

    #[test]
    fn a_fence_shows_its_code_alone() {
        assert_eq!(
            plain("Before:\n\n```sh\n# copy **all**\ncp a | b\n```\n\nAfter."),
            "Before: # copy **all** cp a | b After."
        );
        assert_eq!(plain("```rust\nfn cut() {}"), "fn cut() {}");
    }

    #[test]
    fn rows_of_a_table_read_as_words_with_or_without_their_header() {
        let rows = "| Rent | 1,180 |\n| Deposit |  |\n| a \\| b | **2** |\n";
        assert_eq!(
            plain(&format!("| Item | Cost |\n| --- | ---: |\n{rows}")),
            "Item · Cost; Rent · 1,180; Deposit; a | b · 2"
        );
        assert_eq!(plain(rows), "Rent · 1,180; Deposit; a | b · 2");
        assert_eq!(plain("| one |"), "one");
        assert_eq!(plain("In all:\n\n| | Cost |\n| - | - |\n| Rent | 5 |"), "In all: Cost; Rent · 5");
        assert_eq!(plain("Before\n\n| a |\n| - |\n| b |\n\nAfter"), "Before a; b After");
        assert_eq!(plain("not | a table"), "not | a table");
    }

    #[test]
    fn a_source_file_keeps_all_but_its_fences() {
        let code = "````rust\n# let v: Vec<String> = a || **b;\n/* | x | */ _y_\n````";
        assert_eq!(plain_text(code, true), "# let v: Vec<String> = a || **b; /* | x | */ _y_");
    }

    #[test]
    fn something_is_always_left() {
        assert_eq!(plain("[x]: https://example.org"), "[x]: https://example.org");
        assert_eq!(plain("<!-- only a comment -->"), "<!-- only a comment -->");
        assert_eq!(plain(" \n"), "");
    }
}
