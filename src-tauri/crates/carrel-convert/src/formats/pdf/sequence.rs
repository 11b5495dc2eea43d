//! What pieces are by those beside them: items that count up, and bold lines that head nothing.

use super::items::counted;
use super::piece::{Part, Piece};

/// Items of one list begin within this distance, in points.
const SAME_INDENT: f32 = 12.0;

/// Paragraphs that count up one after the other are items of a list.
pub(super) fn count_items(pieces: &mut [Piece]) {
    let count = |piece: &Piece| match piece {
        Piece::Paragraph(parts) => {
            let part = parts.first()?;
            let left = part.place.boxes.first().map(|b| b[0])?;
            counted(&part.text).map(|(number, _)| (number, part.place.page, left))
        }
        _ => None,
    };
    let mut chosen = vec![false; pieces.len()];
    for i in 0..pieces.len() {
        let Some((number, page, left)) = pieces.get(i).and_then(count) else { continue };
        // Bullets below an item belong to it.
        let next =
            pieces.iter().enumerate().skip(i + 1).find(|(_, piece)| !matches!(piece, Piece::Item { .. }));
        if let Some((j, piece)) = next
            && let Some((next, next_page, next_left)) = count(piece)
            && next == number + 1
            && (page != next_page || (left - next_left).abs() <= SAME_INDENT)
        {
            for at in [i, j] {
                if let Some(chosen) = chosen.get_mut(at) {
                    *chosen = true;
                }
            }
        }
    }
    for (piece, _) in pieces.iter_mut().zip(chosen).filter(|(_, chosen)| *chosen) {
        let Some((number, _, left)) = count(piece) else { continue };
        let Piece::Paragraph(parts) = piece else { continue };
        let mut parts = std::mem::take(parts);
        if let Some(part) = parts.first_mut()
            && let Some((_, rest)) = counted(&part.text)
        {
            part.text = rest.to_owned();
        }
        *piece = Piece::Item { left, number: Some(number), parts };
    }
}

/// Bold lines that follow each other without text between are no headings but emphasis; the last may head what follows.
pub(super) fn demote_lone_bold(pieces: &mut [Piece]) {
    for i in 0..pieces.len() {
        let run = pieces.get(i..i + 4).is_some_and(|w| {
            let mut levels = w.iter().map(|p| match p {
                Piece::Heading { level, .. } => Some(*level),
                _ => None,
            });
            let first = levels.next().flatten();
            first.is_some() && levels.all(|l| l == first)
        });
        if run
            && let Some(piece) = pieces.get_mut(i)
            && let Piece::Heading { text, place, .. } = piece
        {
            *piece =
                Piece::Paragraph(vec![Part { text: std::mem::take(text), place: std::mem::take(place) }]);
        }
    }
}
