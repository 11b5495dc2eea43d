//! XML: feeds (RSS, Atom, RDF) with each entry as a section with date and link; anything else fenced, laid out where it stands on one line.

use super::xml::{Id, ROOT, Tree};
use super::{code, html};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::lists;
use crate::build::writer::Writer;
use crate::text::clean;
use carrel_engine::domain::Location;
use carrel_engine::seams::{ConvertError, Limits};
use quick_xml::events::Event;

/// A longer line is laid out.
const LONG_LINE: usize = 2_000;
/// Deeper levels are not indented further.
const MAX_INDENT: usize = 32;

pub(super) fn convert(text: &str, name: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    if is_feed(text)
        && let Ok(tree) = Tree::parse(text, name)
        && let Some(draft) = feed(&tree, limits)?
    {
        return Ok(draft);
    }
    let long = text.split('\n').any(|line| line.len() > LONG_LINE);
    match long.then(|| laid_out(text)).flatten() {
        Some(text) if text.len() as u64 <= limits.output_bytes => {
            // Its lines are ours, not those of the file.
            let draft = code::fenced(&text, Some("xml"), limits)?;
            Ok(Draft { locations: Vec::new(), ..draft })
        }
        _ => code::fenced(text, Some("xml"), limits),
    }
}

fn is_feed(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(4096)).unwrap_or(text);
    ["<rss", "<feed", "<rdf:RDF", "<RDF", "<channel"].iter().any(|tag| head.contains(tag))
}

fn feed(tree: &Tree, limits: &Limits) -> Result<Option<Draft>, ConvertError> {
    let Some(root) =
        tree.children(ROOT).find(|id| matches!(tree.name(*id), "rss" | "feed" | "RDF" | "channel"))
    else {
        return Ok(None);
    };
    let channel = tree.child(root, "channel").unwrap_or(root);
    let entries: Vec<Id> = tree
        .children(channel)
        .chain(tree.children(root).filter(|_| channel != root))
        .filter(|id| matches!(tree.name(*id), "item" | "entry"))
        .collect();
    let is_feed = !entries.is_empty() || (channel != root && tree.child(channel, "title").is_some());
    if !is_feed {
        return Ok(None);
    }
    let mut writer = Writer::new(limits.output_bytes);
    if let Some(title) = text(tree, channel, &["title"]) {
        let title = plain(&title, limits);
        writer.title(&title);
        writer.heading(1, &escaped(&title), &title);
    }
    fields(tree, channel, &mut writer);
    if let Some(about) = text(tree, channel, &["description", "subtitle"]) {
        writer.append(html::fragment(&about, limits)?, 1, None);
    }
    for entry in entries {
        if writer.is_full() {
            break;
        }
        let title = text(tree, entry, &["title"]).map(|t| plain(&t, limits)).filter(|t| !t.is_empty());
        let title = title.or_else(|| link(tree, entry)).unwrap_or_else(|| "Entry".to_owned());
        writer.locate(Some(Location { chapter: Some(title.clone()), ..Location::default() }));
        writer.heading(2, &escaped(&title), &title);
        fields(tree, entry, &mut writer);
        writer.locate(None);
        if let Some(body) = body(tree, entry) {
            writer.append(html::fragment(&body, limits)?, 2, Some(&title));
        }
    }
    writer.finish().map(Some)
}

/// Date, author, categories and link as a list.
fn fields(tree: &Tree, of: Id, writer: &mut Writer) {
    let author = text(tree, of, &["author", "creator"]).map(|a| clean::line(&a)).filter(|a| !a.is_empty());
    let author = tree.path(of, &["author", "name"]).map(|id| tree.text_of(id)).or(author);
    let categories: Vec<String> = tree
        .children(of)
        .filter(|id| tree.name(*id) == "category")
        .map(|id| tree.attribute(id, "term").map_or_else(|| tree.text_of(id), str::to_owned))
        .map(|c| clean::line(&c))
        .filter(|c| !c.is_empty())
        .collect();
    let found = [
        ("Date", text(tree, of, &["pubDate", "published", "date", "updated", "lastBuildDate"])),
        ("Author", author),
        ("Categories", Some(categories.join(", "))),
        ("Link", link(tree, of)),
    ];
    lists::fields(writer, found.into_iter().filter_map(|(name, value)| Some((name, clean::line(&value?)))));
}

