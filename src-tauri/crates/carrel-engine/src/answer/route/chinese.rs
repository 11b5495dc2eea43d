//! Chinese forms.

use super::{Inventory, Route, Subject, Thing};

const POLITE: &[&str] = &["请问", "请你", "请帮我", "帮我", "麻烦", "请", "我想", "能不能", "可以"];
const LISTING: &[&str] = &["列出", "列举", "给我看", "给出", "找出", "查找", "显示", "告诉我"];
const ALL: &[&str] = &[
    "库里",
    "库中",
    "资料库里",
    "资料库中",
    "我的",
    "所有的",
    "全部的",
    "所有",
    "全部",
    "一切",
    "每个",
    "每份",
];
const COUNTING: &[&str] =
    &["一共有多少", "总共有多少", "共有多少", "一共有几", "总共有几", "有多少", "有几", "多少"];
const CLASSIFIERS: &[&str] = &["个", "份", "篇", "封", "本", "张", "条", "种"];
const MENTION: &[&str] =
    &["提到了", "提及了", "提到", "提及", "包含了", "包含", "含有", "写到", "出现了", "出现"];
const ABOUT: &[&str] = &["关于", "有关", "涉及到", "涉及", "讲到了", "讲到", "讲", "谈到", "讨论"];

pub(super) fn route(question: &str) -> Option<Route> {
    let text: String = question.chars().filter(|c| !c.is_whitespace()).collect();
    let mut text = text.as_str();
    while let Some(rest) = POLITE.iter().find_map(|polite| text.strip_prefix(polite)) {
        text = rest;
    }
    summary(text).or_else(|| comparison(text)).or_else(|| counting(text)).or_else(|| listing(text))
}

fn after_any<'t>(text: &'t str, prefixes: &[&str]) -> Option<&'t str> {
    prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))
}

fn without_all(mut text: &str) -> &str {
    while let Some(rest) = after_any(text, ALL) {
        text = rest;
    }
    text
}

fn list(counts: bool, thing: Thing, about: Option<(&str, bool)>) -> Option<Route> {
    let about = match about {
        Some((about, mention)) => {
            let about = about.trim_matches(['“', '”', '"', '《', '》', '「', '」', '的']);
            if about.is_empty() {
                return None;
            }
            Some((about.to_owned(), mention))
        }
        None => None,
    };
    let mention = about.as_ref().is_some_and(|(_, mention)| *mention);
    Some(Route::Inventory(Inventory {
        counts,
        thing,
        about: about.map(|(about, _)| about),
        mention,
        filters: Vec::new(),
    }))
}

/// 提到X, 关于X: what is spoken of, and whether its words must stand there.
fn matter(text: &str) -> Option<(&str, bool)> {
    match (after_any(text, MENTION), after_any(text, ABOUT)) {
        (Some(about), _) => Some((about, true)),
        (None, Some(about)) => Some((about, false)),
        (None, None) => None,
    }
}

/// 关于X的文档, 提到X的文件: a thing with what it speaks of before it.
fn described(text: &str) -> Option<(Thing, Option<(&str, bool)>)> {
    let (thing, before) = Thing::at_end(without_all(text))?;
    let before = without_all(before);
    if before.is_empty() {
        return Some((thing, None));
    }
    let about = matter(before.strip_suffix('的').unwrap_or(before))?;
    Some((thing, Some(about)))
}

/// 列出所有关于X的文档; 哪些文档提到X; 有哪些关于X的资料; 关于X的文档有哪些
fn listing(text: &str) -> Option<Route> {
    if let Some(rest) = after_any(text, LISTING) {
        let (thing, about) = described(rest)?;
        return list(false, thing, about);
    }
    if let Some(rest) = without_all(text).strip_suffix("有哪些") {
        let (thing, about) = described(rest)?;
        return list(false, thing, about);
    }
    let rest = after_any(without_all(text), &["都有哪些", "有哪些", "哪些", "哪几个", "哪几份"])?;
    if let Some((thing, about)) = described(rest) {
        // 哪些文档 alone says nothing of them.
        return about.and_then(|about| list(false, thing, Some(about)));
    }
    let (thing, tail) = Thing::at_start(rest)?;
    let tail = after_any(tail, &["里面", "里", "中"]).unwrap_or(tail);
    let tail = tail.strip_prefix('是').unwrap_or(tail);
    let about = matter(tail.strip_suffix('的').unwrap_or(tail))?;
    list(false, thing, Some(about))
}

/// 有多少个文档提到X; 有几份关于X的文件; 提到X的文档有多少; 一共有多少个文档
fn counting(text: &str) -> Option<Route> {
    for end in
        ["一共有多少个", "有多少个", "有多少份", "有多少", "有几个", "有几份", "的数量", "的数量是多少"]
    {
        if let Some(rest) = text.strip_suffix(end)
            && let Some((thing, about)) = described(rest)
        {
            return list(true, thing, about);
        }
    }
    let rest = after_any(without_all(text), COUNTING)?;
    let rest = after_any(rest, CLASSIFIERS).unwrap_or(rest);
    if let Some((thing, about)) = described(rest) {
        return list(true, thing, about);
    }
    let (thing, tail) = Thing::at_start(rest)?;
    let tail = after_any(tail, &["里面", "里", "中"]).unwrap_or(tail);
    let about = matter(tail.strip_prefix('是').unwrap_or(tail))?;
    list(true, thing, Some(about))
}

/// 总结这份文档; 总结X; 总结文件夹X
fn summary(text: &str) -> Option<Route> {
    let rest = after_any(text, &["总结一下", "概括一下", "归纳一下", "总结", "概括", "归纳", "概述"])?;
    let this = [
        "这份文档",
        "这个文档",
        "这份文件",
        "这个文件",
        "该文档",
        "该文件",
        "这篇文章",
        "附件",
        "它",
        "这些文档",
        "这些文件",
        "此文档",
        "文档",
        "文件",
    ];
    if this.contains(&rest) {
        return Some(Route::Summary(Subject::Attached));
    }
    if let Some(name) = rest.strip_prefix("文件夹") {
        let name = ["里的所有文档", "里的所有文件", "中的所有文档", "里的文档", "里的文件", "的内容"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name);
        return Some(Route::Summary(Subject::Folder(name.trim_matches(['“', '”', '"']).to_owned())));
    }
    let name =
        ["的内容", "的要点", "的主要内容"].iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
    let name = name.trim_matches(['“', '”', '"', '《', '》']);
    (!name.is_empty()).then(|| Route::Summary(Subject::Document(name.to_owned())))
}

/// 比较A和B; A和B有什么区别
fn comparison(text: &str) -> Option<Route> {
    let pair = after_any(text, &["比较一下", "对比一下", "比较", "对比"]).or_else(|| {
        [
            "有什么区别",
            "有什么不同",
            "有哪些区别",
            "有哪些不同",
            "的区别是什么",
            "的区别",
            "有何不同",
            "有何区别",
        ]
        .iter()
        .find_map(|end| text.strip_suffix(end))
    })?;
    let (a, b) = ["和", "与", "跟", "同"].iter().find_map(|by| pair.split_once(by))?;
    (!a.is_empty() && !b.is_empty()).then(|| Route::Comparison(vec![a.to_owned(), b.to_owned()]))
}
