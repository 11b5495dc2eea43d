//! `search`, and the retrieval options shared with `ask`.

use crate::call::Call;
use crate::dto::{HitDto, RetrievalOptions, SearchParams, SearchResult, TraceDto};
use crate::problem::Problem;
use carrel_engine::library::Library;
use carrel_engine::retrieve::{
    self, Filter, Fusion, Leg, MOST_RERANKED, MOST_WORDINGS, Preset, Rerank, SearchRequest, Switch,
};
use carrel_engine::text::operators;
use std::sync::Arc;

/// Most hits of one search.
const MOST: u32 = 1_000;
/// Most bytes of a question: pages of text, and yet searched in seconds.
const LONGEST: usize = 16 << 10;

pub(crate) fn search(call: &Call<'_>, request: SearchParams) -> Result<SearchResult, Problem> {
    let libraries = call.app.libraries(&request.libraries)?;
    let options = with_settings(&request.options, &libraries)?;
    let mut search = search_request(&request.query, request.n.unwrap_or(10), &options)?;
    apply_operators(&mut search);
    search.prefix = request.prefix;
    if search.prefix && options.rerank.is_none() {
        // The question is not finished: no model reads for it.
        search.rerank = Rerank::Off;
    }
    search.only_near = true;
    search.reuse = true;
    if search.query.trim().is_empty() {
        // What narrows is there, and what to search not yet.
        return Ok(SearchResult { query: request.query, ..SearchResult::default() });
    }
    let response = retrieve::search(&libraries, &search, &*call.app.models, call.cancel)?;
    let names = call.app.names(&libraries)?;
    let hit = |hit| HitDto::of(hit, &names, request.snippets);
    Ok(SearchResult {
        query: request.query,
        hits: response.hits.into_iter().map(hit).collect(),
        trace: TraceDto::of(response.trace),
    })
}

/// Options with what the libraries themselves say where the caller says nothing: their fusion, where they agree.
pub(crate) fn with_settings(
    options: &RetrievalOptions,
    libraries: &[Arc<Library>],
) -> Result<RetrievalOptions, Problem> {
    let mut options = options.clone();
    if options.fusion.is_none() {
        let of = |library: &Arc<Library>| -> Result<Option<String>, Problem> {
            Ok(library.settings()?.remove("fusion"))
        };
        let all = libraries.iter().map(of).collect::<Result<Vec<_>, _>>()?;
        options.fusion =
            all.first().cloned().flatten().filter(|first| all.iter().all(|f| f.as_ref() == Some(first)));
    }
    Ok(options)
}

/// A search as the engine takes it.
pub(crate) fn search_request(
    query: &str,
    n: u32,
    options: &RetrievalOptions,
) -> Result<SearchRequest, Problem> {
    if query.trim().is_empty() {
        return Err(Problem::bad_request("the question is empty"));
    }
    if query.len() > LONGEST {
        return Err(Problem::bad_request(format!(
            "the question has {} bytes, and at most {LONGEST} are taken",
            query.len()
        )));
    }
    if n == 0 || n > MOST {
        return Err(Problem::bad_request(format!("the number of hits must be between 1 and {MOST}")));
    }
    let mut request = SearchRequest::new(query).with(preset(options.preset.as_deref())?);
    request.n = n as usize;
    request.exact = options.exact;
    request.min_score = options.min_score;
    if !options.legs.is_empty() {
        request.legs = options.legs.iter().map(|word| leg(word)).collect::<Result<_, _>>()?;
    }
    request.fusion = match options.fusion.as_deref() {
        None | Some("auto") => Fusion::Auto,
        Some("rrf") => Fusion::Rrf,
        Some("convex") => Fusion::Convex,
        Some(other) => {
            return Err(Problem::bad_request(format!("{other} is not a fusion: use rrf, convex or auto")));
        }
    };
    request.multi_hop |= options.multi_hop;
    if let Some(word) = options.rerank.as_deref() {
        request.rerank = rerank(word)?;
    }
    let transforms = &mut request.transforms;
    for (given, switched) in [
        (&options.rewrite, &mut transforms.rewrite),
        (&options.sub_queries, &mut transforms.sub_queries),
        (&options.hyde, &mut transforms.hyde),
    ] {
        if let Some(word) = given {
            *switched = switch(word)?;
        }
    }
    if let Some(word) = options.mqe.as_deref() {
        match word.parse::<usize>() {
            Ok(0) => transforms.mqe = Switch::Off,
            Ok(n) if n <= MOST_WORDINGS => (transforms.mqe, transforms.wordings) = (Switch::On, n),
            Ok(_) => {
                return Err(Problem::bad_request(format!(
                    "the number of other wordings must be between 0 and {MOST_WORDINGS}"
                )));
            }
            Err(_) => transforms.mqe = switch(word)?,
        }
    }
    if let Some(depth) = options.rerank_depth {
        if !(1..=MOST_RERANKED as u32).contains(&depth) {
            return Err(Problem::bad_request(format!(
                "the number of reranked passages must be between 1 and {MOST_RERANKED}"
            )));
        }
        request.rerank_depth = depth as usize;
    }
    request.filter = filter(&options.filters)?;
    Ok(request)
}

pub(super) fn preset(word: Option<&str>) -> Result<Preset, Problem> {
    match word {
        Some("fast") => Ok(Preset::Fast),
        None | Some("balanced") => Ok(Preset::Balanced),
        Some("thorough") => Ok(Preset::Thorough),
        Some(other) => {
            Err(Problem::bad_request(format!("{other} is not a preset: use fast, balanced or thorough")))
        }
    }
}

