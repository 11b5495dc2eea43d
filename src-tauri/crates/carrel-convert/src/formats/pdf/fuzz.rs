//! The layout pass on pages that no reader made.

use super::outline::Outline;
use super::page::{Page, page};
use super::paragraphs::pieces;
use super::read::{Drawn, Entry, Glyph, RawPage, Rule};
use super::scanned::Scanned;
use super::sizes::Sizes;
use super::words::Compounds;
use super::{running, usable, write};

use crate::build::writer::Writer;
use crate::catalogue::Converter;
use crate::formats::fuzz::{Input, finished, with_source};

/// Letters that the layout treats each in its way.
const LETTERS: &str = "aaaeeinorst    .,-–•§1234567890(){}AIV知识。ا\u{5d0}\u{fb01}\u{ad}\u{2010}\u{f0b7}\u{fffd}|=<#*_`é\u{301}";

/// Pages of glyphs and drawn lines, through to the written document.
pub(in crate::formats) fn layout(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let letters: Vec<char> = LETTERS.chars().collect();
    let mut pages: Vec<Page> = Vec::new();
    let mut number = 0;
    while !input.is_empty() && number < 8 {
        number += 1;
        let raw = raw(&mut input, &letters);
        usable::verdict(&raw);
        usable::mapped_letters(&raw);
        pages.extend(page(number, &raw, input.byte() % 4 == 1));
    }
    let sizes = Sizes::of(&pages);
    running::remove(&mut pages, "aeinorst", &sizes, number);
    let compounds = Compounds::of(&pages);
    let entries: Vec<Entry> = pages
        .iter()
        .filter_map(|page| {
            let line = page.items.iter().find_map(|item| match item {
                super::page::Item::Line(line) => Some(line),
                super::page::Item::Table(_) => None,
            })?;
            Some(Entry { depth: input.byte(), title: line.text.clone(), page: Some(page.number) })
        })
        .collect();
    let pieces = pieces(&pages, &sizes, &compounds, Outline::of(&entries));
    with_source("a.pdf", bytes, |source| {
        let mut writer = Writer::new(source.limits.output_bytes);
        write(&pieces, &mut Scanned::new(source), &mut super::Marks::default(), &mut writer);
        finished(Converter::Pdf, writer.finish());
    });
}

fn raw(input: &mut Input<'_>, letters: &[char]) -> RawPage {
    // A page has a size, whatever lies on it.
    let (width, height) = (f32::from(input.short()) / 20.0, f32::from(input.short()) / 20.0);
    let mut rules = Vec::new();
    for _ in 0..input.byte() % 32 {
        let (left, top) = (step(input), step(input));
        let (left, top) = (input.place(left), input.place(top));
        rules.push(Rule {
            left,
            top,
            right: left + input.place(16.0).abs(),
            bottom: top + input.place(16.0).abs(),
        });
    }
    let mut glyphs: Vec<Glyph> = Vec::new();
    let (mut x, mut y, mut size) = (72.0_f32, 72.0_f32, 10.0_f32);
    for _ in 0..input.short() % 2048 {
        if input.is_empty() {
            break;
        }
        let how = input.byte();
        match how % 16 {
            0 => (x, y) = (72.0, y + size * 1.2),
            1 => (x, y) = (input.place(72.0), input.place(y)),
            2 => size = input.place(16.0 + size).abs(),
            3 => x += f32::from(input.byte()),
            4 => (x, y) = (f32::from(input.short() % 700), f32::from(input.short() % 900)),
            _ => {}
        }
        let c = letters.get(usize::from(input.byte()) % letters.len().max(1)).copied().unwrap_or('a');
        let width = size * 0.5;
        glyphs.push(Glyph {
            c,
            left: x,
            right: x + width,
            top: y - size * 0.8,
            bottom: y + size * 0.2,
            baseline: y,
            size,
            bold: how & 16 != 0 && how & 32 != 0,
            turn: if how >= 250 { how % 4 } else { 0 },
            generated: c == ' ' && how & 64 != 0,
            mono: how & 0xc0 == 0xc0,
            unmapped: how == 249,
            font: u32::from(how % 3),
            object: (glyphs.len() / 8) as u32,
        });
        x += width;
    }
    RawPage { width, height, glyphs, drawn: Drawn { rules, images: 0.0, any: true, ..Drawn::default() } }
}

fn step(input: &mut Input<'_>) -> f32 {
    f32::from(input.byte()) * 4.0
}
