//! Web archives (MHTML): the page in them through the HTML path. What else they hold is of the page's looks.

use super::mail::{decoded, parsed, transfer_decoded, with_utf8_header};
use super::{Source, html};
use crate::build::Draft;
use carrel_engine::seams::ConvertError;
use mail_parser::{MimeHeaders, PartType};

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let bytes = with_utf8_header(source.bytes);
    let archive = parsed(&bytes)?;
    // The page itself comes first, or is named as the start.
    let start = archive.parts.first().and_then(|root| root.content_type()).and_then(|t| t.attribute("start"));
    let start = start.map(|id| id.trim_matches(['<', '>']));
    let pages = archive.parts.iter().filter(|part| matches!(part.body, PartType::Html(_)));
    let page =
        pages.clone().find(|p| start.is_some() && p.content_id() == start).or_else(|| pages.clone().next());
    if let Some(page) = page {
        return html::convert(&decoded(&archive, page), source.limits);
    }
    let xhtml = archive
        .parts
        .iter()
        .find(|part| part.content_type().is_some_and(|t| t.subtype().is_some_and(|s| s.contains("html"))));
    match xhtml {
        Some(part) => {
            let bytes = transfer_decoded(&archive, part);
            html::convert(&crate::text::decode::decode(&bytes, None).text, source.limits)
        }
        None => Err(ConvertError::NoText { detail: "the web archive holds no page".into() }),
    }
}
