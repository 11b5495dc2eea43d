//! How good a library's search is, measured by questions of its own.
//!
//! A question knows the spans that answer it, and finds them again in a later version. A run asks all of them and says of each
//! that failed at which stage it was lost. Questions are written by a person, by a language model and then checked, or by code.
//! Refuses to call a question answered by a document alone where a span was named.

mod cases;
mod check;
mod copy;
mod generate;
mod made;
mod places;
mod prompt;
mod run;
mod sample;
mod types;

pub use cases::{Case, CaseRight};
pub use check::Fault;
pub use generate::{Generated, generate};
pub(crate) use places::whereabouts;
pub use places::{Place, find};
pub use run::{FIRST, How, Progress, compare, run};
pub(crate) use sample::sampled;
pub use types::{Outcome, Question, QuestionKind, QuestionResult, QuestionStatus, Right, Run, Shown, Side};
