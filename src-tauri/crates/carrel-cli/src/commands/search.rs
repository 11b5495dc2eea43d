//! `search`

use super::NOTHING_FOUND;
use crate::args::SearchArgs;
use crate::output::Output;
use crate::places;
use crate::session::Session;
use crate::style::{Look, Painter};
use crate::table::plain;
use carrel_api::Problem;
use carrel_api::dto::{CitationDto, HitDto, LibraryList, RunDto, SearchParams, SearchResult, TraceDto};
use std::cmp::Ordering;
use std::collections::BTreeMap;

pub(crate) fn run(args: SearchArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    let request = SearchParams {
        query: args.query,
        libraries: args.libraries.clone(),
        n: Some(args.n),
        options: args.retrieval.options(),
        prefix: false,
        snippets: !output.json,
    };
    let result: SearchResult = session.call("search", &request)?;
    if output.json {
        output.document(&result);
    } else {
        if result.hits.is_empty() {
            let is_empty = holds_nothing(&args.libraries, session)?;
            output.message(if is_empty {
                "nothing found: there is nothing in the library yet, add files with `carrel add <PATH>`"
            } else {
                "nothing found"
            });
        }
        print_hits(&result.hits, args.retrieval.explain, output);
        if args.retrieval.explain {
            print_trace(&result.trace, output);
        } else {
            // What changed the search is said even unasked.
            for note in result.trace.stages.iter().filter_map(|s| s.note.as_ref()) {
                output.message(output.paint.paint(Look::Quiet, format!("note: {}", plain(note))));
            }
        }
    }
    Ok(if result.hits.is_empty() { NOTHING_FOUND } else { 0 })
}

/// Whether there is no document at all in the libraries that were asked.
fn holds_nothing(asked: &[String], session: &Session) -> Result<bool, Problem> {
    let list: LibraryList = session.get("library.list")?;
    let is_asked = |name: &str| match asked {
        [] => name == "default",
        names => names.iter().any(|asked| asked == name || asked == "*"),
    };
    Ok(list.libraries.iter().filter(|one| is_asked(&one.name)).all(|one| one.documents == 0))
}

/// Hits, each with its place, its words and, where asked, why it ranks there.
pub(super) fn print_hits(hits: &[HitDto], explain: bool, output: &Output) {
    let paint = output.paint;
    let several = hits.iter().any(|h| h.document.library != hits[0].document.library);
    for (i, hit) in hits.iter().enumerate() {
        if i > 0 {
            output.line("");
        }
        let mut head = vec![paint.paint(Look::Strong, plain(&hit.document.title))];
        head.extend(hit.passage.location.for_people().map(|place| plain(&place)));
        if !hit.passage.heading_path.is_empty() {
            head.push(plain(&hit.passage.heading_path.join(" › ")));
        }
        if several {
            head.push(plain(&hit.document.library));
        }
        output.line(format!(
            "{}  {}",
            paint.paint(Look::Accent, format!("{:>2}", hit.rank)),
            head.join(" · ")
        ));
        if let Some(context) = &hit.passage.context {
            output.line(format!("    {}", paint.paint(Look::Quiet, plain(context))));
        }
        output.line(format!("    {}", snippet(hit, paint)));
        output.line(format!("    {}", paint.paint(Look::Quiet, places::shown(&hit.document.uri))));
        if explain {
            output.line(format!("    {}", paint.paint(Look::Quiet, plain(&why(&Ranked::hit(hit))))));
        }
    }
}

fn snippet(hit: &HitDto, paint: Painter) -> String {
    let run = |run: &RunDto| {
        let text = plain(&run.text);
        if run.kind == "match" { paint.paint(Look::Match, text) } else { text }
    };
    hit.snippet.iter().map(run).collect()
}

/// What explains a rank.
pub(super) struct Ranked<'a> {
    rank: u32,
    ranks: &'a BTreeMap<String, u32>,
    scores: &'a BTreeMap<String, f32>,
    named: Option<&'a String>,
    matched_terms: &'a [String],
}

impl<'a> Ranked<'a> {
    fn hit(hit: &'a HitDto) -> Self {
        let HitDto { rank, ranks, scores, named, matched_terms, .. } = hit;
        Self { rank: *rank, ranks, scores, named: named.as_ref(), matched_terms }
    }

    /// `None` where its document was given whole, or the answer is from before this was kept.
    pub(super) fn citation(citation: &'a CitationDto) -> Option<Self> {
        let CitationDto { rank, ranks, scores, named, matched_terms, .. } = citation;
        Some(Self { rank: (*rank)?, ranks, scores, named: named.as_ref(), matched_terms })
    }
}

