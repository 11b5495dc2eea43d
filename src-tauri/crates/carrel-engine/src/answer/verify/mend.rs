//! Writing an answer anew without what its sources do not carry.

use super::judge::can_judge;
use crate::answer::align::Aligner;
use crate::answer::assemble::Source;
use crate::answer::{Claim, Verdict};
use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::prompt::{Language, Prompt, defused};
use crate::seams::{GenerateRequest, LanguageModel, ModelError};

/// Tokens of a sentence.
const SENTENCE: usize = 120;

const MEND: Prompt = Prompt::new(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/mend.en.md")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/mend.zh.md")),
);

/// The answer's text without marks, with what failed written anew where the source nearest to it carries that, and taken out else; with how
/// many were written anew and taken out. `None` where nothing failed.
pub(in crate::answer) fn mended(
    text: &str,
    claims: &[Claim],
    sources: &[Source],
    question: &str,
    model: &dyn LanguageModel,
    cancel: &Cancel,
) -> Result<Option<(String, usize, usize)>> {
    if claims.iter().all(|claim| claim.verdict == Verdict::Supported) {
        return Ok(None);
    }
    let aligner = Aligner::new(sources, question);
    let (mut anew, mut out) = (0, 0);
    let mut written = String::new();
    let mut at = 0;
    for claim in claims {
        written.push_str(&unmarked(text.get(at..claim.start).unwrap_or_default()));
        at = claim.end;
        if claim.verdict == Verdict::Supported {
            written.push_str(&claim.text);
            continue;
        }
        let better = match aligner.nearest(&claim.text).filter(|_| can_judge(model)) {
            Some(source) => sentence(model, &sources[source].text, &claim.text, cancel)?,
            None => None,
        };
        let carried =
            better.filter(|better| aligner.align(better, &[]).is_some_and(|spans| !spans.is_empty()));
        match carried {
            Some(better) => {
                anew += 1;
                written.push_str(&better);
            }
            None => out += 1,
        }
    }
    written.push_str(&unmarked(text.get(at..).unwrap_or_default()));
    Ok(Some((written.trim().to_owned(), anew, out)))
}

/// Text between claims without the marks of citations.
fn unmarked(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let number = rest[start + 1..].find(']').map(|end| &rest[start + 1..start + 1 + end]);
        match number.filter(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())) {
            Some(number) => {
                plain.push_str(rest[..start].trim_end_matches(' '));
                rest = &rest[start + number.len() + 2..];
            }
            None => {
                plain.push_str(&rest[..=start]);
                rest = &rest[start + 1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn sentence(model: &dyn LanguageModel, source: &str, claim: &str, cancel: &Cancel) -> Result<Option<String>> {
    let (source, claim) = (defused(source), defused(claim));
    let messages = MEND.messages(Language::of(&claim), &[], &[("source", &source), ("claim", &claim)]);
    let request = GenerateRequest { messages, max_tokens: SENTENCE, temperature: 0.0 };
    let mut said = String::new();
    match model.generate(&request, cancel, &mut |piece| said.push_str(piece)) {
        Ok(_) => {
            let line = said.trim().lines().next().unwrap_or_default().trim().to_owned();
            Ok((!line.is_empty() && !line.contains("NONE")).then_some(line))
        }
        Err(ModelError::Cancelled) => Err(EngineError::Cancelled),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_out_and_brackets_stay() {
        assert_eq!(unmarked(" [1][2] and an [array] [3]."), " and an [array].".trim_start_matches("x"));
        assert_eq!(unmarked("[12]"), "");
    }
}
