//! Values of the engine as they cross the border.

use super::{
    AnswerDto, ChatDto, CheckDto, CitationDto, ClaimDto, DocumentDto, FilePartDto, FileProblem, HitDocument,
    HitDto, LocationDto, NotReady, PassageDto, PlaceDto, RunDto, StageDto, SyncReportDto, TraceDto,
    VersionDto,
};
use crate::app::Names;
use carrel_engine::answer::{Answer, Citation, Claim, NoAnswer, Verdict};
use carrel_engine::data_folder::ChatEntry;
use carrel_engine::domain::{Document, Location, Passage, Span, Version, clock_time};
use carrel_engine::library::{Check, FileReport, SyncReport};
use carrel_engine::retrieve::{Hit, Leg, RunKind, ScoreKind, Trace};
use carrel_engine::seams::FilePart;
use carrel_engine::text::plain_text;

/// State of a place that could not be looked at; no document has it.
const UNREADABLE: &str = "unreadable";

impl DocumentDto {
    pub(crate) fn of(document: Document, library: &str) -> Self {
        let (code, reason, retryable) = match document.reason {
            Some(r) => (Some(r.code), Some(r.message), r.retryable),
            None => (None, None, false),
        };
        Self {
            id: document.id.to_string(),
            uri: document.uri,
            title: document.title,
            library: library.to_owned(),
            path: String::from_utf8_lossy(&document.path).into_owned(),
            state: document.state.as_str().to_owned(),
            code,
            reason,
            retryable,
            version: document.version,
            media_type: document.media_type,
            bytes: document.bytes,
            passages: document.passages,
            date: document.modified.map(|t| t.to_string()),
            tags: document.tags,
        }
    }
}

impl From<DocumentDto> for NotReady {
    /// Where the ledger gives no reason, the state is one.
    fn from(document: DocumentDto) -> Self {
        let plain = match document.state.as_str() {
            "waiting" => "waiting to be read",
            "names" => "being read; found by its name so far",
            "words" => "found by its words so far; its meaning follows",
            "partial" => "a part of it could not be read",
            "needs_password" => "encrypted: unlock it with its password",
            "no_text" => "there is no text in it",
            "skipped" => "not taken",
            "missing" => "no longer in its place",
            _ => "it could not be read",
        };
        Self {
            uri: document.uri,
            code: document.code.unwrap_or_else(|| document.state.clone()),
            state: document.state,
            reason: document.reason.unwrap_or_else(|| plain.to_owned()),
            retryable: document.retryable,
        }
    }
}

impl PlaceDto {
    pub(crate) fn of(location: &Location) -> Self {
        let l = location.clone();
        Self {
            page: l.page,
            page_end: l.page_end,
            sheet: l.sheet,
            rows: l.rows,
            cells: l.cells,
            slide: l.slide,
            chapter: l.chapter,
            seconds: l.seconds,
            line: l.line,
            boxes: Some(l.boxes).filter(|b| !b.is_empty()),
        }
    }

