//! nDCG, recall, MRR, hit rate, precision, context precision and "all gold" over one query, and their means.

use std::collections::{HashMap, HashSet};

/// Grades of one query: document id to grade. Absent and zero grades are not relevant.
pub type Judgements = HashMap<String, u32>;

/// The metrics of one query, or their means over several. Each lies between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Normalised discounted cumulative gain of the first ten (linear gain, as `trec_eval` and BEIR).
    pub ndcg_10: f64,
    /// Share of the relevant documents among the first five.
    pub recall_5: f64,
    /// Among the first ten.
    pub recall_10: f64,
    /// Among the first twenty.
    pub recall_20: f64,
    /// Among the first hundred.
    pub recall_100: f64,
    /// 1 / rank of the first relevant document, if it is among the first ten.
    pub mrr_10: f64,
    /// Whether a relevant document is among the first five.
    pub hit_5: f64,
    /// Share of the first five that is relevant.
    pub precision_5: f64,
    /// Whether all relevant documents are among the first ten.
    pub allgold_10: f64,
    /// Mean of the precision at the rank of each relevant document among the first ten: whether what is relevant stands above
    /// what is not (RAGAS, Es et al. 2023, with judgements in the place of a model's verdict).
    pub context_precision: f64,
}

impl Metrics {
    /// Names as the terminal prints them, with the values.
    pub fn named(&self) -> [(&'static str, f64); 10] {
        [
            ("ndcg@10", self.ndcg_10),
            ("recall@5", self.recall_5),
            ("recall@10", self.recall_10),
            ("recall@20", self.recall_20),
            ("recall@100", self.recall_100),
            ("mrr@10", self.mrr_10),
            ("hit@5", self.hit_5),
            ("precision@5", self.precision_5),
            ("allgold@10", self.allgold_10),
            ("context_precision", self.context_precision),
        ]
    }
}

/// The metrics of one ranking, best first. A document that appears again counts at its first place only, and takes no place
/// the second time. `None` when nothing is judged relevant.
pub fn of_query<'a>(ranking: impl IntoIterator<Item = &'a str>, judgements: &Judgements) -> Option<Metrics> {
    let relevant = judgements.values().filter(|&&grade| grade > 0).count();
    if relevant == 0 {
        return None;
    }
    let mut seen = HashSet::new();
    let grades: Vec<u32> = ranking
        .into_iter()
        .filter(|id| seen.insert(*id))
        .take(100)
        .map(|id| judgements.get(id).copied().unwrap_or(0))
        .collect();
    let found = |k: usize| grades.iter().take(k).filter(|&&grade| grade > 0).count() as f64;
    let first = grades.iter().take(10).position(|&grade| grade > 0);
    let mut ideal: Vec<u32> = judgements.values().copied().collect();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let all = relevant as f64;
    Some(Metrics {
        ndcg_10: gain(&grades) / gain(&ideal),
        recall_5: found(5) / all,
        recall_10: found(10) / all,
        recall_20: found(20) / all,
        recall_100: found(100) / all,
        mrr_10: first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        hit_5: f64::from(found(5) > 0.0),
        precision_5: found(5) / 5.0,
        allgold_10: f64::from((found(10) - all).abs() < f64::EPSILON),
        context_precision: context_precision(&grades),
    })
}

/// Zero where nothing relevant is among the first ten.
fn context_precision(grades: &[u32]) -> f64 {
    let (mut found, mut sum) = (0.0, 0.0);
    for (rank, _) in grades.iter().take(10).enumerate().filter(|(_, grade)| **grade > 0) {
        found += 1.0;
        sum += found / (rank + 1) as f64;
    }
    if found == 0.0 { 0.0 } else { sum / found }
}

/// Area under the receiver operating characteristic: how often one of `positive` is above one of `negative`, ties counting half. One
/// half where either is empty.
pub fn auc(positive: &[f64], negative: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        positive.iter().map(|s| (*s, true)).chain(negative.iter().map(|s| (*s, false))).collect();
    if positive.is_empty() || negative.is_empty() {
        return 0.5;
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut won) = (0.0, 0.0);
    for ties in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let positives = ties.iter().filter(|(_, is)| *is).count() as f64;
        let negatives = ties.len() as f64 - positives;
        won += positives * (below + negatives / 2.0);
        below += negatives;
    }
    won / (positive.len() as f64 * negative.len() as f64)
}

fn gain(grades: &[u32]) -> f64 {
    grades.iter().take(10).enumerate().map(|(i, &grade)| f64::from(grade) / ((i + 2) as f64).log2()).sum()
}

