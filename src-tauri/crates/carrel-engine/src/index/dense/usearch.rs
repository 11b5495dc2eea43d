//! usearch as the dense index.
//!
//! Loaded, never viewed; capacity is reserved after each load; searches share a lock and changes exclude. Its filtered search
//! is not used (it has damaged memory, USearch#624): a filter that leaves few vectors scans them, one that leaves many reads
//! more of the ranking. Invariant: `keys` are exactly the keys in the index.

use super::file::DenseFile;
use super::marker::Marker;
use super::{EXACT_UP_TO, best, error};
use crate::domain::{ChangeSeq, EmbeddingSpace, GenerationId, Metric, PassageId};
use crate::seams::{DenseIndex, DenseMatch, IndexError};
use half::f16;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

/// Threads that may be inside the index at once.
const THREADS: usize = 64;

/// Neighbours looked at when a vector is added and when the graph is walked: for recall of at least .99 of the ten nearest.
const EXPANSION: usize = 192;

/// Read beyond what was asked for, so that equal scores at the end are ordered by passage.
const SPARE: usize = 16;

/// See the module.
pub(crate) struct UsearchIndex {
    dimensions: usize,
    metric: Metric,
    space: String,
    marker: Arc<Marker>,
    inner: RwLock<Inner>,
}

struct Inner {
    index: Index,
    keys: BTreeSet<u64>,
}

fn native(e: impl std::fmt::Display) -> IndexError {
    error(format!("usearch: {e}"))
}

impl UsearchIndex {
    /// An empty index for a space.
    pub(crate) fn new(space: &EmbeddingSpace, marker: Arc<Marker>) -> Result<Self, IndexError> {
        let dimensions = space.dimensions as usize;
        let options = IndexOptions {
            dimensions,
            // Vectors that are compared by their angle are of length one in here. A file of an earlier program may say `Cos` of the
            // same vectors; usearch goes by what the file says.
            metric: MetricKind::IP,
            quantization: ScalarKind::F16,
            connectivity: 16,
            expansion_add: EXPANSION,
            expansion_search: EXPANSION,
            multi: false,
        };
        let index = {
            let _call = marker.enter();
            let index = Index::new(&options).map_err(native)?;
            index.reserve_capacity_and_threads(1024, THREADS).map_err(native)?;
            index
        };
        Ok(Self {
            dimensions,
            metric: space.metric,
            space: space.key(),
            marker,
            inner: RwLock::new(Inner { index, keys: BTreeSet::new() }),
        })
    }

    /// The index that a file holds. An error when the file is damaged or of another space: the caller rebuilds.
    pub(crate) fn load(
        file: &DenseFile,
        space: &EmbeddingSpace,
        marker: Arc<Marker>,
    ) -> Result<Self, IndexError> {
        let keys = file.verify(&space.key())?;
        let loaded = Self::new(space, marker)?;
        {
            let mut inner = loaded.write();
            let path = file
                .path
                .to_str()
                .ok_or_else(|| error(format!("{}: its path is not valid Unicode", file.path.display())))?;
            let _call = loaded.marker.enter();
            inner.index.load(path).map_err(native)?;
            if inner.index.dimensions() != loaded.dimensions || inner.index.size() != keys.len() {
                return Err(error(format!("{}: it holds something else than it says", file.path.display())));
            }
            inner.index.change_expansion_add(EXPANSION);
            inner.index.change_expansion_search(EXPANSION);
            let capacity = keys.len() + keys.len() / 8 + 1024;
            inner.index.reserve_capacity_and_threads(capacity, THREADS).map_err(native)?;
            inner.keys = keys.into_iter().collect();
        }
        Ok(loaded)
    }

