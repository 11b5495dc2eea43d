//! The indexes of a library: consumers of the ledger's change log that can always be rebuilt from it.

pub(crate) mod dense;
pub(crate) mod lexical;