    /// `p. 4–5`, `sheet Costs, rows 2–9`; `None` where nothing is known.
    pub fn for_people(&self) -> Option<String> {
        let range = |from: u32, to: u32| if from == to { from.to_string() } else { format!("{from}–{to}") };
        let mut parts = Vec::new();
        if let Some(page) = self.page {
            parts.push(format!("p. {}", range(page, self.page_end.unwrap_or(page))));
        }
        parts.extend(self.slide.map(|n| format!("slide {n}")));
        parts.extend(self.sheet.as_ref().map(|s| format!("sheet {s}")));
        parts.extend(self.rows.map(|(from, to)| {
            let rows = if from == to { "row" } else { "rows" };
            format!("{rows} {}", range(from, to))
        }));
        parts.extend(self.chapter.clone());
        parts.extend(self.seconds.map(|(from, _)| clock_time(from)));
        if parts.is_empty() {
            parts.extend(self.line.map(|n| format!("line {n}")));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl FilePartDto {
    /// `page 3 of 80`; of a recording `1:20 of 45:00`.
    pub fn for_people(&self) -> String {
        let Self { unit, number, of } = self;
        let (at, all) = match unit.as_str() {
            "second" => (clock_time(f64::from(*number)), clock_time(f64::from(*of))),
            _ => (format!("{unit} {number}"), of.to_string()),
        };
        if *of == 0 { at } else { format!("{at} of {all}") }
    }
}

impl From<&FilePart> for FilePartDto {
    fn from(part: &FilePart) -> Self {
        Self { unit: part.unit.clone(), number: part.number, of: part.of }
    }
}

impl LocationDto {
    pub(crate) fn of(span: Span, location: &Location) -> Self {
        Self { start: span.start as u32, end: span.end as u32, location: PlaceDto::of(location) }
    }
}

impl PassageDto {
    pub(crate) fn of(passage: Passage) -> Self {
        Self {
            id: passage.id.to_string(),
            text: passage.text,
            heading_path: passage.heading_path,
            start: passage.span.start as u32,
            end: passage.span.end as u32,
            location: PlaceDto::of(&passage.location),
            tokens: passage.tokens,
            context: passage.context,
        }
    }
}

impl VersionDto {
    pub(crate) fn of(version: Version) -> Self {
        Self {
            number: version.number,
            active: version.active,
            created: version.created.to_string(),
            content_hash: version.content_hash,
            converter: format!("{}/{}", version.converter.id, version.converter.version),
            characters: version.characters,
        }
    }
}

impl NotReady {
    /// A place that could not be looked at, and whatever lies in it.
    pub(crate) fn place(place: FileReport) -> Self {
        Self {
            uri: place.uri,
            state: UNREADABLE.to_owned(),
            code: place.code,
            reason: place.reason,
            retryable: true,
        }
    }

    /// Whether it is a place that could not be looked at, and not a document.
    pub fn is_place(&self) -> bool {
        self.state == UNREADABLE
    }
}

impl FileProblem {
    /// The state in which a document is left by this, among those that did not become text.
    pub fn state(&self) -> &'static str {
        match self.code.as_str() {
            "needs_password" | "wrong_password" => "needs_password",
            "no_text" => "no_text",
            _ => "failed",
        }
    }
}

impl From<FileReport> for FileProblem {
    fn from(report: FileReport) -> Self {
        Self { uri: report.uri, code: report.code, reason: report.reason }
    }
}

impl SyncReportDto {
    pub(crate) fn of(report: SyncReport) -> Self {
        Self {
            added: report.added as u32,
            updated: report.updated as u32,
            unchanged: report.unchanged as u32,
            moved: report.moved as u32,
            removed: report.removed as u32,
            failed: report.failed.into_iter().map(FileProblem::from).collect(),
            skipped: report.skipped.into_iter().map(FileProblem::from).collect(),
            seq: report.seq,
        }
    }

    /// The first file that failed, where nothing succeeded.
    pub fn failure(&self) -> Option<&FileProblem> {
        self.failed.first().filter(|_| self.did_nothing())
    }

    /// The same for files that were added by name: that they were skipped is no success either.
    pub fn refusal(&self) -> Option<&FileProblem> {
        self.failed.first().or(self.skipped.first()).filter(|_| self.did_nothing())
    }

    fn did_nothing(&self) -> bool {
        self.added + self.updated + self.unchanged + self.moved + self.removed == 0
    }

    /// Adds the report of another library.
    pub(crate) fn join(&mut self, other: Self) {
        self.added += other.added;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.moved += other.moved;
        self.removed += other.removed;
        self.failed.extend(other.failed);
        self.skipped.extend(other.skipped);
        self.seq = self.seq.max(other.seq);
    }
}

impl HitDocument {
    fn of(hit: &Hit, names: &Names) -> Self {
        Self {
            id: hit.document.id.to_string(),
            uri: hit.document.uri.clone(),
            title: hit.document.title.clone(),
            library: names.get(&hit.library).cloned().unwrap_or_default(),
            version: hit.passage.version,
            media_type: hit.document.media_type.clone(),
        }
    }
}

impl HitDto {
    pub(crate) fn of(hit: Hit, names: &Names, snippets: bool) -> Self {
        let legs = [("lexical", hit.lexical), ("dense", hit.dense)];
        let own = legs.iter().filter_map(|(name, rank)| Some(((*name).to_owned(), (*rank)?)));
        let of = |leg| match leg {
            Leg::Lexical => "lexical",
            Leg::Dense => "dense",
        };
        let ranked = own.chain(hit.expanded.iter().map(|e| (format!("{}:{}", of(e.leg), e.number), e.place)));
        let mut scores: std::collections::BTreeMap<_, _> =
            ranked.clone().map(|(name, r)| (name, r.score)).collect();
        scores.extend(hit.fused.map(|score| ("fused".to_owned(), score)));
        scores.extend(hit.rerank.map(|score| ("rerank".to_owned(), score)));
        let before = hit.fused_rank.map(|rank| ("fused".to_owned(), rank as u32));
        let run = |run: carrel_engine::retrieve::Run| RunDto {
            text: run.text,
            kind: match run.kind {
                RunKind::Text => "text",
                RunKind::Match => "match",
            }
            .to_owned(),
        };
        Self {
            rank: hit.rank as u32,
            score: hit.score,
            score_kind: match hit.score_kind {
                ScoreKind::Rerank => "rerank",
                ScoreKind::Fused => "fused",
                ScoreKind::Lexical => "lexical",
                ScoreKind::Dense => "dense",
            }
            .to_owned(),
            document: HitDocument::of(&hit, names),
            ranks: ranked.map(|(name, r)| (name, r.rank as u32)).chain(before).collect(),
            scores,
            passage: PassageDto::of(hit.passage),
            named: hit.named,
            matched_terms: hit.matched_terms,
            snippet: if snippets { hit.snippet.into_iter().map(run).collect() } else { Vec::new() },
        }
    }
}

impl TraceDto {
    pub(crate) fn of(trace: Trace) -> Self {
        let stage = |s: carrel_engine::retrieve::Stage| StageDto {
            name: s.name.into_owned(),
            ms: s.ms,
            candidates: s.candidates.map(|n| n as u32),
            model: s.model,
            tokens: s.tokens.map(|n| n as u32),
            note: s.note,
        };
        Self { stages: trace.stages.into_iter().map(stage).collect(), total_ms: trace.total_ms }
    }
}

impl CitationDto {
    pub(crate) fn of(citation: Citation, names: &Names) -> Self {
        let excerpt = plain_text(&citation.quote, citation.hit.document.is_code());
        let hit = HitDto::of(citation.hit, names, false);
        Self {
            number: citation.number,
            excerpt,
            document: hit.document,
            passage: hit.passage,
            // A document that was given whole was not found.
            rank: (!hit.ranks.is_empty()).then_some(hit.rank),
            ranks: hit.ranks,
            scores: hit.scores,
            named: hit.named,
            matched_terms: hit.matched_terms,
            quote_hash: Some(blake3::hash(citation.quote.as_bytes()).to_hex().to_string()),
            quote: citation.quote,
            quote_start: citation.quote_start as u32,
            quote_end: citation.quote_end as u32,
        }
    }
}

impl ClaimDto {
    pub(crate) fn of(claim: Claim) -> Self {
        Self {
            text: claim.text,
            start: claim.start as u32,
            end: claim.end as u32,
            citations: claim.citations,
            verdict: match claim.verdict {
                Verdict::Supported => "supported",
                Verdict::Unsupported => "unsupported",
                Verdict::Contradicted => "contradicted",
            }
            .to_owned(),
        }
    }
}

impl AnswerDto {
    pub(crate) fn of(answer: Answer, names: &Names) -> Self {
        let reason = |r| match r {
            NoAnswer::NotInLibrary => "not_in_library",
            NoAnswer::RetrievalFailed => "retrieval_failed",
            NoAnswer::NoModel => "no_model",
        };
        Self {
            answer: answer.text,
            grounded: answer.grounded,
            reason: answer.reason.map(|r| reason(r).to_owned()),
            mode: answer.mode.to_owned(),
            citations: answer.citations.into_iter().map(|c| CitationDto::of(c, names)).collect(),
            claims: answer.claims.into_iter().map(ClaimDto::of).collect(),
            conflicts: Vec::new(),
            nearest: answer.nearest.into_iter().map(|h| HitDto::of(h, names, true)).collect(),
            model: answer.model,
            chat: None,
            turn: None,
            problem: None,
            trace: TraceDto::of(answer.trace),
        }
    }
}

impl ChatDto {
    pub(crate) fn of(chat: ChatEntry) -> Self {
        Self {
            id: chat.id.to_string(),
            title: chat.title,
            created: chat.created.to_string(),
            updated: chat.updated.to_string(),
            turns: chat.turns,
            pinned: chat.pinned,
            // What a newer program wrote and this one does not understand narrows nothing.
            scope: serde_json::from_str(&chat.scope).unwrap_or_default(),
            excerpt: None,
        }
    }
}

impl CheckDto {
    pub(crate) fn of(check: Check) -> Self {
        Self { name: check.name, ok: check.ok, message: check.message, mended: check.mended, absent: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_as_people_write_them() {
        let place = |p: PlaceDto| p.for_people();
        assert_eq!(place(PlaceDto::default()), None);
        assert_eq!(place(PlaceDto { page: Some(4), ..PlaceDto::default() }).unwrap(), "p. 4");
        assert_eq!(
            place(PlaceDto { page: Some(4), page_end: Some(6), ..PlaceDto::default() }).unwrap(),
            "p. 4–6"
        );
        let sheet = PlaceDto { sheet: Some("Costs".into()), rows: Some((2, 9)), ..PlaceDto::default() };
        assert_eq!(place(sheet).unwrap(), "sheet Costs, rows 2–9");
        assert_eq!(place(PlaceDto { seconds: Some((75.4, 80.0)), ..PlaceDto::default() }).unwrap(), "1:15");
        let part = |unit: &str, number, of| FilePartDto { unit: unit.to_owned(), number, of }.for_people();
        assert_eq!(part("scanned page", 3, 80), "scanned page 3 of 80");
        assert_eq!(part("second", 80, 2_700), "1:20 of 45:00");
        assert_eq!(part("second", 80, 0), "1:20");
    }
}
