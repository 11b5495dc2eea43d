//! The dense index: vectors by passage.
