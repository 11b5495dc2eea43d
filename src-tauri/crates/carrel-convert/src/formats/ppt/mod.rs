//! PowerPoint 97–2003: the texts of each slide in their order, the title first, lists with their levels, notes and comments.
//!
//! Slides are found as the last edit left them; where its directory is damaged, all slides of the stream are read as they lie.
//! Tables are groups of boxes in this format; their cells are put in order by where they are drawn.

mod record;
mod slide;

use super::ole::Ole;
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::lists::Lists;
use crate::build::runs::Runs;
use crate::build::table;
use crate::build::writer::Writer;
use carrel_engine::domain::Location;
use carrel_engine::seams::ConvertError;
use record::kind;
use slide::{Slide, Text};

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut file = Ole::open(source)?;
    let mut stream = file.needed("PowerPoint Document")?;
    let user = file.stream("Current User").unwrap_or_default();
    if record::encrypted(&stream, &user) {
        record::decrypt(&mut stream, &user, source.password)?;
    }
    let slides = slide::slides(&stream, &user);
    let of = slides.len() as u32;
    if of > source.limits.pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = file.title() {
        // What PowerPoint calls a file that nobody has named.
        if !matches!(title.trim(), "PowerPoint Presentation" | "Slide 1" | "No Slide Title") {
            writer.title(&title);
        }
    }
    for (slide, number) in slides.into_iter().zip(1..) {
        (source.progress)(Progress { unit: "slide", part: number, of });
        if writer.is_full() {
            break;
        }
        write(slide, number, &mut writer);
    }
    writer.finish()
}

fn write(slide: Slide, number: u32, writer: &mut Writer) {
    let Slide { mut texts, notes, comments, hidden } = slide;
    texts.retain(|t| !t.is_empty());
    if texts.is_empty() && notes.is_empty() && comments.is_empty() {
        return;
    }
    writer.locate(Some(Location { slide: Some(number), ..Location::default() }));
    let title = texts.iter().position(Text::is_title).map(|i| texts.remove(i));
    let opening = title.as_ref().is_some_and(|t| t.kind == kind::CENTRED_TITLE);
    let mut plain = match &title {
        Some(title) => {
            let lines: Vec<_> = title.paragraphs.iter().map(|(_, p)| p.trim()).collect();
            crate::text::clean::line(&lines.join(" "))
        }
        None => format!("Slide {number}"),
    };
    if hidden {
        plain.push_str(" (hidden)");
    } else if number == 1 && title.is_some() {
        writer.title(&plain);
    }
    writer.heading(if opening && number == 1 { 1 } else { 2 }, &escaped(&plain), &plain);
    for text in &texts {
        paragraphs(text, writer);
    }
    if !notes.is_empty() {
        writer.heading(3, "Notes", "Notes");
        for text in &notes {
            paragraphs(text, writer);
        }
    }
    if !comments.is_empty() {
        writer.heading(3, "Comments", "Comments");
        for (author, text) in comments {
            let by = if author.is_empty() { author } else { format!("{author}: ") };
            writer.paragraph(&escaped(&format!("{by}{text}")));
        }
    }
}

fn paragraphs(text: &Text, writer: &mut Writer) {
    if !text.rows.is_empty() {
        table::write(writer, text.rows.clone());
    }
    let mut lists = Lists::default();
    for (level, paragraph) in &text.paragraphs {
        let mut runs = Runs::default();
        for (i, line) in paragraph.split('\u{b}').enumerate() {
            if i > 0 {
                runs.newline();
            }
            runs.text(line, false, false);
        }
        if runs.is_empty() {
            continue;
        }
        if text.is_list() {
            lists.item(writer, *level, None);
        }
        writer.paragraph(&runs.markdown(false));
    }
    lists.end(writer);
}
