//! What happens while an answer is made, and conflicts, as they cross the border.

use super::{AskStreamEvent, CitationDto, ClaimDto, ConflictDto, ConflictSideDto, HitDto};
use crate::app::Names;
use carrel_engine::answer::{AskEvent, Conflict, Difference, Likely, Preferred, Side};
use carrel_engine::text::plain_text;

impl ConflictDto {
    pub(crate) fn of(conflict: Conflict, names: &Names) -> Self {
        let difference = match conflict.difference {
            Difference::Number => "number",
            Difference::Date => "date",
            Difference::Name => "name",
            Difference::Denial => "denial",
        };
        let likely = match conflict.likely {
            Likely::Age => "age",
            Likely::Kind => "kind",
            Likely::Unknown => "unknown",
        };
        let preferred = conflict.preferred.map(|preferred| match preferred {
            Preferred::Later => "later",
            Preferred::Rank => "rank",
        });
        Self {
            difference: difference.to_owned(),
            sides: conflict.sides.into_iter().map(|side| ConflictSideDto::of(side, names)).collect(),
            likely: likely.to_owned(),
            preferred: preferred.map(str::to_owned),
        }
    }
}

impl ConflictSideDto {
    fn of(side: Side, names: &Names) -> Self {
        let path = String::from_utf8_lossy(&side.hit.document.path).into_owned();
        let excerpt = plain_text(&side.quote, side.hit.document.is_code());
        let hit = HitDto::of(side.hit, names, false);
        Self {
            document: hit.document,
            passage: hit.passage,
            quote: side.quote,
            excerpt,
            quote_start: side.quote_start as u32,
            quote_end: side.quote_end as u32,
            date: side.date,
            path,
        }
    }
}

impl AskStreamEvent {
    pub(crate) fn of(event: AskEvent, names: &Names) -> Self {
        match event {
            AskEvent::Stage { name, passages, documents } => {
                Self::Stage { name: name.to_owned(), passages: passages as u32, documents: documents as u32 }
            }
            AskEvent::Token(text) => Self::Token { text },
            AskEvent::Citation(citation) => {
                Self::Citation { citation: Box::new(CitationDto::of(*citation, names)) }
            }
            AskEvent::Claim(claim) => Self::Claim { claim: ClaimDto::of(claim) },
            AskEvent::Progress { done, total } => Self::Progress { done: done as u32, total: total as u32 },
            AskEvent::Hop { number, question } => Self::Hop { number: number as u32, question },
            AskEvent::Conflict(conflict) => {
                Self::Conflict { conflict: Box::new(ConflictDto::of(*conflict, names)) }
            }
        }
    }
}
