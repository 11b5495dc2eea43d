//! What styles and numbering mean: headings, lists, and the labels that Word counts.

use crate::build::lists::{Counter, LEVELS};
use crate::formats::xml::{Id, ROOT, Tree};
use std::collections::HashMap;

/// A paragraph style, its parents' properties included.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that the file states one by one")]
pub(super) struct Style {
    pub(super) heading: Option<u8>,
    pub(super) title: bool,
    pub(super) quote: bool,
    pub(super) code: bool,
    /// Its text is not shown.
    pub(super) hidden: bool,
    /// List and level.
    pub(super) list: Option<(String, u8)>,
}

/// The styles of a document.
#[derive(Default)]
pub(super) struct Styles(HashMap<String, Style>);

impl Styles {
    pub(super) fn read(tree: &Tree) -> Self {
        let mut raw: HashMap<String, (Option<String>, Style)> = HashMap::new();
        for style in tree.descendants(ROOT, "style") {
            let Some(id) = tree.attribute(style, "styleId") else { continue };
            let name = tree.val(style, "name").unwrap_or(id).to_lowercase();
            let properties = tree.child(style, "pPr");
            let mut own = Style {
                heading: heading_of(&name),
                title: name == "title",
                quote: matches!(name.as_str(), "quote" | "intense quote" | "block text"),
                code: matches!(
                    name.as_str(),
                    "html preformatted" | "plain text" | "code" | "source code" | "macro text"
                ),
                hidden: tree.child(style, "rPr").is_some_and(|p| tree.is_on(p, "vanish")),
                list: None,
            };
            if let Some(p) = properties {
                own.heading = own.heading.or_else(|| outline(tree, p));
                own.list = list(tree, p);
            }
            raw.insert(id.to_owned(), (tree.val(style, "basedOn").map(str::to_owned), own));
        }
        let resolved = raw.keys().map(|id| {
            let mut style = Style::default();
            let mut at = Some(id.clone());
            // A chain of parents longer than this is a circle.
            for _ in 0..16 {
                let Some((parent, own)) = at.as_ref().and_then(|id| raw.get(id)) else { break };
                style.heading = style.heading.or(own.heading);
                style.title |= own.title;
                style.quote |= own.quote;
                style.code |= own.code;
                style.hidden |= own.hidden;
                style.list = style.list.or_else(|| own.list.clone());
                at.clone_from(parent);
            }
            (id.clone(), style)
        });
        Self(resolved.collect())
    }

    /// Whether a style hides its text.
    pub(super) fn hides(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|s| s.hidden)
    }

    /// The properties of a paragraph: its own over its style's.
    pub(super) fn of(&self, tree: &Tree, paragraph: Id) -> Style {
        let Some(properties) = tree.child(paragraph, "pPr") else { return Style::default() };
        let id = tree.val(properties, "pStyle").unwrap_or_default();
        let mut style = self.0.get(id).cloned().unwrap_or_default();
        if style.heading.is_none() && !self.0.contains_key(id) {
            style.heading = heading_of(&id.to_lowercase());
        }
        if let Some(level) = outline(tree, properties) {
            style.heading = Some(level);
        }
        if tree.child(properties, "numPr").is_some() {
            let level = style.list.as_ref().map_or(0, |(_, level)| *level);
            style.list = match list(tree, properties) {
                // Only the level is given: the list is the style's.
                Some((id, own)) if id.is_empty() => style.list.map(|(id, _)| (id, own.max(level))),
                own => own,
            };
        }
        style
    }
}

fn heading_of(name: &str) -> Option<u8> {
    let rest = name.strip_prefix("heading")?.trim();
    rest.parse().ok().filter(|level| (1..=9).contains(level)).map(|level: u8| level.min(6))
}

fn outline(tree: &Tree, properties: Id) -> Option<u8> {
    let level: u8 = tree.val(properties, "outlineLvl")?.parse().ok()?;
    (level < 9).then(|| (level + 1).min(6))
}

/// List and level; list `0` takes a paragraph out of its style's list.
fn list(tree: &Tree, properties: Id) -> Option<(String, u8)> {
    let number = tree.child(properties, "numPr")?;
    let id = tree.val(number, "numId").unwrap_or_default();
    let level = tree.val(number, "ilvl").and_then(|l| l.parse().ok()).unwrap_or(0);
    (id != "0").then(|| (id.to_owned(), level))
}

/// How a level of a list is marked.
#[derive(Clone, Debug)]
struct Level {
    format: String,
    text: String,
    start: u64,
}

/// The lists of a document and how far each has counted.
#[derive(Default)]
pub(super) struct Numbering {
    /// Levels by list.
    lists: HashMap<String, (String, HashMap<u8, Level>)>,
    counters: HashMap<String, Counter>,
}

/// The mark of a paragraph in a list.
#[derive(Debug, PartialEq)]
pub(super) enum Mark {
    Bullet,
    /// Its number, and the label as shown (`3.2`, `(a)`).
    Number(u64, String),
    None,
}