    /// Writes the index to its file; see [`DenseFile::save`].
    pub(crate) fn save(
        &self,
        folder: &Path,
        generation: GenerationId,
        seq: ChangeSeq,
    ) -> Result<DenseFile, IndexError> {
        let inner = self.read();
        DenseFile::save(folder, generation, seq, &self.space, inner.keys.iter().copied(), |path| {
            let path = path
                .to_str()
                .ok_or_else(|| error(format!("{}: its path is not valid Unicode", path.display())))?;
            let _call = self.marker.enter();
            inner.index.save(path).map_err(native)
        })
    }

    /// The passages in it, ascending.
    pub(crate) fn keys(&self) -> Vec<PassageId> {
        self.read().keys.iter().map(|&key| PassageId(key as i64)).collect()
    }

    /// Every passage in it with its vector as f16 bits, ascending: what a rebuild must equal.
    pub(crate) fn entries(&self) -> Result<Vec<(PassageId, Vec<u16>)>, IndexError> {
        let inner = self.read();
        let mut bits = vec![0_i16; self.dimensions];
        let _call = self.marker.enter();
        inner
            .keys
            .iter()
            .map(|&key| {
                inner.index.get(key, usearch::f16::from_mut_i16s(&mut bits)).map_err(native)?;
                Ok((PassageId(key as i64), bits.iter().map(|&x| x as u16).collect()))
            })
            .collect()
    }

    /// Puts a vector that is in f16 already.
    pub(crate) fn put_f16(&self, passage: PassageId, vector: &[f16]) -> Result<(), IndexError> {
        self.check(vector.len())?;
        let bits: Vec<i16> = match self.of_length_one(vector.iter().map(|x| x.to_f32())) {
            Some(scaled) => scaled.iter().map(|&x| f16::from_f32(x).to_bits() as i16).collect(),
            None => vector.iter().map(|x| x.to_bits() as i16).collect(),
        };
        let key = passage.0 as u64;
        let mut inner = self.write();
        let _call = self.marker.enter();
        if inner.keys.contains(&key) {
            inner.index.remove(key).map_err(native)?;
            inner.keys.remove(&key);
        }
        let (size, capacity) = (inner.index.size(), inner.index.capacity());
        if size + 1 >= capacity {
            inner
                .index
                .reserve_capacity_and_threads(capacity + capacity / 2 + 1024, THREADS)
                .map_err(native)?;
        }
        inner.index.add(key, usearch::f16::from_i16s(&bits)).map_err(native)?;
        inner.keys.insert(key);
        Ok(())
    }

    /// A vector scaled to length one where the metric is the angle; `None` where it is to stay as it is.
    fn of_length_one(&self, vector: impl Iterator<Item = f32> + Clone) -> Option<Vec<f32>> {
        /// What rounding to f16 may change the square of the length by.
        const ROUNDING: f32 = 5e-4;
        let squares: f32 = vector.clone().map(|x| x * x).sum();
        let stays =
            self.metric == Metric::InnerProduct || squares <= 0.0 || (squares - 1.0).abs() <= ROUNDING;
        (!stays).then(|| vector.map(|x| x / squares.sqrt()).collect())
    }

