//! EPUB: the chapters in the order of the spine through the HTML path, located by chapter.
//!
//! Items that the spine calls supplementary come last. A missing or broken item costs itself. Copy-protected books are refused.

use super::nested::MAX_ENTRIES;
use super::package::{Package, resolved};
use super::xml::{Id, ROOT, Tree};
use super::{Progress, Source, html};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::lists;
use crate::build::writer::Writer;
use crate::text::clean;
use crate::text::decode::decode;
use carrel_engine::domain::BlockKind;
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut book = Package::open(source)?;
    if is_protected(&mut book)? {
        return Err(ConvertError::UnsupportedFormat { format: "copy-protected e-book".into() });
    }
    let container = xml(&mut book, "META-INF/container.xml")?;
    let stated = container.as_ref().and_then(|t| {
        let root = t.descendants(ROOT, "rootfile").next()?;
        t.attribute(root, "full-path").map(str::to_owned)
    });
    let path = match stated {
        Some(path) => path,
        None => {
            let is_package = |name: &str| crate::catalogue::extension(name).is_some_and(|e| e == "opf");
            book.names().find(|name| is_package(name)).unwrap_or_default()
        }
    };
    let package = xml(&mut book, &path)?
        .ok_or_else(|| ConvertError::Damaged { detail: format!("its part {path} is missing") })?;
    let mut writer = Writer::new(source.limits.output_bytes);
    head(&package, &mut writer);
    let items = items(&package, &path);
    let names = contents(&mut book, &package, &items);
    let spine = spine(&package, &items);
    if spine.len() > MAX_ENTRIES {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    let of = spine.len() as u32;
    for (item, part) in spine.into_iter().zip(1..) {
        (source.progress)(Progress { unit: "chapter", part, of });
        if writer.is_full() {
            break;
        }
        let outcome = match item {
            Ok(item) if item.is_text() => {
                chapter(&mut book, source, item, names.get(&item.path), &mut writer)
            }
            Ok(_) => Ok(()),
            Err(id) => Err(format!("the item {id} of its reading order is not in the book")),
        };
        if let Err(why) = outcome {
            writer.missing("missing_chapter", why);
        }
    }
    writer.finish()
}

/// A file of the book.
struct Item {
    path: String,
    media_type: String,
    properties: String,
}

impl Item {
    fn is_text(&self) -> bool {
        let ending = crate::catalogue::extension(&self.path).unwrap_or_default();
        self.media_type.contains("html") || matches!(ending.as_str(), "xhtml" | "html" | "htm")
    }
}

fn chapter(
    book: &mut Package<'_>,
    source: &Source<'_>,
    item: &Item,
    name: Option<&String>,
    writer: &mut Writer,
) -> Result<(), String> {
    let missing = || format!("the chapter {} is not in the book", item.path);
    let bytes = book.part(&item.path).map_err(|e| format!("{}: {e}", item.path))?.ok_or_else(missing)?;
    let text = decode(&bytes, None).text;
    let draft = catch_unwind(AssertUnwindSafe(|| html::chapter(&text, source.limits)))
        .unwrap_or_else(|_| Err(ConvertError::Crashed("a fault in the converter".into())))
        .map_err(|e| format!("{}: {e}", item.path))?;
    if draft.markdown.trim().is_empty() {
        return Ok(());
    }
    let own = draft.blocks.iter().find_map(|block| match &block.kind {
        BlockKind::Heading { text, .. } => Some(text.clone()),
        _ => None,
    });
    let label = name.cloned().or_else(|| own.clone()).or_else(|| draft.title.clone());
    let label = label.map(|l| clean::line(&l)).filter(|l| !l.is_empty());
    if let (None, Some(name)) = (own, name) {
        writer.locate(label.as_deref().map(super::nested::in_part));
        writer.heading(2, &escaped(name), name);
        writer.locate(None);
    }
    writer.append(draft, 1, label.as_deref());
    Ok(())
}

/// Title, authors and what else a reader asks for.
fn head(package: &Tree, writer: &mut Writer) {
    let Some(metadata) = package.descendants(ROOT, "metadata").next() else { return };
    let values = |name: &str| -> Vec<String> {
        let found = package.descendants(metadata, name).map(|id| clean::line(&package.text_of(id)));
        found.filter(|v| !v.is_empty()).collect()
    };
    if let Some(title) = values("title").first() {
        writer.title(title);
        writer.heading(1, &escaped(title), title);
    }
    let fields =
        [("Author", "creator"), ("Publisher", "publisher"), ("Date", "date"), ("Language", "language")];
    lists::fields(writer, fields.into_iter().map(|(label, name)| (label, values(name).join(", "))));
    for description in values("description").into_iter().take(1) {
        if let Ok(draft) = html::fragment(&description, &carrel_engine::seams::Limits::default()) {
            writer.append(draft, 1, None);
        }
    }
}

