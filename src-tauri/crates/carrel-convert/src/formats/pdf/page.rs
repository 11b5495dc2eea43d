//! One page: from glyphs to lines and tables in reading order.

use super::aligned;
use super::lines::{Line, Lines, Upright, is_cjk};
use super::order::ordered;
use super::paragraphs::Compounds;
use super::read::{RawPage, Rule};
use super::tables::{Grid, Table, grids};

/// What stands on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Line(Line),
    Table(Table),
}

/// A page in reading order.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) upright: Upright,
    pub(super) height: f32,
    pub(super) items: Vec<Item>,
}

/// Why a page gives no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mute {
    /// It could not be loaded.
    Broken,
    /// There is no text on it: an image, or nothing.
    NoText,
    /// Its fonts do not say which characters they show.
    Garbled,
}

/// Letters needed before their mix is judged.
const LETTERS_TO_JUDGE: usize = 300;

/// Reads a page.
pub(super) fn page(number: u32, raw: &RawPage) -> Result<Page, Mute> {
    let visible = || raw.glyphs.iter().filter(|g| !g.generated && !g.c.is_whitespace());
    let total = visible().count();
    if total == 0 {
        return Err(Mute::NoText);
    }
    let unmapped = visible().filter(|g| g.unmapped || is_undecoded(g.c)).count();
    if unmapped * 10 > total * 3 || reads_like_a_cipher(visible().map(|g| g.c)) {
        return Err(Mute::Garbled);
    }
    let upright = Upright::of(raw);
    let (width, height) = upright.page();
    let mut grids: Vec<(Option<usize>, Grid)> =
        grids(&raw.rules, &upright).into_iter().map(|g| (None, g)).collect();
    let mut flow = Lines::default();
    let mut aside = Lines::default();
    let mut in_grid: Option<usize> = None;
    for glyph in &raw.glyphs {
        if glyph.generated || glyph.c.is_whitespace() {
            match in_grid.and_then(|i| grids.get_mut(i)) {
                Some((_, grid)) => grid.take_blank(glyph),
                None => flow.push(glyph),
            }
            continue;
        }
        if glyph.unmapped {
            continue;
        }
        let Some(glyph) = upright.glyph(glyph) else {
            aside.push(glyph);
            continue;
        };
        in_grid = grids.iter().position(|(_, grid)| grid.holds(&glyph));
        match in_grid.and_then(|i| grids.get_mut(i)) {
            Some((at, grid)) => {
                if at.is_none() {
                    flow.end();
                    *at = Some(flow.count());
                }
                grid.take(&glyph);
            }
            None => flow.push(&glyph),
        }
    }
    let mut lines = flow.finish().into_iter().peekable();
    let mut tables: Vec<(usize, Grid)> =
        grids.into_iter().filter_map(|(at, grid)| Some((at?, grid))).collect();
    tables.sort_by_key(|(at, _)| *at);
    let mut items = Vec::new();
    let mut taken = 0;
    for (at, grid) in tables {
        let before: Vec<Line> = lines.by_ref().take(at - taken).collect();
        taken = at;
        items.extend(aligned::items(ordered(before, width)));
        items.extend(grid.finish(&Compounds::default()).map(Item::Table));
    }
    items.extend(aligned::items(ordered(lines.collect(), width)));
    items.extend(turned(aside, upright).into_iter().map(Item::Line));
    if items.is_empty() {
        return Err(Mute::NoText);
    }
    Ok(Page { number, upright, height, items })
}

/// Text that stands otherwise than the rest of the page, as one line at its end. Single letters (axis labels turned one by one) are left out.
fn turned(aside: Lines, upright: Upright) -> Option<Line> {
    let lines = aside.finish();
    let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
    let letters: usize = text.iter().map(|t| t.chars().count()).sum();
    if letters < 3 * text.len().max(1) && letters < 12 {
        return None;
    }
    // Turned glyphs rarely meet on a baseline: what PDFium parted by no blank belongs together.
    let text = if letters < 3 * text.len() { text.concat() } else { text.join(" ") };
    let first = lines.first()?;
    let place =
        upright.rect(Rule { left: first.left, right: first.right, top: first.top, bottom: first.bottom });
    let Rule { left, right, top, bottom } = place;
    Some(Line { text, left, right, top, bottom, ..first.clone() })
}

fn is_undecoded(c: char) -> bool {
    matches!(c, '\u{fffd}' | '\u{e000}'..='\u{efff}' | '\u{100000}'..='\u{10fffd}')
}

/// Letters in a mix that no language has: a font whose codes are shifted. In all languages of Latin letters eight of
/// them make half of a text and more; at random they make 31 %.
fn reads_like_a_cipher(chars: impl Iterator<Item = char>) -> bool {
    let (mut letters, mut common, mut foreign) = (0_usize, 0_usize, 0_usize);
    for c in chars {
        if c.is_ascii_alphabetic() {
            letters += 1;
            common += usize::from("etaoinsr".contains(c.to_ascii_lowercase()));
        } else if is_cjk(c) || c.is_alphabetic() {
            foreign += 1;
        }
    }
    letters >= LETTERS_TO_JUDGE && foreign * 4 < letters && common * 100 < letters * 26
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_font_is_told_from_language() {
        let text =
            "The carrel is a small private desk in a library, and this program is that desk. ".repeat(6);
        let shifted: String =
            text.chars().map(|c| if c.is_ascii_graphic() { (c as u8 - 29) as char } else { c }).collect();
        assert!(!reads_like_a_cipher(text.chars()));
        assert!(reads_like_a_cipher(shifted.chars()));
    }
}