    fn check(&self, length: usize) -> Result<(), IndexError> {
        if length == self.dimensions {
            return Ok(());
        }
        Err(error(format!("a vector of {length} numbers does not fit an index of {}", self.dimensions)))
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first `n` of usearch's own ranking.
    fn ranking(
        &self,
        inner: &Inner,
        query: &[f32],
        n: usize,
        exact: bool,
    ) -> Result<Vec<DenseMatch>, IndexError> {
        let n = n.min(inner.keys.len());
        let found = {
            let _call = self.marker.enter();
            if exact { inner.index.exact_search(query, n) } else { inner.index.search(query, n) }
                .map_err(native)?
        };
        let matches = found.keys.iter().zip(&found.distances);
        Ok(matches
            .filter(|(key, _)| inner.keys.contains(key))
            .map(|(&key, &distance)| DenseMatch { passage: PassageId(key as i64), score: 1.0 - distance })
            .collect())
    }

    /// The graph's answer, whatever the size.
    #[cfg(test)]
    pub(super) fn walk(&self, query: &[f32], n: usize) -> Result<Vec<DenseMatch>, IndexError> {
        Ok(best(self.ranking(&self.read(), query, n, false)?, n))
    }

    /// Compares the query with these vectors.
    fn scan(&self, inner: &Inner, query: &[f32], keys: &[u64]) -> Result<Vec<DenseMatch>, IndexError> {
        let query: Vec<f32> = query.iter().map(|&x| f16::from_f32(x).to_f32()).collect();
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
        let query_length = length(&query);
        let mut bits = vec![0_i16; self.dimensions];
        let mut vector = vec![0_f32; self.dimensions];
        let mut matches = Vec::with_capacity(keys.len());
        let _call = self.marker.enter();
        for &key in keys {
            let found = inner.index.get(key, usearch::f16::from_mut_i16s(&mut bits)).map_err(native)?;
            if found == 0 {
                return Err(error(format!("vector {key} is gone from it")));
            }
            for (number, &bits) in vector.iter_mut().zip(&bits) {
                *number = f16::from_bits(bits as u16).to_f32();
            }
            let dot = dot(&query, &vector);
            let score = match self.metric {
                Metric::InnerProduct => dot,
                Metric::Cosine => {
                    let lengths = query_length * length(&vector);
                    if lengths > 0.0 { dot / lengths } else { 0.0 }
                }
            };
            matches.push(DenseMatch { passage: PassageId(key as i64), score });
        }
        Ok(matches)
    }
}

/// In eight sums, so that it becomes vector code.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (heads_a, heads_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f32 = heads_a.remainder().iter().zip(heads_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in heads_a.zip(heads_b) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<f32>() + tail
}

impl DenseIndex for UsearchIndex {
    fn put(&self, passage: PassageId, vector: &[f32]) -> Result<(), IndexError> {
        let vector: Vec<f16> = vector.iter().map(|&x| f16::from_f32(x)).collect();
        self.put_f16(passage, &vector)
    }

    fn remove(&self, passage: PassageId) -> Result<(), IndexError> {
        let key = passage.0 as u64;
        let mut inner = self.write();
        if inner.keys.remove(&key) {
            let _call = self.marker.enter();
            inner.index.remove(key).map_err(native)?;
        }
        Ok(())
    }

    fn search(
        &self,
        query: &[f32],
        n: usize,
        exact: bool,
        keep: Option<&dyn Fn(PassageId) -> bool>,
    ) -> Result<Vec<DenseMatch>, IndexError> {
        self.check(query.len())?;
        let scaled = self.of_length_one(query.iter().copied());
        let query = scaled.as_deref().unwrap_or(query);
        let inner = self.read();
        let size = inner.keys.len();
        if n == 0 || size == 0 {
            return Ok(Vec::new());
        }
        let Some(keep) = keep else {
            let exact = exact || size <= EXACT_UP_TO;
            return Ok(best(self.ranking(&inner, query, n + SPARE, exact)?, n));
        };
        let kept: Vec<u64> = inner.keys.iter().copied().filter(|&key| keep(PassageId(key as i64))).collect();
        if !exact && kept.len() > EXACT_UP_TO {
            // The kept ones are spread over the ranking: read as far as twice their share needs, then twice that.
            let mut read = (n + SPARE) * 2 * size / kept.len();
            while read < size / 4 {
                let matches = self.ranking(&inner, query, read, false)?;
                let matches: Vec<_> = matches.into_iter().filter(|m| keep(m.passage)).collect();
                if matches.len() >= n {
                    return Ok(best(matches, n));
                }
                read *= 2;
            }
        }
        Ok(best(self.scan(&inner, query, &kept)?, n))
    }

    fn len(&self) -> usize {
        self.read().keys.len()
    }
}
