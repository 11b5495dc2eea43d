//! English forms.

use super::{Inventory, Route, Subject, Thing};

/// What may stand before a request without changing it.
const POLITE: &[&str] = &["please ", "can you ", "could you ", "would you ", "i want you to ", "kindly "];
const LISTING: &[&str] =
    &["list", "show me", "show", "give me", "enumerate", "find", "name", "get", "tell me"];
const ALL: &[&str] = &["a list of ", "all of ", "all ", "every ", "the ", "my ", "our ", "of "];
/// Verbs that say what documents speak of; with those of the first list the words must stand there.
const MENTION: &[&str] = &[
    "mention ",
    "mentions ",
    "mentioning ",
    "contain the word ",
    "contain ",
    "containing ",
    "refer to ",
    "include the word ",
    "name ",
];
const ABOUT: &[&str] = &[
    "about ",
    "on ",
    "regarding ",
    "concerning ",
    "related to ",
    "deal with ",
    "dealing with ",
    "talk about ",
    "speak of ",
    "speak about ",
    "discuss ",
    "discussing ",
    "cover ",
    "covering ",
    "are about ",
    "is about ",
    "say something about ",
    "have something to do with ",
    "write about ",
];

pub(super) fn route(question: &str) -> Option<Route> {
    let mut text = question;
    while let Some(rest) = POLITE.iter().find_map(|polite| after(text, polite)) {
        text = rest;
    }
    let text = after_any(text, &["give me a list of ", "make a list of "])
        .map_or_else(|| text.to_owned(), |rest| format!("list {rest}"));
    let text = text.as_str();
    summary(text)
        .or_else(|| comparison(text))
        .or_else(|| counting(text))
        .or_else(|| listing(text))
        .or_else(|| which(text))
}

/// What follows `prefix`, whatever the case of its letters.
fn after<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| text[prefix.len()..].trim_start())
}

fn after_any<'t>(text: &'t str, prefixes: &[&str]) -> Option<&'t str> {
    prefixes.iter().find_map(|prefix| after(text, prefix))
}

/// The text without words like "all my" in front.
fn without_all(mut text: &str) -> &str {
    while let Some(rest) = after_any(text, ALL) {
        text = rest;
    }
    text
}

/// "list all documents about X"
fn listing(text: &str) -> Option<Route> {
    let rest = LISTING.iter().find_map(|verb| after(text, &format!("{verb} ")))?;
    let (thing, tail) = Thing::at_start(without_all(rest))?;
    inventory(false, thing, tail)
}

/// "how many documents mention X", "what is the number of files about X"
fn counting(text: &str) -> Option<Route> {
    let rest = after_any(
        text,
        &[
            "how many ",
            "what is the number of ",
            "what's the number of ",
            "the number of ",
            "number of ",
            "count ",
        ],
    )?;
    let (thing, tail) = Thing::at_start(without_all(rest))?;
    let tail = tail.trim_start();
    let tail = after_any(tail, &["are there", "do i have", "do we have", "have i", "exist"]).unwrap_or(tail);
    inventory(true, thing, tail)
}

/// "which documents mention X", "in which files is X mentioned", "where is X mentioned"
fn which(text: &str) -> Option<Route> {
    for opening in ["in which ", "in what ", "where "] {
        let Some(rest) = after(text, opening) else { continue };
        let (thing, rest) =
            if opening == "where " { (Thing::Documents, rest) } else { Thing::at_start(rest)? };
        let rest = after_any(rest.trim_start(), &["is ", "are ", "was ", "were "])?;
        let about = ["mentioned", "spoken of", "named", "referred to"]
            .iter()
            .find_map(|end| rest.strip_suffix(end))?;
        return Some(about_only(false, thing, about.trim(), true));
    }
    let rest = after_any(text, &["which of my ", "which of the ", "which of our ", "which ", "what "])?;
    let (thing, tail) = Thing::at_start(rest)?;
    let tail = tail.trim_start();
    let tail = after_any(tail, &["do i have", "do we have", "are there", "exist"])
        .map_or_else(|| Some(tail).filter(|tail| !tail.is_empty()), Some)?;
    inventory(false, thing, tail)
}

fn about_only(counts: bool, thing: Thing, about: &str, mention: bool) -> Route {
    Route::Inventory(Inventory { counts, thing, about: Some(about.to_owned()), mention, filters: Vec::new() })
}

/// What is said of the things: nothing, what they speak of, or what the library knows of them. `None` for anything else.
fn inventory(counts: bool, thing: Thing, tail: &str) -> Option<Route> {
    let mut asked = Inventory { counts, thing, ..Inventory::default() };
    let mut tail = tail.trim();
    if let Some(rest) = after_any(tail, &["in my library", "in the library", "in our library"]) {
        tail = rest;
    }
    // One after the other: "about rent since 2025".
    loop {
        for binding in ["that ", "which ", "and ", "are ", "is ", "were ", "was "] {
            if let Some(rest) = after(tail, binding) {
                tail = rest;
            }
        }
        if tail.is_empty() {
            return Some(Route::Inventory(asked));
        }
        if let Some((filters, rest)) = filter(tail) {
            asked.filters.extend(filters);
            tail = rest;
            continue;
        }
        let (mention, rest) = match (after_any(tail, MENTION), after_any(tail, ABOUT)) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return None,
        };
        if asked.about.is_some() || rest.is_empty() {
            return None;
        }
        let (about, later) = parted(rest);
        asked.about = Some(about.trim_matches(['"', '“', '”']).to_owned());
        asked.mention = mention;
        tail = later;
    }
}