/// The text of the first of these children that has any.
fn text(tree: &Tree, of: Id, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let found = tree.children(of).filter(|id| tree.name(*id) == *name).map(|id| tree.text_of(id));
        found.map(|t| t.trim().to_owned()).find(|t| !t.is_empty())
    })
}

fn link(tree: &Tree, of: Id) -> Option<String> {
    let links: Vec<Id> = tree.children(of).filter(|id| tree.name(*id) == "link").collect();
    let own = |id: &&Id| matches!(tree.attribute(**id, "rel"), None | Some("alternate"));
    let href = links.iter().filter(own).find_map(|id| tree.attribute(*id, "href").map(str::to_owned));
    let written = links.iter().map(|id| tree.text_of(*id).trim().to_owned()).find(|t| !t.is_empty());
    href.or(written).or_else(|| text(tree, of, &["guid"]).filter(|g| g.starts_with("http")))
}

/// The longest of what an entry says, as HTML.
fn body(tree: &Tree, entry: Id) -> Option<String> {
    tree.children(entry)
        .filter(|id| matches!(tree.name(*id), "encoded" | "content" | "description" | "summary"))
        .map(|id| tree.html_of(id))
        .filter(|t| !t.trim().is_empty())
        .max_by_key(String::len)
}

/// A title without the markup that some feeds have in it.
fn plain(title: &str, limits: &Limits) -> String {
    let markup = title.contains('<') || title.contains('&');
    let read = markup.then(|| html::plain(title, limits)).flatten();
    clean::line(&read.unwrap_or_else(|| title.to_owned()))
}

/// One element a line, indented; `None` where it is not well formed.
fn laid_out(text: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut out = String::with_capacity(text.len() * 3 / 2);
    let mut depth = 0_usize;
    let mut from = 0;
    // Whether the last thing was text: its end tag stays on its line.
    let mut inline = true;
    loop {
        let event = reader.read_event().ok()?;
        let to = usize::try_from(reader.buffer_position()).ok()?;
        let raw = text.get(from..to)?;
        from = to;
        let newline = |out: &mut String, depth: usize| {
            if !out.is_empty() {
                out.push('\n');
                out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
            }
        };
        match event {
            Event::Eof => return Some(out),
            Event::Start(_) => {
                newline(&mut out, depth);
                out.push_str(raw);
                depth += 1;
                inline = true;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if !inline {
                    newline(&mut out, depth);
                }
                out.push_str(raw);
                inline = false;
            }
            Event::Text(_) if raw.trim().is_empty() => {}
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => out.push_str(raw),
            _ => {
                newline(&mut out, depth);
                out.push_str(raw);
                inline = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Draft {
        convert(text, "a.xml", &Limits::default()).unwrap()
    }

    #[test]
    fn feeds_become_sections() {
        let d = draft(
            "<?xml version='1.0'?><rss><channel><title>T</title><link>https://x.org</link><item><title>One &amp;amp; two</title><link>https://x.org/1</link>\
             <pubDate>Mon, 1 Jan 2026</pubDate><description>&lt;p&gt;Hello &lt;b&gt;you&lt;/b&gt;</description></item></channel></rss>",
        );
        assert_eq!(
            d.markdown,
            "# T\n\n- Link: https://x.org\n\n## One & two\n\n- Date: Mon, 1 Jan 2026\n- Link: https://x.org/1\n\nHello **you**"
        );
        let d = draft(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>A</title><entry><title>E</title><link href='https://x.org/e'/><updated>2026-01-01</updated>\
             <author><name>Ann</name></author><content type='xhtml'><div><p>One</p><p>Two</p></div></content></entry></feed>",
        );
        assert_eq!(
            d.markdown,
            "# A\n\n## E\n\n- Date: 2026-01-01\n- Author: Ann\n- Link: https://x.org/e\n\nOne\n\nTwo"
        );
    }

    #[test]
    fn one_long_line_is_laid_out() {
        let long = "x".repeat(3000);
        let d = draft(&format!("<a><b k='1'>{long}</b><c/></a>"));
        assert_eq!(d.markdown, format!("```xml\n<a>\n  <b k='1'>{long}</b>\n  <c/>\n</a>\n```"));
        assert_eq!(draft("<a>\n <b/></a>").markdown, "```xml\n<a>\n <b/></a>\n```");
    }
}
