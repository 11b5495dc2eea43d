//! Document conversion: from the bytes of a file to the final text that the engine keeps.
//!
//! [`WorkerPool`] is the engine's `DocumentConverter`. It starts `carrel-worker` processes, in which alone the
//! converters of this crate run, with limits on time and memory: whatever a file does, it does to its worker.
//! The protocol between the two is private to this crate. Nothing here opens a network connection.

mod audio;
mod build;
mod catalogue;
mod formats;
mod ocr;
mod pool;
mod sniff;
mod text;
mod worker;

#[cfg(any(test, feature = "fuzz"))]
#[path = "../tests/common/invariants.rs"]
mod invariants;

#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub use formats::fuzz;
#[doc(hidden)]
pub use ocr::{FILES as OCR_FILES, FOLDER as OCR_FOLDER, MODEL as OCR_MODEL};
pub use pool::{WorkerConfig, WorkerPool};
#[doc(hidden)]
pub use worker::serve;