/// What is spoken of, and the filter behind it where there is one.
fn parted(text: &str) -> (&str, &str) {
    for (at, _) in text.match_indices(' ') {
        if let Some((_, rest)) = filter(text[at..].trim_start())
            && rest.is_empty()
        {
            return (text[..at].trim(), text[at..].trim_start());
        }
    }
    (text, "")
}

/// A filter that a text begins with: a year, a folder, a tag, a type.
fn filter(text: &str) -> Option<(Vec<(&'static str, String)>, &str)> {
    for (word, keys) in [
        ("since ", &["after"][..]),
        ("from after ", &["after"]),
        ("after ", &["after"]),
        ("before ", &["before"]),
        ("older than ", &["before"]),
        ("newer than ", &["after"]),
        ("from ", &["after", "before"]),
        ("of ", &["after", "before"]),
        ("in ", &["after", "before"]),
        ("changed in ", &["after", "before"]),
    ] {
        let Some(rest) = after(text, word) else { continue };
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        let (date, later) = (&rest[..digits], rest[digits..].trim_start());
        let Some(end) = end_of(date) else { continue };
        let value = |key: &&'static str| {
            (*key, if *key == "before" && keys.len() == 2 { end.clone() } else { date.to_owned() })
        };
        return Some((keys.iter().map(value).collect(), later));
    }
    for word in ["in the folder ", "in folder ", "from the folder ", "below "] {
        if let Some(name) = after(text, word) {
            return Some((vec![("path", format!("{}/**", name.trim_matches(['"', '/', ' '])))], ""));
        }
    }
    for word in ["tagged with ", "tagged ", "with the tag ", "with tag "] {
        if let Some(name) = after(text, word) {
            return Some((vec![("tag", name.trim_matches(['"', '#', ' ']).to_owned())], ""));
        }
    }
    let (thing, rest) = Thing::at_start(text)?;
    let types = thing.types().first()?;
    rest.trim().is_empty().then(|| (vec![("type", (*types).to_owned())], ""))
}

/// The beginning of what follows a year, month or day; `None` for anything else.
fn end_of(date: &str) -> Option<String> {
    let parts: Vec<&str> = date.split('-').collect();
    let year: u32 = parts.first()?.parse().ok().filter(|year| (1900..2200).contains(year))?;
    match parts.as_slice() {
        [_] => Some((year + 1).to_string()),
        [_, month] => {
            let month: u32 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
            Some(if month == 12 { format!("{}-01", year + 1) } else { format!("{year}-{:02}", month + 1) })
        }
        _ => None,
    }
}

/// "summarise X", "give me a summary of X"
fn summary(text: &str) -> Option<Route> {
    let rest = after_any(
        text,
        &[
            "summarise ",
            "summarize ",
            "sum up ",
            "give me a summary of ",
            "give a summary of ",
            "give me an overview of ",
            "write a summary of ",
            "a summary of ",
            "summary of ",
            "make a summary of ",
        ],
    )?;
    let this = [
        "this",
        "this document",
        "this file",
        "the document",
        "the file",
        "it",
        "the attached document",
        "the attached file",
        "these documents",
        "these files",
        "the documents",
        "them",
    ];
    let rest = rest.trim_end_matches(" for me");
    if this.iter().any(|this| rest.eq_ignore_ascii_case(this)) {
        return Some(Route::Summary(Subject::Attached));
    }
    let folder = [
        "the folder ",
        "folder ",
        "all documents in the folder ",
        "all files in the folder ",
        "the documents in the folder ",
        "everything in the folder ",
    ];
    if let Some(name) = after_any(rest, &folder) {
        return Some(Route::Summary(Subject::Folder(name.trim_matches(['"', '/']).to_owned())));
    }
    Some(Route::Summary(Subject::Document(rest.trim_matches('"').to_owned())))
}

/// "compare A and B", "what is the difference between A and B"
fn comparison(text: &str) -> Option<Route> {
    let rest = after_any(
        text,
        &[
            "compare ",
            "what is the difference between ",
            "what's the difference between ",
            "what are the differences between ",
            "differences between ",
            "difference between ",
        ],
    )?;
    let sides: Vec<String> = [" with ", " to ", " and ", " versus ", " vs "]
        .iter()
        .find_map(|by| rest.split_once(by))
        .map(|(a, b)| vec![a.trim().to_owned(), b.trim().to_owned()])?;
    sides.iter().all(|side| !side.is_empty()).then_some(Route::Comparison(sides))
}