impl Numbering {
    pub(super) fn read(tree: &Tree) -> Self {
        let mut abstracts: HashMap<String, HashMap<u8, Level>> = HashMap::new();
        for definition in tree.descendants(ROOT, "abstractNum") {
            let Some(id) = tree.attribute(definition, "abstractNumId") else { continue };
            let levels =
                tree.children(definition).filter(|c| tree.name(*c) == "lvl").filter_map(|l| level(tree, l));
            abstracts.insert(id.to_owned(), levels.collect());
        }
        let mut lists = HashMap::new();
        for number in tree.descendants(ROOT, "num") {
            let (Some(id), Some(of)) = (tree.attribute(number, "numId"), tree.val(number, "abstractNumId"))
            else {
                continue;
            };
            let mut levels = abstracts.get(of).cloned().unwrap_or_default();
            let mut counts_alone = false;
            for changed in tree.children(number).filter(|c| tree.name(*c) == "lvlOverride") {
                let Some(at) = tree.attribute(changed, "ilvl").and_then(|l| l.parse::<u8>().ok()) else {
                    continue;
                };
                if let Some((_, own)) = tree.child(changed, "lvl").and_then(|l| level(tree, l)) {
                    levels.insert(at, own);
                }
                if let Some(start) = tree.val(changed, "startOverride").and_then(|s| s.parse().ok()) {
                    counts_alone = true;
                    if let Some(level) = levels.get_mut(&at) {
                        level.start = start;
                    }
                }
            }
            // Lists of one definition count on, unless one starts anew.
            let counter = if counts_alone { format!("num {id}") } else { format!("abstract {of}") };
            lists.insert(id.to_owned(), (counter, levels));
        }
        Self { lists, counters: HashMap::new() }
    }

    /// Counts a paragraph.
    pub(super) fn next(&mut self, list: &str, level: u8) -> Mark {
        let Some((counter, levels)) = self.lists.get(list) else { return Mark::Bullet };
        let Some(own) = levels.get(&level) else { return Mark::Bullet };
        match own.format.as_str() {
            "bullet" => return Mark::Bullet,
            "none" => return Mark::None,
            _ => {}
        }
        let counter = self.counters.entry(counter.clone()).or_default();
        let at = usize::from(level).min(LEVELS - 1);
        let number = counter.next(at, own.start);
        let mut label = own.text.clone();
        for (above, i) in (0..=at).zip(0_u8..) {
            let of = levels.get(&i);
            let count = counter.last(above).unwrap_or_else(|| of.map_or(1, |l| l.start));
            let format = of.map_or("decimal", |l| l.format.as_str());
            label = label.replace(&format!("%{}", above + 1), &counted(count, format));
        }
        Mark::Number(number, label)
    }
}

fn level(tree: &Tree, level: Id) -> Option<(u8, Level)> {
    let at = tree.attribute(level, "ilvl")?.parse().ok()?;
    let format = tree.val(level, "numFmt").unwrap_or("decimal").to_owned();
    let text = tree.val(level, "lvlText").unwrap_or_default().to_owned();
    let start = tree.val(level, "start").and_then(|s| s.parse().ok()).unwrap_or(1);
    Some((at, Level { format, text, start }))
}

fn counted(n: u64, format: &str) -> String {
    let letters = |first: u8| {
        let letter = char::from(first + ((n.max(1) - 1) % 26) as u8);
        String::from(letter).repeat(((n.max(1) - 1) / 26 + 1).min(10) as usize)
    };
    match format {
        "lowerLetter" => letters(b'a'),
        "upperLetter" => letters(b'A'),
        "lowerRoman" => roman(n).to_lowercase(),
        "upperRoman" => roman(n),
        "chineseCounting"
        | "chineseCountingThousand"
        | "ideographDigital"
        | "japaneseCounting"
        | "taiwaneseCountingThousand" => chinese(n),
        "decimalZero" => format!("{n:02}"),
        _ => n.to_string(),
    }
}

fn roman(mut n: u64) -> String {
    const PARTS: [(u64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut out = String::new();
    for (value, letters) in PARTS {
        while n >= value && out.len() < 20 {
            out.push_str(letters);
            n -= value;
        }
    }
    out
}

/// Chinese numerals up to 99, digits above.
fn chinese(n: u64) -> String {
    const DIGITS: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let digit = |d: u64| DIGITS.get(d as usize).copied().unwrap_or_default();
    match n {
        1..10 => digit(n).to_owned(),
        10..20 => format!("十{}", digit(n % 10)),
        20..100 => format!("{}十{}", digit(n / 10), digit(n % 10)),
        _ => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_count_as_word_counts() {
        let xml = r#"<numbering><abstractNum abstractNumId="1">
            <lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
            <lvl ilvl="1"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2)"/></lvl></abstractNum>
            <num numId="5"><abstractNumId val="1"/></num></numbering>"#;
        let mut numbering = Numbering::read(&Tree::parse(xml, "numbering.xml").unwrap());
        let labels: Vec<_> = [0, 1, 1, 0, 1].map(|l| numbering.next("5", l)).into();
        let expected = [(1, "1."), (1, "1.a)"), (2, "1.b)"), (2, "2."), (1, "2.a)")];
        assert_eq!(labels, expected.map(|(n, l)| Mark::Number(n, l.into())));
        assert_eq!(
            (counted(14, "upperRoman"), counted(23, "chineseCounting"), counted(28, "lowerLetter")),
            ("XIV".into(), "二十三".into(), "bb".into())
        );
    }
}
