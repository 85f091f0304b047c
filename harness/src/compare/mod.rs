//! Comparison of two error lists: the predicate that pairs errors, the algorithms of three releases, and what remains.

mod algorithm;
mod finding;
mod lookup;
mod matcher;
mod mismatch;

pub use algorithm::{Comparison, compare, compare_into};
pub use finding::{Direction, Finding, Signature, SignatureError};
pub use matcher::{Candidates, Matcher, Semantics};
pub use mismatch::{Advice, Mismatch};
