//! Models that are in memory, each loaded once.

use carrel_engine::seams::ModelError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Slot<T> = Arc<Mutex<Option<Arc<T>>>>;

/// By id. The map is never locked while a model loads, so that only those wait who want the same one.
pub(super) struct Loaded<T>(Mutex<HashMap<String, Slot<T>>>);

impl<T> Default for Loaded<T> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Loaded<T> {
    /// The model, loaded by `load` if it is not there. An error is not kept: the next call tries again.
    pub(super) fn get(
        &self,
        id: &str,
        load: impl FnOnce() -> Result<T, ModelError>,
    ) -> Result<Arc<T>, ModelError> {
        let slot = Arc::clone(lock(&self.0).entry(id.to_owned()).or_default());
        let mut slot = lock(&slot);
        if let Some(model) = &*slot {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(load()?);
        *slot = Some(Arc::clone(&model));
        Ok(model)
    }

    /// Lets the model go; those who hold it keep it.
    pub(super) fn forget(&self, id: &str) {
        lock(&self.0).remove(id);
    }

    /// Lets all go; those who hold one keep it.
    pub(super) fn clear(&self) {
        lock(&self.0).clear();
    }
}
