//! What holds for every conversion, whatever the file.
#![allow(
    clippy::panic,
    reason = "a test stops where the contract is broken; in unit tests that is allowed anyway"
)]

use carrel_engine::domain::{Block, BlockKind, Converted};
use unicode_normalization::is_nfc;

/// Panics where a converted document breaks the contract of the engine's domain.
pub(crate) fn check(converted: &Converted) {
    let text = converted.markdown.as_str();
    assert!(is_nfc(text), "the text is in NFC");
    let odd = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert_eq!(odd, None, "the text holds no controls");
    check_blocks(&converted.blocks, 0, text.len(), text, 0);
    let mut end = 0;
    for located in &converted.locations {
        let span = located.span;
        assert!(
            span.start >= end && span.end > span.start && span.end <= text.len(),
            "locations ascend: {located:?}"
        );
        assert!(span.of(text).is_some(), "locations are cut between characters: {located:?}");
        assert!(!located.location.is_empty());
        end = span.end;
    }
    assert_eq!(converted.complete, converted.complete && !text.is_empty());
    assert!(converted.complete || !converted.warnings.is_empty(), "what is missing is named");
}

fn check_blocks(blocks: &[Block], start: usize, end: usize, text: &str, depth: usize) {
    assert!(depth <= 17, "the tree is shallow");
    let mut from = start;
    for block in blocks {
        let span = block.span;
        assert!(
            span.start >= from && span.end <= end && span.start < span.end,
            "blocks ascend inside their parent: {block:?}"
        );
        let own = span.of(text).unwrap_or_else(|| panic!("cut inside a character: {block:?}"));
        match &block.kind {
            BlockKind::Row { header: true } => {
                assert!(own.contains('\n'), "a header row holds its delimiter line: {own:?}");
            }
            BlockKind::Row { header: false } => assert!(!own.contains('\n'), "a row is a line: {own:?}"),
            BlockKind::Table => {
                assert!(block.children.iter().all(|c| matches!(c.kind, BlockKind::Row { .. })));
            }
            BlockKind::List => assert!(block.children.iter().all(|c| c.kind == BlockKind::Item)),
            _ => {}
        }
        check_blocks(&block.children, span.start, span.end, text, depth + 1);
        from = span.end;
    }
}
