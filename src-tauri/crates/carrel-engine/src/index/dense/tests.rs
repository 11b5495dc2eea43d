//! One conformance test runs against usearch and the plain scan; files are checked for every kind of damage.

use super::scan::ExactScan;
use super::{DenseFile, Marker, UsearchIndex};
use crate::domain::{ChangeSeq, EmbeddingSpace, GenerationId, Metric, PassageId};
use crate::seams::DenseIndex;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

const DIMENSIONS: usize = 24;
const GENERATION: GenerationId = GenerationId(1);

fn space() -> EmbeddingSpace {
    EmbeddingSpace {
        model: "test".to_owned(),
        revision: "1".to_owned(),
        file_hash: String::new(),
        precision: "f32".to_owned(),
        pooling: "mean".to_owned(),
        query_prefix: String::new(),
        passage_prefix: String::new(),
        window: 256,
        dimensions: DIMENSIONS as u32,
        metric: Metric::Cosine,
        scripts: Vec::new(),
        languages: Vec::new(),
        floor: 0.0,
    }
}

fn marker(folder: &Path) -> Arc<Marker> {
    Arc::new(Marker::open(folder).unwrap().0)
}

fn vector(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut vector: Vec<f32> = (0..DIMENSIONS)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        })
        .collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for number in &mut vector {
        *number /= length;
    }
    vector
}

#[derive(Clone, Debug)]
enum Step {
    Put(i64, u64),
    Remove(i64),
    Search(u64, usize),
    Filtered(u64, usize, i64),
    Reload,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (1_i64..60, any::<u64>()).prop_map(|(key, seed)| Step::Put(key, seed)),
        3 => (1_i64..60).prop_map(Step::Remove),
        3 => (any::<u64>(), 1_usize..20).prop_map(|(seed, n)| Step::Search(seed, n)),
        2 => (any::<u64>(), 1_usize..20, 2_i64..5).prop_map(|(seed, n, m)| Step::Filtered(seed, n, m)),
        1 => Just(Step::Reload),
    ];
    prop::collection::vec(step, 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn usearch_answers_as_the_plain_scan_does(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let marker = marker(folder.path());
        let mut index = UsearchIndex::new(&space(), Arc::clone(&marker)).unwrap();
        let oracle = ExactScan::new(DIMENSIONS, Metric::Cosine);
        let mut seq = 0;
        for step in steps {
            match step {
                Step::Put(key, seed) => {
                    index.put(PassageId(key), &vector(seed)).unwrap();
                    oracle.put(PassageId(key), &vector(seed)).unwrap();
                }
                Step::Remove(key) => {
                    index.remove(PassageId(key)).unwrap();
                    oracle.remove(PassageId(key)).unwrap();
                }
                Step::Search(seed, n) => compare(&index, &oracle, &vector(seed), n, None),
                Step::Filtered(seed, n, m) => {
                    compare(&index, &oracle, &vector(seed), n, Some(&|id: PassageId| id.0 % m == 0));
                }
                Step::Reload => {
                    seq += 1;
                    index.save(folder.path(), GENERATION, ChangeSeq(seq)).unwrap();
                    let file = DenseFile::newest(folder.path(), GENERATION).unwrap().unwrap();
                    prop_assert_eq!(file.seq, ChangeSeq(seq));
                    index = UsearchIndex::load(&file, &space(), Arc::clone(&marker)).unwrap();
                }
            }
            prop_assert_eq!(index.len(), oracle.len());
        }
    }
}

/// Scores must agree within what f16 sums differ by; passages wherever their scores are apart.
fn compare(
    index: &dyn DenseIndex,
    oracle: &dyn DenseIndex,
    query: &[f32],
    n: usize,
    keep: Option<&dyn Fn(PassageId) -> bool>,
) {
    let found = index.search(query, n, false, keep).unwrap();
    let right = oracle.search(query, n, true, keep).unwrap();
    assert_eq!(found.len(), right.len());
    for (f, r) in found.iter().zip(&right) {
        assert!((f.score - r.score).abs() < 2e-3, "{found:?} {right:?}");
    }
    let all = oracle.search(query, usize::MAX, true, keep).unwrap();
    for f in &found {
        let truth = all.iter().find(|m| m.passage == f.passage).expect("a passage that is there");
        assert!((f.score - truth.score).abs() < 2e-3);
    }
    if let Some(keep) = keep {
        assert!(found.iter().all(|m| keep(m.passage)));
    }
}

