//! Requests, hits and traces.

use super::{Evidence, Judged, WORDINGS};
use crate::domain::{Document, LibraryId, Passage};
use crate::seams::Message;
use jiff::Timestamp;
use std::borrow::Cow;

/// One ranked list that goes into the fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leg {
    /// BM25 over text, headings and names.
    Lexical,
    /// By meaning.
    Dense,
}

/// How legs are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// What measured best: by scores, and by ranks between embedding spaces, whose scores are not comparable.
    #[default]
    Auto,
    /// Reciprocal rank fusion, k = 60.
    Rrf,
    /// A weighted sum of scores, each on the scale of its leg.
    Convex,
}

/// Which models judge the best candidates again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rerank {
    /// What the libraries say that are asked, where they agree; else the one that the user chose, where there is one.
    #[default]
    Chosen,
    /// None.
    Off,
    /// These; the rankings of two are fused.
    By(Vec<String>),
}

impl Rerank {
    /// By its word: `auto`, `none`, a reranker, or two with a comma between.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Chosen),
            "none" => Some(Self::Off),
            _ => {
                let ids: Vec<String> = word.split(',').map(|id| id.trim().to_owned()).collect();
                (ids.len() <= 2 && !ids.iter().any(String::is_empty)).then_some(Self::By(ids))
            }
        }
    }
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// No.
    #[default]
    Off,
    /// Yes.
    On,
    /// Where the question calls for it and a language model is there that is good at it.
    Auto,
}

/// What a language model makes of the question, to be searched beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transforms {
    /// A question of a chat reworded so that it stands alone; every word of it stays.
    pub rewrite: Switch,
    /// Other wordings: a synonym, a more specific and a broader form. Auto: a word of the question stands nowhere in the libraries.
    pub mqe: Switch,
    /// How many of these.
    pub wordings: usize,
    /// Simpler questions that together answer it. Auto: it asks for several things, or for something of something of something.
    pub sub_queries: Switch,
    /// A passage as an answer might read, searched by meaning. Auto: it is a question, and nothing found is near.
    pub hyde: Switch,
}

impl Default for Transforms {
    fn default() -> Self {
        let off = Switch::Off;
        Self { rewrite: off, mqe: off, wordings: WORDINGS, sub_queries: off, hyde: off }
    }
}

/// How much is done for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Legs and fusion.
    Fast,
    /// And the chosen reranker; a question of a chat is reworded where a language model is good at it.
    #[default]
    Balanced,
    /// And a second step, other wordings where the question calls for them, and a reranker that judges more.
    Thorough,
}

/// Narrows every leg from the inside. Values of one field are OR, fields are AND.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Short type names (`pdf`, `markdown`) or media types.
    pub types: Vec<String>,
    /// Globs over the path relative to the source's root.
    pub paths: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Modified at or after.
    pub after: Option<Timestamp>,
    /// Modified before.
    pub before: Option<Timestamp>,
    /// Only these documents, and what lies in `folders`.
    pub documents: Vec<crate::domain::DocumentId>,
    /// Only what lies anywhere in these folders, and `documents`. Absolute paths, or relative to the source's root.
    pub folders: Vec<String>,
    /// Not what fits one of these.
    pub except: Except,
}

/// What a filter leaves out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Except {
    /// As [`Filter::types`].
    pub types: Vec<String>,
    /// As [`Filter::paths`].
    pub paths: Vec<String>,
    /// As [`Filter::tags`].
    pub tags: Vec<String>,
}

impl Filter {
    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A search over one or several libraries.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of a search of its own")]
pub struct SearchRequest {
    /// What the person typed.
    pub query: String,
    /// How many hits.
    pub n: usize,
    /// Which legs may run.
    pub legs: Vec<Leg>,
    /// Exact scan instead of HNSW.
    pub exact: bool,
    /// Drops hits below: on the score of the reranker, or on the dense score where there is none.
    pub min_score: Option<f32>,
    /// Leaves out what holds no word of the question and lies below the floor of its embedding space: for people, to whom ten
    /// hits for a question about nothing are ten lies. Not for answers, whose gate looks at the whole, nor for measuring.
    pub only_near: bool,
    /// How legs are joined.
    pub fusion: Fusion,
    /// Takes a second step: passages about what the first hits name.
    pub multi_hop: bool,
    /// What judges the best candidates again.
    pub rerank: Rerank,
    /// How many of them it judges.
    pub rerank_depth: usize,
    /// What is searched beside the question.
    pub transforms: Transforms,
    /// Earlier turns of the chat, oldest first.
    pub history: Vec<Message>,
    /// The language model that words; `None` for the chosen one.
    pub language_model: Option<String>,
    /// Narrows every leg.
    pub filter: Filter,
    /// Words that a passage must hold next to each other, each of these.
    pub required: Vec<String>,
    /// Words that it must not hold, next to each other; none of these.
    pub excluded: Vec<String>,
    /// The last word may be unfinished (search as you type).
    pub prefix: bool,
    /// What the same question cost before is not paid again, as long as nothing changed. Not for measuring time.
    pub reuse: bool,
}

/// Candidates that are reranked.
pub const RERANKED: usize = 20;
const RERANKED_THOROUGHLY: usize = 50;

impl SearchRequest {
    /// The default search for `query`: both legs, ten hits.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            n: 10,
            legs: vec![Leg::Lexical, Leg::Dense],
            exact: false,
            min_score: None,
            only_near: false,
            fusion: Fusion::default(),
            multi_hop: false,
            rerank: Rerank::default(),
            rerank_depth: RERANKED,
            transforms: Transforms::default(),
            history: Vec::new(),
            language_model: None,
            filter: Filter::default(),
            required: Vec::new(),
            excluded: Vec::new(),
            prefix: false,
            reuse: false,
        }
    }

    /// The same with as much done as the preset says.
    #[must_use]
    pub fn with(mut self, preset: Preset) -> Self {
        let auto = Switch::Auto;
        match preset {
            Preset::Fast => self.rerank = Rerank::Off,
            Preset::Balanced => self.transforms.rewrite = auto,
            Preset::Thorough => {
                self.multi_hop = true;
                self.rerank_depth = RERANKED_THOROUGHLY;
                self.transforms = Transforms {
                    rewrite: auto,
                    mqe: auto,
                    wordings: WORDINGS,
                    sub_queries: auto,
                    hyde: auto,
                };
            }
        }
        self
    }
}