/// `by words 3 (11.200) · by meaning 12 (0.543) · fused 0.7512 · lifted by the reranker from 5 (0.830) · words: a, b`.
pub(super) fn why(hit: &Ranked<'_>) -> String {
    let mut parts = Vec::new();
    for (leg, name) in [("lexical", "by words"), ("dense", "by meaning")] {
        parts.push(match (hit.ranks.get(leg), hit.scores.get(leg)) {
            (Some(rank), Some(score)) => format!("{name} {rank} ({score:.3})"),
            _ => format!("{name} –"),
        });
        let wording = |(key, rank): (&String, &u32)| {
            let number = key.strip_prefix(leg)?.strip_prefix(':')?;
            Some((*rank, number.to_owned()))
        };
        if let Some((rank, number)) = hit.ranks.iter().filter_map(wording).min() {
            parts.push(format!("{name} in wording {number}: {rank}"));
        }
    }
    if let Some(fused) = hit.scores.get("fused") {
        parts.push(format!("fused {fused:.4}"));
    }
    if let Some(name) = hit.named {
        parts.push(format!("named above: {name}"));
    }
    if let Some(before) = hit.ranks.get("fused") {
        let moved = match (hit.scores.get("rerank"), before.cmp(&hit.rank)) {
            (None, _) => "not reranked, before".to_owned(),
            (Some(_), Ordering::Greater) => "lifted by the reranker from".to_owned(),
            (Some(_), Ordering::Less) => "put down by the reranker from".to_owned(),
            (Some(_), Ordering::Equal) => "left by the reranker at".to_owned(),
        };
        let score = hit.scores.get("rerank").map(|score| format!(" ({score:.3})")).unwrap_or_default();
        parts.push(format!("{moved} {before}{score}"));
    }
    if !hit.matched_terms.is_empty() {
        parts.push(format!("words: {}", hit.matched_terms.join(", ")));
    }
    parts.join(" · ")
}

/// What every stage did, with its time, its candidates, and the tokens and the model that it took.
pub(super) fn print_trace(trace: &TraceDto, output: &Output) {
    let paint = output.paint;
    output.line("");
    let width = trace.stages.iter().map(|stage| stage.name.len()).max().unwrap_or_default().max(10);
    for stage in &trace.stages {
        let candidates = stage.candidates.map_or_else(|| " ".repeat(6), |n| format!("{n:>6}"));
        let tokens = stage.tokens.filter(|n| *n > 0).map(|n| format!("{n} tokens"));
        let told: Vec<String> = [stage.model.clone(), tokens, stage.note.clone()]
            .into_iter()
            .flatten()
            .map(|t| plain(&t))
            .collect();
        let told = if told.is_empty() { String::new() } else { format!("  {}", told.join(" · ")) };
        output.line(
            paint.paint(Look::Quiet, format!("{:<width$}{:>9.1} ms{candidates}{told}", stage.name, stage.ms)),
        );
    }
    output.line(paint.paint(Look::Quiet, format!("{:<width$}{:>9.1} ms", "in all", trace.total_ms)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrel_api::dto::{HitDocument, PassageDto, PlaceDto};

    fn hit() -> HitDto {
        let pairs = |of: &[(&str, u32)]| of.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        HitDto {
            rank: 1,
            score: 0.83,
            score_kind: "rerank".into(),
            document: HitDocument {
                id: "d".into(),
                uri: "text:d".into(),
                title: "D".into(),
                library: "default".into(),
                version: 1,
                media_type: "text/plain".into(),
            },
            passage: PassageDto {
                id: "p".into(),
                text: "text".into(),
                heading_path: Vec::new(),
                start: 0,
                end: 4,
                location: PlaceDto::default(),
                tokens: 1,
                context: None,
            },
            ranks: pairs(&[("lexical", 3), ("dense:2", 12), ("dense:3", 11), ("fused", 5)]),
            scores: [("lexical", 11.2), ("fused", 0.75), ("rerank", 0.83)]
                .map(|(name, score)| (name.to_owned(), score))
                .into(),
            named: None,
            matched_terms: vec!["notice".into()],
            snippet: Vec::new(),
        }
    }

    #[test]
    fn a_rank_is_explained_in_words() {
        assert_eq!(
            why(&Ranked::hit(&hit())),
            "by words 3 (11.200) · by meaning – · by meaning in wording 3: 11 · fused 0.7500 · lifted by the reranker from 5 (0.830) · words: notice"
        );
        let plain = HitDto { ranks: [("dense".to_owned(), 22)].into(), ..hit() };
        assert!(
            why(&Ranked::hit(&plain)).starts_with("by words – · by meaning –"),
            "a rank without its score is none"
        );
    }
}
