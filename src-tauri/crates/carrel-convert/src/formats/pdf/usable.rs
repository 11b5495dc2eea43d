//! Whether the text of a page can be used, or whether the page must be read from its image, and why.
//!
//! Refuses text whose fonts do not say which characters they show, unless it reads like language all the same.

use super::read::{Bitmap, Glyph, RawPage};

/// Why a page, or a part of it, gives no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mute {
    /// It could not be loaded.
    Broken,
    /// There is nothing on it.
    Blank,
    /// There is no text on it, but an image or a drawing.
    NoText,
    /// Its fonts do not say which characters they show.
    Garbled,
    /// As before, but other text of the page could be read.
    PartlyGarbled,
}

/// What the glyphs of a page are good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All of them are text.
    Usable,
    /// Those that the fonts map are text, the others are nothing (a few) or the page has to be read from its image.
    Mapped(Option<Mute>),
    /// None is text: the page has to be read from its image.
    NeedsOcr(Mute),
}

/// Letters needed before their mix is judged.
const LETTERS_TO_JUDGE: usize = 300;
/// Fewer characters than this beside a large image are a stamp on a scan.
const STAMP: usize = 20;
/// The part of the page that a scan covers.
const SCAN: f32 = 0.6;
/// Dots an inch that show whether there is anything at all.
const GLANCE: f32 = 20.0;
/// Differences of brightness (of 255) that nobody sees.
const FAINT: u8 = 16;

/// Judges a page by its glyphs and images.
pub(super) fn verdict(page: &RawPage) -> Verdict {
    let visible = || page.glyphs.iter().filter(|g| !g.generated && !g.c.is_whitespace());
    let total = visible().count();
    if total == 0 {
        return Verdict::NeedsOcr(Mute::NoText);
    }
    let stamp = total < STAMP && page.drawn.images > SCAN;
    let unmapped = visible().filter(|g| is_lost(g)).count();
    if unmapped > 0 && !reads_like_language(page.glyphs.iter().filter(|g| g.generated || is_lost(g))) {
        let rest = total - unmapped;
        let many = unmapped * 10 > total * 3;
        return if many && rest < STAMP {
            Verdict::NeedsOcr(Mute::Garbled)
        } else if stamp {
            Verdict::Mapped(Some(Mute::NoText))
        } else {
            Verdict::Mapped(many.then_some(Mute::PartlyGarbled))
        };
    }
    if reads_like_a_cipher(visible().map(|g| g.c)) {
        return Verdict::NeedsOcr(Mute::Garbled);
    }
    if stamp {
        return Verdict::Mapped(Some(Mute::NoText));
    }
    Verdict::Usable
}

/// The letters and digits that the fonts of a page map.
pub(super) fn mapped_letters(page: &RawPage) -> usize {
    page.glyphs.iter().filter(|g| !g.generated && !is_lost(g) && g.c.is_alphanumeric()).count()
}

fn is_lost(glyph: &Glyph) -> bool {
    glyph.unmapped || is_undecoded(glyph.c)
}

/// Whether a page without glyphs is blank: nothing is drawn on it, or nothing that can be seen. Images are not looked at.
pub(super) fn is_blank(page: &RawPage, render: &dyn Fn(f32) -> Option<Bitmap>) -> bool {
    if !page.drawn.any {
        return true;
    }
    if page.drawn.images > 0.0 {
        return false;
    }
    let Some(Bitmap { width, height, rgb }) = render(GLANCE) else { return false };
    // A border along the edge of the paper is nothing to read.
    let inner = |size: u32| size.saturating_sub(2) as usize;
    let mut pixels = rgb
        .chunks_exact(width.max(1) as usize * 3)
        .skip(1)
        .take(inner(height))
        .flat_map(|row| row.iter().skip(3).take(3 * inner(width)));
    let first = pixels.next().copied().unwrap_or_default();
    pixels.all(|value| value.abs_diff(first) < FAINT)
}

pub(super) fn is_undecoded(c: char) -> bool {
    matches!(c, '\u{fffd}' | '\u{e000}'..='\u{efff}' | '\u{f0000}'..='\u{10fffd}')
}

/// The eight letters of which half of a text of Latin letters is made, and more; at random they make 31 %.
const COMMON: &str = "etaoinsr";

/// Letters in a mix that no language has: a font whose codes are shifted.
fn reads_like_a_cipher(chars: impl Iterator<Item = char>) -> bool {
    let (mut letters, mut common, mut foreign) = (0_usize, 0_usize, 0_usize);
    for c in chars {
        if c.is_ascii_alphabetic() {
            letters += 1;
            common += usize::from(COMMON.contains(c.to_ascii_lowercase()));
        } else if c.is_alphabetic() {
            foreign += 1;
        }
    }
    letters >= LETTERS_TO_JUDGE && foreign * 4 < letters && common * 100 < letters * 26
}

