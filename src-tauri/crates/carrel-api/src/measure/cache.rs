//! Vectors kept between evaluations, by embedding space and the exact text.
//!
//! The file is appended to; a record that was cut off at its end is made again. Vectors are kept as they were computed, so that a
//! run with the cache equals one without.

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::EmbeddingSpace;
use carrel_engine::seams::{
    EmbedKind, Embedder, LanguageModel, ModelError, ModelProvider, Reranker, Tokenizer, Transcriber,
};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

type Key = [u8; 16];

/// Models whose embedders look into the cache first.
pub(super) struct CachedModels {
    inner: Arc<dyn ModelProvider>,
    folder: PathBuf,
    opened: Mutex<HashMap<String, Arc<CachedEmbedder>>>,
}

impl CachedModels {
    /// Over `inner`, with files in `folder`.
    pub(super) fn new(inner: Arc<dyn ModelProvider>, folder: PathBuf) -> Self {
        Self { inner, folder, opened: Mutex::default() }
    }
}

impl ModelProvider for CachedModels {
    fn default_embedder(&self) -> Option<String> {
        self.inner.default_embedder()
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedder) = opened.get(id) {
            return Ok(embedder.clone());
        }
        let embedder = Arc::new(CachedEmbedder::open(self.inner.embedder(id)?, &self.folder)?);
        opened.insert(id.to_owned(), embedder.clone());
        Ok(embedder)
    }

    fn default_reranker(&self) -> Option<String> {
        self.inner.default_reranker()
    }

    fn reranker(&self, id: &str) -> Result<Arc<dyn Reranker>, ModelError> {
        self.inner.reranker(id)
    }

    fn language_model(&self, id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        self.inner.language_model(id)
    }

    fn default_transcriber(&self) -> Option<String> {
        self.inner.default_transcriber()
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        self.inner.transcriber()
    }
}

struct CachedEmbedder {
    inner: Arc<dyn Embedder>,
    path: PathBuf,
    kept: Mutex<Kept>,
}

struct Kept {
    vectors: HashMap<Key, Vec<f32>>,
    file: File,
}

impl CachedEmbedder {
    fn open(inner: Arc<dyn Embedder>, folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join(format!("vectors-{}.f32", inner.space().key()));
        let failed = |error: std::io::Error| ModelError::Failed(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let file = File::options().read(true).append(true).create(true).open(&path).map_err(failed)?;
        let dimensions = inner.space().dimensions as usize;
        let mut vectors = HashMap::new();
        let mut record = vec![0; size_of::<Key>() + dimensions * 4];
        let mut reader = BufReader::new(&file);
        let mut whole = 0;
        while reader.read_exact(&mut record).is_ok() {
            let (key, numbers) = record.split_at(size_of::<Key>());
            let numbers =
                numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            vectors.insert(Key::try_from(key).unwrap_or_default(), numbers);
            whole += record.len() as u64;
        }
        file.set_len(whole).map_err(failed)?;
        Ok(Self { inner, kept: Mutex::new(Kept { vectors, file }), path })
    }
}

fn key(text: &str) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..size_of::<Key>()]);
    key
}

impl Embedder for CachedEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        self.inner.space()
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        self.inner.tokenizer()
    }

    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        // Queries are what is measured.
        if kind == EmbedKind::Query {
            return self.inner.embed(kind, texts, cancel);
        }
        let keys: Vec<Key> = texts.iter().map(|t| key(t)).collect();
        let missing: Vec<usize> = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            (0..texts.len()).filter(|i| !kept.vectors.contains_key(&keys[*i])).collect()
        };
        let wanted: Vec<&str> = missing.iter().map(|i| texts[*i]).collect();
        let made = if wanted.is_empty() { Vec::new() } else { self.inner.embed(kind, &wanted, cancel)? };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        for (i, vector) in missing.into_iter().zip(made) {
            bytes.extend_from_slice(&keys[i]);
            bytes.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
            kept.vectors.insert(keys[i], vector);
        }
        kept.file
            .write_all(&bytes)
            .map_err(|error| ModelError::Failed(format!("{}: {error}", self.path.display())))?;
        let vector = |k: &Key| {
            kept.vectors.get(k).cloned().ok_or_else(|| ModelError::Failed("a vector is missing".into()))
        };
        keys.iter().map(vector).collect()
    }
}
