//! The indexes of a library: consumers of the ledger's change log that can always be rebuilt from it.

pub mod dense;
pub mod lexical;
