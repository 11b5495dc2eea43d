//! Cancellation: a flag that loops check, never an error by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cloneable cancellation flag. Checked per page, per batch, per layer and per token: at most 100 ms apart.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// Flags that set this one as well.
    parent: Option<Arc<Cancel>>,
}

/// The work stopped because it was asked to. An outcome, not a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that is set with this one, and can be set alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { flag: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Sets the flag. Irrevocable.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|p| p.is_cancelled())
    }

    /// For use with `?` in loops.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_follows_its_parent_and_not_the_other_way() {
        let parent = Cancel::new();
        let (first, second) = (parent.child(), parent.child().child());
        first.cancel();
        assert!(first.is_cancelled() && !parent.is_cancelled() && !second.is_cancelled());
        parent.clone().cancel();
        assert!(second.is_cancelled() && second.check().is_err());
    }
}
