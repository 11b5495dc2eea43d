//! What models say of claims that code found nothing against.

use super::Verify;
use crate::answer::{Citation, Claim, Verdict};
use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::prompt::{Language, Prompt, defused};
use crate::retrieve::trace::Tracer;
use crate::seams::{GenerateRequest, LanguageModel, ModelError, ModelProvider, Premise};
use std::time::Instant;

/// Probability from which a model of entailment is believed when it finds a claim contradicted, or not said.
const CONTRADICTED: f32 = 0.8;
const UNSAID: f32 = 0.9;
/// Tokens of a verdict.
const VERDICT: usize = 24;

const VERIFY: Prompt = Prompt::new(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/verify.en.md")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/verify.zh.md")),
);

/// Lets the models judge each claim that has a citation; their verdicts replace that of code.
pub(in crate::answer) fn judge(
    claims: &mut [Claim],
    citations: &[Citation],
    verify: Verify,
    models: &dyn ModelProvider,
    model: &dyn LanguageModel,
    tracer: &mut Tracer,
    cancel: &Cancel,
) -> Result<()> {
    if verify == Verify::Code {
        return Ok(());
    }
    if let Some(entailment) = models.entailment() {
        let started = Instant::now();
        let judged: Vec<usize> = (0..claims.len())
            .filter(|at| claims.get(*at).is_some_and(|claim| !claim.citations.is_empty()))
            .collect();
        let premises: Vec<String> = judged.iter().map(|at| premise(&claims[*at], citations)).collect();
        let speaks = |text: &str| Language::of(text).is_among(entailment.languages());
        let pairs: Vec<Premise<'_>> = judged
            .iter()
            .zip(&premises)
            .map(|(at, premise)| Premise { premise, hypothesis: &claims[*at].text })
            .collect();
        if !pairs.is_empty() && pairs.iter().all(|pair| speaks(pair.hypothesis)) {
            match entailment.judge(&pairs, cancel) {
                Ok(judgements) => {
                    let verdicts: Vec<(usize, Verdict)> = judged
                        .iter()
                        .zip(judgements)
                        .filter_map(|(at, judgement)| {
                            if judgement.contradiction >= CONTRADICTED {
                                Some((*at, Verdict::Contradicted))
                            } else {
                                (judgement.neutral >= UNSAID).then_some((*at, Verdict::Unsupported))
                            }
                        })
                        .collect();
                    for (at, verdict) in verdicts {
                        claims[at].verdict = verdict;
                    }
                    tracer.end("entailment", started, Some(judged.len()), None);
                }
                Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
                Err(error) => tracer.end("entailment", started, None, Some(error.to_string())),
            }
        }
    }
    if verify == Verify::Thorough && can_judge(model) {
        let started = Instant::now();
        let mut judged = 0;
        for claim in claims.iter_mut().filter(|claim| !claim.citations.is_empty()) {
            let premise = premise(claim, citations);
            if let Some(verdict) = asked(model, &premise, &claim.text, cancel)? {
                judged += 1;
                // Code has the last word on what is not there; only what it let pass can get worse.
                if claim.verdict == Verdict::Supported || verdict == Verdict::Contradicted {
                    claim.verdict = verdict;
                }
            }
        }
        tracer.end("verify", started, Some(judged), None);
    }
    Ok(())
}

/// Whether a language model is good enough to judge: those that are not say anything.
pub(super) fn can_judge(model: &dyn LanguageModel) -> bool {
    model.spec().rewords || !model.spec().local
}

/// What a claim cites.
pub(super) fn premise(claim: &Claim, citations: &[Citation]) -> String {
    let quotes = citations.iter().filter(|citation| claim.citations.contains(&citation.number));
    let with_title = |citation: &Citation| {
        let headings = citation.hit.passage.heading_path.iter().map(String::as_str);
        let about: Vec<&str> = [citation.hit.document.title.as_str()].into_iter().chain(headings).collect();
        format!("{}: {}", about.join(" > "), citation.quote)
    };
    quotes.map(with_title).collect::<Vec<_>>().join("\n")
}

fn asked(model: &dyn LanguageModel, source: &str, claim: &str, cancel: &Cancel) -> Result<Option<Verdict>> {
    let (source, claim) = (defused(source), defused(claim));
    let messages = VERIFY.messages(Language::of(&claim), &[], &[("source", &source), ("claim", &claim)]);
    let request = GenerateRequest { messages, max_tokens: VERDICT, temperature: 0.0 };
    let mut said = String::new();
    match model.generate(&request, cancel, &mut |piece| said.push_str(piece)) {
        Ok(_) => Ok(verdict(&said)),
        Err(ModelError::Cancelled) => Err(EngineError::Cancelled),
        // What code found stands.
        Err(_) => Ok(None),
    }
}

/// The verdict in what a model said; `None` where it said none, or several.
fn verdict(said: &str) -> Option<Verdict> {
    let lower = said.to_lowercase();
    let unsupported = lower.contains("unsupported");
    let rest = lower.replace("unsupported", "");
    match (rest.contains("supported"), unsupported, rest.contains("contradicted")) {
        (true, false, false) => Some(Verdict::Supported),
        (false, true, false) => Some(Verdict::Unsupported),
        (false, false, true) => Some(Verdict::Contradicted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_read_however_it_is_wrapped() {
        for (said, wanted) in [
            ("{\"verdict\": \"supported\"}", Some(Verdict::Supported)),
            ("```json\n{\"verdict\":\"Unsupported\"}\n```", Some(Verdict::Unsupported)),
            ("contradicted", Some(Verdict::Contradicted)),
            ("supported or unsupported?", None),
            ("I do not know.", None),
        ] {
            assert_eq!(verdict(said), wanted, "{said}");
        }
    }
}
