//! Whether the library holds an answer at all, by a fixed rule.
//!
//! It does not where no content word of the question stands in any hit and, where the dense leg took part, the best dense
//! score is below the floor of the embedding space. Never decided on a fused score.

use crate::retrieve::Hit;
use crate::text::tokens;
use std::collections::HashSet;

/// Whether an answer is tried. `above_floor`: `None` where the dense leg took no part.
pub(super) fn passes(content: &[String], hits: &[Hit], above_floor: Option<bool>) -> bool {
    if hits.is_empty() {
        return false;
    }
    above_floor == Some(true) || any_word(content, hits)
}

fn any_word(content: &[String], hits: &[Hit]) -> bool {
    let wanted: HashSet<&str> = content.iter().map(String::as_str).collect();
    let mut found = false;
    for hit in hits {
        let headings = hit.passage.heading_path.iter().map(String::as_str);
        for text in headings.chain([hit.passage.text.as_str(), hit.document.title.as_str()]) {
            tokens(text, &mut |t| found |= wanted.contains(t.term));
            if found {
                return true;
            }
        }
    }
    false
}
