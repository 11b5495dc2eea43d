//! What each HTML element means for the text.

use html5ever::Attribute;
use markup5ever_rcdom::{Handle, NodeData};

/// The role of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing in it is read.
    Dropped,
    /// Starts and ends a paragraph.
    Block,
    /// Part of a line.
    Inline,
    Heading(u8),
    Mark(&'static str),
    Code,
    Pre,
    Link,
    Image,
    Math,
    Break,
    Rule,
    List,
    Item,
    Term,
    Quote,
    Title,
    Table,
    Row,
    Cell,
}

/// The role of the element called `name`.
pub(super) fn role(name: &str) -> Role {
    match name {
        "script" | "style" | "template" | "noscript" | "nav" | "svg" | "iframe" | "object" | "embed"
        | "canvas" | "select" | "textarea" | "button" | "input" | "dialog" | "audio" | "video" | "map"
        | "rp" | "rt" | "annotation" | "annotation-xml" | "datalist" | "meta" | "link" | "base" => {
            Role::Dropped
        }
        "h1" => Role::Heading(1),
        "h2" => Role::Heading(2),
        "h3" => Role::Heading(3),
        "h4" => Role::Heading(4),
        "h5" => Role::Heading(5),
        "h6" => Role::Heading(6),
        "b" | "strong" => Role::Mark("**"),
        "i" | "em" | "cite" | "var" | "dfn" => Role::Mark("*"),
        "del" | "s" | "strike" => Role::Mark("~~"),
        "code" | "kbd" | "samp" | "tt" => Role::Code,
        "pre" | "listing" | "xmp" | "plaintext" => Role::Pre,
        "a" => Role::Link,
        "img" => Role::Image,
        "math" => Role::Math,
        "br" => Role::Break,
        "hr" => Role::Rule,
        "ul" | "ol" | "menu" | "dir" => Role::List,
        "li" => Role::Item,
        "dt" => Role::Term,
        "blockquote" => Role::Quote,
        "title" => Role::Title,
        "table" => Role::Table,
        "tr" => Role::Row,
        "td" | "th" => Role::Cell,
        "p" | "div" | "section" | "article" | "main" | "header" | "footer" | "aside" | "address"
        | "figure" | "figcaption" | "form" | "fieldset" | "legend" | "details" | "summary" | "dl" | "dd"
        | "center" | "body" | "caption" | "thead" | "tbody" | "tfoot" | "hgroup" | "search" | "option"
        | "optgroup" => Role::Block,
        _ => Role::Inline,
    }
}

/// The name of an element.
pub(super) fn name(node: &Handle) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

/// The value of an attribute.
pub(super) fn attribute(node: &Handle, wanted: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else { return None };
    let value = |a: &Attribute| a.value.to_string();
    attrs.borrow().iter().find(|a| &*a.name.local == wanted).map(value)
}

/// Whether the page does not show the element.
pub(super) fn is_hidden(node: &Handle) -> bool {
    let NodeData::Element { attrs, .. } = &node.data else { return false };
    attrs.borrow().iter().any(|a| match &*a.name.local {
        "hidden" => &*a.value != "until-found",
        "aria-hidden" => &*a.value == "true",
        "style" => {
            let style: String = a.value.chars().filter(|c| !c.is_whitespace()).take(2000).collect();
            style.contains("display:none") || style.contains("visibility:hidden")
        }
        _ => false,
    })
}

/// Whether the element says of itself that it is for finding one's way, or stands over the page.
pub(super) fn is_navigation_by_role(node: &Handle) -> bool {
    let role = attribute(node, "role");
    role.is_some_and(|r| {
        matches!(r.as_str(), "navigation" | "search" | "menu" | "menubar" | "dialog" | "alertdialog")
    })
}

/// Whether a part for finding one's way leads through the page itself: then it is its table of contents.
pub(super) fn is_contents(node: &Handle) -> bool {
    const FEWEST: usize = 3;
    let (mut links, mut inside) = (0_usize, 0_usize);
    let mut stack = vec![node.clone()];
    while let Some(node) = stack.pop() {
        if name(&node) == Some("a")
            && let Some(href) = attribute(&node, "href")
        {
            links += 1;
            inside += usize::from(href.len() > 1 && href.starts_with('#'));
        }
        stack.extend(node.children.borrow().iter().cloned());
    }
    inside >= FEWEST && inside * 10 >= links * 9
}

/// The language in a class such as `language-rust` or `brush: js`.
pub(super) fn language(node: &Handle) -> Option<String> {
    let class = attribute(node, "class")?;
    let mut words = class.split([' ', ':', ';']).filter(|w| !w.is_empty());
    while let Some(word) = words.next() {
        for prefix in ["language-", "lang-", "highlight-source-"] {
            if let Some(language) = word.strip_prefix(prefix) {
                return plain_word(language);
            }
        }
        if word == "brush" || word == "sourceCode" {
            return words.next().and_then(plain_word);
        }
    }
    None
}

fn plain_word(word: &str) -> Option<String> {
    let plain = !word.is_empty()
        && word.len() <= 30
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "+-#_.".contains(c));
    plain.then(|| word.to_ascii_lowercase())
}

/// A link target that may be kept, as Markdown writes it.
pub(in crate::formats) fn kept_link(href: &str) -> Option<String> {
    let href: String = href.chars().filter(|c| !c.is_control()).collect();
    let href = href.trim();
    let lower = href.get(..8).unwrap_or(href).to_ascii_lowercase();
    if !(lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("mailto:"))
        || href.len() > 2000
    {
        return None;
    }
    let mut out = String::with_capacity(href.len());
    for c in href.chars() {
        match c {
            ' ' => out.push_str("%20"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            _ => out.push(c),
        }
    }
    Some(out)
}
