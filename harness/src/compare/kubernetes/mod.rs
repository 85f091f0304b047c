//! Kubernetes' comparison of two error lists: the predicate that matches errors, and the algorithms of three releases.

mod algorithm;
mod lookup;
mod matcher;
mod mismatch;

pub(crate) use algorithm::answered;
pub use algorithm::{compare, compare_into};
pub use matcher::{Candidates, Matcher, Participation, Semantics};
pub use mismatch::{Advice, Mismatch, mismatches};
