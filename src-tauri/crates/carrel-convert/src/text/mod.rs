//! Text before it has a structure: decoding bytes and cleaning characters.

pub(crate) mod clean;
pub(crate) mod codepage;
pub(crate) mod decode;