fn saved(folder: &Path) -> DenseFile {
    let index = UsearchIndex::new(&space(), marker(folder)).unwrap();
    for key in 1..=50 {
        index.put(PassageId(key), &vector(key as u64)).unwrap();
    }
    index.remove(PassageId(7)).unwrap();
    index.save(folder, GENERATION, ChangeSeq(51)).unwrap()
}

#[test]
fn a_file_cut_or_changed_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = saved(folder.path());
    let whole = std::fs::read(&file.path).unwrap();
    let load = || UsearchIndex::load(&file, &space(), marker(folder.path()));
    assert_eq!(load().unwrap().len(), 49);
    for cut in [1, 9, 100, whole.len() / 2, whole.len()] {
        std::fs::write(&file.path, &whole[..whole.len() - cut]).unwrap();
        assert!(load().is_err(), "cut by {cut}");
    }
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&file.path, &bytes).unwrap();
        assert!(load().is_err(), "changed at {at}");
    }
}

#[test]
fn a_file_of_another_space_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = saved(folder.path());
    let other = EmbeddingSpace { revision: "2".to_owned(), ..space() };
    assert!(UsearchIndex::load(&file, &other, marker(folder.path())).is_err());
}

#[test]
fn saving_leaves_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = saved(folder.path());
    let index = UsearchIndex::load(&file, &space(), marker(folder.path())).unwrap();
    std::fs::write(folder.path().join("dense-1-3.usearch.new"), b"left by a crash").unwrap();
    index.save(folder.path(), GENERATION, ChangeSeq(60)).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["dense-1-60.usearch", "dense.in-use"]);
}

#[test]
fn the_marker_tells_a_death_inside_a_call_from_one_outside() {
    let folder = tempfile::tempdir().unwrap();
    let (marker, died) = Marker::open(folder.path()).unwrap();
    assert!(!died);
    drop(marker.enter());
    assert!(!Marker::open(folder.path()).unwrap().1);
    let (marker, _) = Marker::open(folder.path()).unwrap();
    std::mem::forget(marker.enter());
    let (_, died) = Marker::open(folder.path()).unwrap();
    assert!(died);
    assert!(!Marker::open(folder.path()).unwrap().1, "one death is told once");
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let index = UsearchIndex::new(&space(), marker(folder.path())).unwrap();
    assert!(index.put(PassageId(1), &[1.0; 3]).is_err());
    assert!(index.search(&[1.0; 3], 1, false, None).is_err());
    assert!(index.is_empty());
}

/// Vectors around a number of centres, as those of texts on some subjects are.
fn clustered(n: usize) -> Vec<Vec<f32>> {
    (0..n as u64)
        .map(|seed| {
            let (centre, own) = (vector(seed % 64 + 1_000_000), vector(seed));
            centre.iter().zip(&own).map(|(c, o)| c + 0.6 * o).collect()
        })
        .collect()
}

#[test]
fn the_graph_finds_nearly_all_of_the_ten_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let index = UsearchIndex::new(&space(), marker(folder.path())).unwrap();
    let vectors = clustered(6_000);
    for (key, vector) in vectors.iter().enumerate() {
        index.put(PassageId(key as i64 + 1), vector).unwrap();
    }
    let (mut right, mut asked) = (0, 0);
    for query in clustered(6_200).iter().skip(6_000) {
        let exact = index.search(query, 10, true, None).unwrap();
        let walked = index.walk(query, 10).unwrap();
        asked += exact.len();
        right += exact.iter().filter(|m| walked.iter().any(|w| w.passage == m.passage)).count();
    }
    assert!(right as f64 / asked as f64 >= 0.99, "{right} of {asked}");
}

#[test]
fn vectors_of_any_length_are_compared_by_their_angle() {
    let folder = tempfile::tempdir().unwrap();
    let index = UsearchIndex::new(&space(), marker(folder.path())).unwrap();
    let oracle = ExactScan::new(DIMENSIONS, Metric::Cosine);
    for key in 1..40 {
        let scaled: Vec<f32> = vector(key).iter().map(|x| x * key as f32).collect();
        index.put(PassageId(key as i64), &scaled).unwrap();
        oracle.put(PassageId(key as i64), &scaled).unwrap();
    }
    let query: Vec<f32> = vector(77).iter().map(|x| x * 9.0).collect();
    compare(&index, &oracle, &query, 10, None);
    compare(&index, &oracle, &query, 10, Some(&|id: PassageId| id.0 % 2 == 0));
}