fn switch(word: &str) -> Result<Switch, Problem> {
    match word {
        "on" => Ok(Switch::On),
        "off" => Ok(Switch::Off),
        "auto" => Ok(Switch::Auto),
        other => Err(Problem::bad_request(format!("{other} is not a setting: use on, off or auto"))),
    }
}

pub(crate) fn rerank(word: &str) -> Result<Rerank, Problem> {
    Rerank::parse(word).ok_or_else(|| {
        Problem::bad_request(format!(
            "{word} is not a reranker: name a model, two separated by a comma, none, or auto"
        ))
    })
}

fn leg(word: &str) -> Result<Leg, Problem> {
    match word {
        "lexical" => Ok(Leg::Lexical),
        "dense" => Ok(Leg::Dense),
        other => Err(Problem::bad_request(format!("{other} is not a leg: use lexical, dense or both"))),
    }
}

/// `key=value` each: the same key is OR, different keys are AND.
pub(super) fn filter(words: &[String]) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    for word in words {
        let Some((key, value)) = word.split_once('=').filter(|(_, v)| !v.is_empty()) else {
            return Err(Problem::bad_request(format!(
                "{word} is not a filter: write key=value, such as type=pdf"
            )));
        };
        filter.add(key, value, false).map_err(|error| Problem::bad_request(error.to_string()))?;
    }
    Ok(filter)
}

/// Takes what a person typed apart: quoted words, words to leave out, `type:pdf` and its like. What is no date after all stays text.
fn apply_operators(search: &mut SearchRequest) {
    let mut typed = operators(&search.query);
    for one in std::mem::take(&mut typed.filters) {
        if search.filter.add(&one.key, &one.value, one.excluded).is_err() {
            typed.search(&one.typed);
        }
    }
    search.query = typed.text;
    search.required = typed.required;
    search.excluded = typed.excluded;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn what_is_typed_narrows_and_what_is_no_date_is_text() {
        let mut search = SearchRequest::new("rent \"notice period\" -garage type:pdf after:soon before:2026");
        apply_operators(&mut search);
        assert_eq!(search.query, "rent \"notice period\" after:soon");
        assert_eq!(
            (search.required.as_slice(), search.excluded.as_slice()),
            (&words(&["notice period"])[..], &words(&["garage"])[..])
        );
        assert_eq!(search.filter.types, ["pdf"]);
        assert!(search.filter.after.is_none() && search.filter.before.is_some());
    }

    #[test]
    fn nothing_is_ignored() {
        for bad in ["pdf", "type=", "colour=red", "after=tomorrow"] {
            assert_eq!(filter(&words(&[bad])).unwrap_err().code, "bad_request", "{bad}");
        }
        let with =
            |fusion: &str| RetrievalOptions { fusion: Some(fusion.into()), ..RetrievalOptions::default() };
        assert_eq!(search_request("q", 1, &with("convex")).unwrap().fusion, Fusion::Convex);
        assert_eq!(search_request("q", 1, &RetrievalOptions::default()).unwrap().fusion, Fusion::Auto);
        assert_eq!(search_request("q", 1, &with("sum")).unwrap_err().code, "bad_request");
        let by = |id: &str| RetrievalOptions { rerank: Some(id.into()), ..RetrievalOptions::default() };
        assert_eq!(search_request("q", 1, &by("none")).unwrap().rerank, Rerank::Off);
        assert_eq!(search_request("q", 1, &by("a, b")).unwrap().rerank, Rerank::By(words(&["a", "b"])));
        for bad in ["", "a,", "a,b,c"] {
            assert_eq!(search_request("q", 1, &by(bad)).unwrap_err().code, "bad_request", "{bad}");
        }
        let of =
            |preset: &str| RetrievalOptions { preset: Some(preset.into()), ..RetrievalOptions::default() };
        let thorough = search_request("q", 1, &of("thorough")).unwrap();
        assert!(thorough.multi_hop && thorough.transforms.mqe == Switch::Auto);
        assert_eq!(search_request("q", 1, &of("fast")).unwrap().rerank, Rerank::Off);
        let off = RetrievalOptions { mqe: Some("off".into()), hyde: Some("on".into()), ..of("thorough") };
        let transforms = search_request("q", 1, &off).unwrap().transforms;
        assert_eq!((transforms.mqe, transforms.hyde), (Switch::Off, Switch::On), "what is named wins");
        let mqe = |word: &str| RetrievalOptions { mqe: Some(word.into()), ..RetrievalOptions::default() };
        assert_eq!(search_request("q", 1, &mqe("4")).unwrap().transforms.wordings, 4);
        for bad in [of("quick"), mqe("9"), mqe("-1"), mqe("some")] {
            assert_eq!(search_request("q", 1, &bad).unwrap_err().code, "bad_request", "{bad:?}");
        }
        let deep = RetrievalOptions { rerank_depth: Some(101), ..RetrievalOptions::default() };
        assert_eq!(search_request("q", 1, &deep).unwrap_err().code, "bad_request");
        assert_eq!(search_request(" ", 1, &RetrievalOptions::default()).unwrap_err().code, "bad_request");
        assert_eq!(search_request("q", 0, &RetrievalOptions::default()).unwrap_err().code, "bad_request");
    }
}
