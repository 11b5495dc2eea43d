//! Web archives (MHTML): the page in them through the HTML path, or the pages in its frames. What else they hold is of the
//! page's looks.

use super::mail::{decoded, parsed, transfer_decoded, with_utf8_header};
use super::{Source, html};
use crate::build::Draft;
use crate::build::writer::Writer;
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
        let text = decoded(&archive, page);
        if !text.to_ascii_lowercase().contains("<frameset") {
            return html::convert(&text, source.limits);
        }
        // Sheets, saved as a page, lie in a frame each; one more frame holds their names.
        let mut writer = Writer::new(source.limits.output_bytes);
        for framed in pages.filter(|p| !p.content_location().is_some_and(|at| at.contains("tabstrip"))) {
            let draft = html::convert(&decoded(&archive, framed), source.limits)?;
            if writer.has_room(draft.markdown.len()) {
                writer.title(draft.title.as_deref().unwrap_or_default());
                writer.append(draft, 1, None);
            }
        }
        return writer.finish();
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