/// Whether glyphs that no map explains are words of Latin letters all the same: their codes are those of the letters.
fn reads_like_language<'a>(glyphs: impl Iterator<Item = &'a Glyph>) -> bool {
    let (mut letters, mut common, mut odd, mut all) = (0_usize, 0_usize, 0_usize, 0_usize);
    let (mut words, mut plausible) = (0_usize, 0_usize);
    let mut word = String::new();
    let mut end = |word: &mut String| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if bare.chars().count() > 1 {
            words += 1;
            plausible += usize::from(is_plausible(bare));
        }
        word.clear();
    };
    for g in glyphs {
        if g.generated || g.c == ' ' {
            end(&mut word);
            continue;
        }
        all += 1;
        word.push(g.c);
        if g.c.is_ascii_alphabetic() {
            letters += 1;
            common += usize::from(COMMON.contains(g.c.to_ascii_lowercase()));
        } else if !(g.c.is_ascii_graphic() || matches!(g.c, '\u{a1}'..='\u{17f}' | '\u{2010}'..='\u{2026}')) {
            odd += 1;
        }
    }
    end(&mut word);
    // What is no letter of Latin script, and too few letters to tell anything, speak against it.
    let tells = letters >= 3 && letters * 2 >= all && odd * 50 <= all;
    tells && common * 100 >= letters * 38 && plausible * 10 >= words * 8
}

/// A word as Latin letters make them: a vowel, and capitals only in front or throughout; or a number.
fn is_plausible(word: &str) -> bool {
    if word.chars().all(|c| !c.is_alphabetic()) {
        return word.chars().any(|c| c.is_ascii_digit());
    }
    let vowel = word.chars().any(|c| !c.is_ascii() || "aeiouyAEIOUY".contains(c));
    let inner = word.chars().skip(1);
    let capitals = inner.clone().filter(|c| c.is_uppercase()).count();
    let small = inner.filter(|c| c.is_lowercase()).count();
    vowel && (capitals == 0 || small == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(text: &str, unmapped: bool) -> Vec<Glyph> {
        let glyph = |c| Glyph { c, generated: c == ' ', unmapped, ..Glyph::default() };
        text.chars().map(glyph).collect()
    }

    fn page(glyphs: Vec<Glyph>) -> RawPage {
        RawPage { width: 600.0, height: 800.0, glyphs, ..RawPage::default() }
    }

    fn shifted(text: &str) -> String {
        text.chars().map(|c| if c.is_ascii_graphic() { (c as u8 - 29) as char } else { c }).collect()
    }

    const TEXT: &str =
        "The carrel is a small private desk in a library, and this program is that desk, for all of us. ";

    #[test]
    fn a_shifted_font_is_told_from_language() {
        let text = TEXT.repeat(6);
        assert_eq!(verdict(&page(glyphs(&text, false))), Verdict::Usable);
        assert_eq!(verdict(&page(glyphs(&shifted(&text), false))), Verdict::NeedsOcr(Mute::Garbled));
    }

    #[test]
    fn unmapped_glyphs_are_text_only_where_they_read_like_it() {
        for text in [TEXT, "Booked in 1998", "ITEXT", "Výbava a cena"] {
            assert_eq!(verdict(&page(glyphs(text, true))), Verdict::Usable, "{text}");
        }
        for text in [&shifted(TEXT), "3HQČåQt", "!\"#$ %&'(", "\u{514}\u{3f8}\u{407}", "\u{2}\u{3}\u{4}"] {
            assert_eq!(verdict(&page(glyphs(text, true))), Verdict::NeedsOcr(Mute::Garbled), "{text}");
        }
    }

    #[test]
    fn what_the_fonts_map_is_kept_beside_what_they_do_not() {
        let mut all = glyphs(TEXT, false);
        all.extend(glyphs(&shifted(TEXT), true));
        assert_eq!(verdict(&page(all)), Verdict::Mapped(Some(Mute::PartlyGarbled)));
        let mut all = glyphs(TEXT, false);
        all.extend(glyphs("\u{3}", true));
        assert_eq!(verdict(&page(all)), Verdict::Mapped(None));
    }

    #[test]
    fn a_stamp_on_a_scan_is_not_its_text() {
        let mut scan = page(glyphs("Scan 17", false));
        scan.drawn.images = 0.95;
        assert_eq!(verdict(&scan), Verdict::Mapped(Some(Mute::NoText)));
        scan.glyphs.extend(glyphs("\u{3}", true));
        assert_eq!(verdict(&scan), Verdict::Mapped(Some(Mute::NoText)), "though a glyph of it is lost");
        assert_eq!(verdict(&RawPage::default()), Verdict::NeedsOcr(Mute::NoText));
    }

    #[test]
    fn a_page_is_blank_where_nothing_can_be_seen() {
        let seen = |value: u8| {
            move |_| {
                let mut rgb = vec![255; 4 * 3 * 3];
                rgb[0] = 0;
                rgb[18] = value;
                Some(Bitmap { width: 4, height: 3, rgb })
            }
        };
        let mut page = RawPage::default();
        assert!(is_blank(&page, &|_| None));
        page.drawn.any = true;
        assert!(is_blank(&page, &seen(255)) && !is_blank(&page, &seen(0)) && !is_blank(&page, &|_| None));
        page.drawn.images = 0.5;
        assert!(!is_blank(&page, &seen(255)));
    }
}