/// Means over queries. Zeros for none.
pub fn mean(queries: &[Metrics]) -> Metrics {
    let n = queries.len().max(1) as f64;
    let of = |value: fn(&Metrics) -> f64| queries.iter().map(value).sum::<f64>() / n;
    Metrics {
        ndcg_10: of(|m| m.ndcg_10),
        recall_5: of(|m| m.recall_5),
        recall_10: of(|m| m.recall_10),
        recall_20: of(|m| m.recall_20),
        recall_100: of(|m| m.recall_100),
        mrr_10: of(|m| m.mrr_10),
        hit_5: of(|m| m.hit_5),
        precision_5: of(|m| m.precision_5),
        allgold_10: of(|m| m.allgold_10),
        context_precision: of(|m| m.context_precision),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auc_counts_pairs_in_the_right_order() {
        assert!((auc(&[3.0, 4.0], &[1.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!(auc(&[1.0], &[2.0]).abs() < 1e-12);
        assert!((auc(&[1.0, 3.0], &[2.0, 3.0]) - 0.375).abs() < 1e-12);
        assert!((auc(&[], &[2.0]) - 0.5).abs() < 1e-12);
    }
    use proptest::prelude::*;

    fn judged(grades: &[(&str, u32)]) -> Judgements {
        grades.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn binary_judgements_by_hand() {
        // Relevant: b, d, x. Ranking: a b c d e. DCG = 1/log2(3) + 1/log2(5); ideal = 1 + 1/log2(3) + 1/log2(4).
        let m =
            of_query(["a", "b", "c", "d", "e"], &judged(&[("b", 1), ("d", 1), ("x", 1), ("a", 0)])).unwrap();
        close(
            m.ndcg_10,
            (0.630_929_753_571_457_4 + 0.430_676_558_073_393_05) / (1.0 + 0.630_929_753_571_457_4 + 0.5),
        );
        close(m.recall_5, 2.0 / 3.0);
        close(m.mrr_10, 0.5);
        close(m.hit_5, 1.0);
        close(m.precision_5, 0.4);
        close(m.allgold_10, 0.0);
        close(m.context_precision, f64::midpoint(1.0 / 2.0, 2.0 / 4.0));
    }

    #[test]
    fn graded_judgements_by_hand() {
        // Grades 3, 0, 2 at ranks 1, 2, 3; ideal 3, 2. DCG = 3 + 2/2 = 4; ideal = 3 + 2/log2(3).
        let m = of_query(["a", "n", "b"], &judged(&[("a", 3), ("b", 2)])).unwrap();
        close(m.ndcg_10, 4.0 / (3.0 + 2.0 * 0.630_929_753_571_457_4));
        close(m.allgold_10, 1.0);
    }

    #[test]
    fn a_document_counts_once_and_a_query_without_judgements_not_at_all() {
        let m = of_query(["a", "a", "a", "a", "a", "b"], &judged(&[("b", 1)])).unwrap();
        close(m.mrr_10, 0.5);
        assert!(of_query(["a"], &judged(&[("a", 0)])).is_none());
        close(mean(&[m, Metrics::default()]).mrr_10, 0.25);
    }

    /// The definitions, written down a second time without sharing code.
    fn reference(ranking: &[u8], grades: &[u32; 30]) -> [f64; 10] {
        let total = grades.iter().filter(|g| **g > 0).count() as f64;
        let at = |k: usize| {
            let mut n = 0.0;
            for i in 0..k.min(ranking.len()) {
                if grades[ranking[i] as usize] > 0 {
                    n += 1.0;
                }
            }
            n
        };
        let mut dcg = 0.0;
        let mut mrr = 0.0;
        for i in (0..10.min(ranking.len())).rev() {
            let grade = f64::from(grades[ranking[i] as usize]);
            dcg += grade * std::f64::consts::LN_2 / (i as f64 + 2.0).ln();
            if grade > 0.0 {
                mrr = 1.0 / (i as f64 + 1.0);
            }
        }
        let at_relevant: Vec<f64> =
            (1..=10.min(ranking.len())).filter(|k| at(*k) > at(*k - 1)).map(|k| at(k) / k as f64).collect();
        let mut best = *grades;
        best.sort_unstable();
        let mut ideal = 0.0;
        for i in 0..10 {
            ideal += f64::from(best[29 - i]) * std::f64::consts::LN_2 / (i as f64 + 2.0).ln();
        }
        [
            dcg / ideal,
            at(5) / total,
            at(10) / total,
            at(20) / total,
            at(100) / total,
            mrr,
            if at(5) > 0.0 { 1.0 } else { 0.0 },
            at(5) / 5.0,
            if at(10) >= total { 1.0 } else { 0.0 },
            at_relevant.iter().sum::<f64>() / at_relevant.len().max(1) as f64,
        ]
    }

    #[derive(serde::Deserialize)]
    struct Evaluated {
        judgements: Judgements,
        ranking: Vec<String>,
        metrics: std::collections::BTreeMap<String, f64>,
    }

    #[test]
    fn agrees_with_pytrec_eval() {
        let json = include_str!("../../tests/fixtures/metrics/pytrec_eval.json");
        let queries: Vec<Evaluated> = serde_json::from_str(json).unwrap();
        assert!(queries.len() > 10);
        for Evaluated { judgements, ranking, metrics } in queries {
            let ours = of_query(ranking.iter().map(String::as_str), &judgements).unwrap().named();
            for (name, theirs) in metrics {
                let ours = ours.iter().find(|(n, _)| *n == name).unwrap().1;
                assert!((ours - theirs).abs() < 1e-9, "{name}: {ours} is not {theirs} for {ranking:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_an_independent_implementation(
            order in Just((0u8..30).collect::<Vec<_>>()).prop_shuffle(),
            length in 0usize..=30,
            grades in prop::array::uniform30(prop_oneof![3 => Just(0u32), 1 => 1u32..5]),
        ) {
            let names: Vec<String> = order[..length].iter().map(|d| format!("d{d}")).collect();
            let judged: Judgements = grades.iter().enumerate().map(|(d, g)| (format!("d{d}"), *g)).collect();
            match of_query(names.iter().map(String::as_str), &judged) {
                None => prop_assert!(grades.iter().all(|g| *g == 0)),
                Some(m) => {
                    for ((name, ours), theirs) in m.named().into_iter().zip(reference(&order[..length], &grades)) {
                        prop_assert!((ours - theirs).abs() < 1e-9, "{}: {} {}", name, ours, theirs);
                    }
                }
            }
        }
    }
}