/// The files of the book by their id.
fn items(package: &Tree, opf: &str) -> HashMap<String, Item> {
    let Some(manifest) = package.descendants(ROOT, "manifest").next() else { return HashMap::new() };
    package
        .descendants(manifest, "item")
        .filter_map(|id| {
            let attribute = |name| package.attribute(id, name).unwrap_or_default().to_owned();
            let item = Item {
                path: beside(opf, &attribute("href")),
                media_type: attribute("media-type"),
                properties: attribute("properties"),
            };
            Some((package.attribute(id, "id")?.to_owned(), item))
        })
        .collect()
}

/// The reading order, supplementary items last; the id of what is not there.
fn spine<'a>(package: &'a Tree, items: &'a HashMap<String, Item>) -> Vec<Result<&'a Item, &'a str>> {
    let Some(spine) = package.descendants(ROOT, "spine").next() else { return Vec::new() };
    let references: Vec<Id> = package.descendants(spine, "itemref").collect();
    let (last, first): (Vec<Id>, Vec<Id>) =
        references.into_iter().partition(|id| package.attribute(*id, "linear") == Some("no"));
    first
        .into_iter()
        .chain(last)
        .filter_map(|id| package.attribute(id, "idref"))
        .map(|idref| items.get(idref).ok_or(idref))
        .collect()
}

/// What the table of contents calls each file: its first entry.
fn contents(
    book: &mut Package<'_>,
    package: &Tree,
    items: &HashMap<String, Item>,
) -> HashMap<String, String> {
    let mut names = HashMap::new();
    let spine = package.descendants(ROOT, "spine").next();
    let ncx = spine.and_then(|s| package.attribute(s, "toc")).and_then(|id| items.get(id));
    let ncx = ncx.or_else(|| items.values().find(|i| i.media_type == "application/x-dtbncx+xml"));
    if let Some(ncx) = ncx
        && let Ok(Some(tree)) = xml(book, &ncx.path)
    {
        for point in tree.descendants(ROOT, "navPoint") {
            let label = tree.path(point, &["navLabel", "text"]).map(|id| clean::line(&tree.text_of(id)));
            let target = tree.child(point, "content").and_then(|c| tree.attribute(c, "src"));
            if let (Some(label), Some(target)) = (label.filter(|l| !l.is_empty()), target) {
                names.entry(beside(&ncx.path, target)).or_insert(label);
            }
        }
    }
    let nav = items.values().find(|i| i.properties.split(' ').any(|p| p == "nav"));
    if let Some(nav) = nav
        && let Ok(Some(tree)) = xml(book, &nav.path)
    {
        for link in tree.descendants(ROOT, "a") {
            let label = clean::line(&tree.text_of(link));
            if let (Some(target), false) = (tree.attribute(link, "href"), label.is_empty()) {
                names.entry(beside(&nav.path, target)).or_insert(label);
            }
        }
    }
    names
}

/// A path relative to that of another file, percent-decoded, without its fragment.
fn beside(base: &str, href: &str) -> String {
    let href = href.split(['#', '?']).next().unwrap_or_default();
    resolved(base.rsplit_once('/').map_or("", |(folder, _)| folder), &percent_decoded(href))
}

fn percent_decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = after.split_at_checked(2).filter(|_| *byte == b'%');
        let value = hex.and_then(|(hex, after)| {
            let value = u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?;
            Some((value, after))
        });
        let (value, after) = value.unwrap_or((*byte, after));
        out.push(value);
        rest = after;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A part as a tree. Document types, which e-books may declare, are passed over: nothing is expanded.
fn xml(book: &mut Package<'_>, name: &str) -> Result<Option<Tree>, ConvertError> {
    let Some(bytes) = book.part(name)? else { return Ok(None) };
    Tree::parse(&decode(&bytes, None).text, name).map(Some)
}

/// Whether its text is encrypted. Fonts may be: that protects no text.
fn is_protected(book: &mut Package<'_>) -> Result<bool, ConvertError> {
    let Some(tree) = xml(book, "META-INF/encryption.xml")? else { return Ok(false) };
    let protected = tree.descendants(ROOT, "CipherReference").any(|id| {
        let target = tree.attribute(id, "URI").unwrap_or_default();
        let ending = crate::catalogue::extension(target).unwrap_or_default();
        matches!(ending.as_str(), "html" | "xhtml" | "htm" | "xml")
    });
    Ok(protected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_book() {
        assert_eq!(beside("OEBPS/content.opf", "Text/one%20two.xhtml#a"), "OEBPS/Text/one two.xhtml");
        assert_eq!(beside("OEBPS/toc/nav.xhtml", "../../../../x.html"), "x.html");
        assert_eq!(percent_decoded("100%"), "100%");
    }
}
