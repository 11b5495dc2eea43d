//! `search`

use super::NOTHING_FOUND;
use crate::args::SearchArgs;
use crate::output::Output;
use crate::places;
use crate::session::Session;
use crate::style::{Look, Painter};
use crate::table::plain;
use carrel_api::Problem;
use carrel_api::dto::{HitDto, LibraryList, RunDto, SearchParams, SearchResult, TraceDto};

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
        output.line(format!("    {}", snippet(hit, paint)));
        output.line(format!("    {}", paint.paint(Look::Quiet, places::shown(&hit.document.uri))));
        if explain {
            output.line(format!("    {}", paint.paint(Look::Quiet, plain(&why(hit)))));
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

fn why(hit: &HitDto) -> String {
    let mut parts = Vec::new();
    for (leg, name) in [("lexical", "by words"), ("dense", "by meaning")] {
        match (hit.ranks.get(leg), hit.scores.get(leg)) {
            (Some(rank), Some(score)) => parts.push(format!("{name} {rank} ({score:.3})")),
            _ => parts.push(format!("{name} –")),
        }
    }
    if let Some(fused) = hit.scores.get("fused") {
        parts.push(format!("fused {fused:.4}"));
    }
    if let Some(name) = &hit.named {
        parts.push(format!("named above: {name}"));
    }
    if !hit.matched_terms.is_empty() {
        parts.push(format!("words: {}", hit.matched_terms.join(", ")));
    }
    parts.join(" · ")
}

/// What every stage did.
pub(super) fn print_trace(trace: &TraceDto, output: &Output) {
    let paint = output.paint;
    output.line("");
    for stage in &trace.stages {
        let candidates = stage.candidates.map_or_else(|| " ".repeat(6), |n| format!("{n:>6}"));
        let note = stage.note.as_deref().map(|n| format!("  {}", plain(n))).unwrap_or_default();
        output.line(
            paint.paint(Look::Quiet, format!("{:<10}{:>9.1} ms{candidates}{note}", stage.name, stage.ms)),
        );
    }
    output.line(paint.paint(Look::Quiet, format!("{:<10}{:>9.1} ms", "in all", trace.total_ms)));
}