/// What the score of a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKind {
    /// Of the reranker.
    Rerank,
    /// Of the fusion.
    Fused,
    /// BM25 alone.
    Lexical,
    /// Dense alone.
    Dense,
}

/// Rank (from 1) and score of a hit in one leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegRank {
    /// From 1.
    pub rank: usize,
    /// The leg's own score.
    pub score: f32,
}

/// The place of a hit in a leg of another wording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expanded {
    /// Which wording, from 2: the question itself is the first.
    pub number: usize,
    /// The leg.
    pub leg: Leg,
    /// Its place there.
    pub place: LegRank,
}

/// What a run of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Plain.
    Text,
    /// A matched word.
    Match,
}

/// A piece of a passage's text, for display without offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The text.
    pub text: String,
    /// What it is.
    pub kind: RunKind,
}

/// A passage found, re-read from the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// Orders the list; compared only within it.
    pub score: f32,
    /// What `score` is.
    pub score_kind: ScoreKind,
    /// In which library.
    pub library: LibraryId,
    /// Its document.
    pub document: Document,
    /// The passage itself.
    pub passage: Passage,
    /// Its place in the lexical leg.
    pub lexical: Option<LegRank>,
    /// Its place in the dense leg.
    pub dense: Option<LegRank>,
    /// Fused score, where a fusion ran.
    pub fused: Option<f32>,
    /// Its place before a reranker changed the order, from 1.
    pub fused_rank: Option<usize>,
    /// What the reranker gave it, 0 to 1.
    pub rerank: Option<f32>,
    /// Its places in the legs of other wordings of the question.
    pub expanded: Vec<Expanded>,
    /// The name in a better hit that it was found by, where a second step was taken.
    pub named: Option<String>,
    /// Words of the question as they stand in the passage.
    pub matched_terms: Vec<String>,
    /// The most telling part of the passage as plain text (about 240 characters), matches marked.
    pub snippet: Vec<Run>,
}

/// What one stage did.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// `cache`, `rewrite`, `analyze`, `filter`, `embed`, `lexical`, `dense`, `fuse`, `mqe`, `sub-queries`, `hyde`, `join`, `hops`, `rerank`,
    /// `threshold`, `read`, `gate`, `assemble`, `generate`, `cite`. A leg of another wording has its number: `lexical:2`.
    pub name: Cow<'static, str>,
    /// Milliseconds.
    pub ms: f64,
    /// Candidates it gave, where it gives any.
    pub candidates: Option<usize>,
    /// The model that did it, where one did.
    pub model: Option<String>,
    /// Tokens that a language model read and wrote for it.
    pub tokens: Option<usize>,
    /// A note for people (`words alone: the question is in a script that the embedder was not trained for`).
    pub note: Option<String>,
}

impl Stage {
    /// The same, done by a model.
    #[must_use]
    pub(crate) fn by(mut self, model: &str) -> Self {
        self.model = Some(model.to_owned());
        self
    }

    /// The same, for these tokens.
    #[must_use]
    pub(crate) fn spent(mut self, tokens: usize) -> Self {
        self.tokens = Some(tokens);
        self
    }
}

/// What every stage of one search did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// In order of their end.
    pub stages: Vec<Stage>,
    /// Milliseconds in all.
    pub total_ms: f64,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResponse {
    /// Best first.
    pub hits: Vec<Hit>,
    /// What speaks for an answer being there.
    pub evidence: Evidence,
    /// Who reranked, where anybody did.
    pub judged: Option<Judged>,
    /// What was done.
    pub trace: Trace,
}
