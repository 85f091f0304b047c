//! May a rule take over? A pure function of what was counted and a policy.
//!
//! [`assess()`] holds the evidence of one rule against every criterion of a [`ReadinessPolicy`] and concludes: blocked when something
//! speaks against the rule, short of evidence when too little was seen, ready otherwise; and which lifecycle level the evidence
//! allows next. [`assess_pair()`] does so for a pair as a whole. What a disagreement means goes by its cause: [`Stands`] says which
//! findings block, which are reported, tolerated or excused, and which only come along with another one.

mod against;
mod assess;
mod bound;
mod candidate_may;
mod cause_policy;
mod criterion;
mod lifecycle;
mod pair;
mod policy;
mod reach;
mod root;
#[cfg(test)]
mod sample;
mod stand;
mod verdict;
mod view;
mod words;

pub use assess::{Assessment, assess};
pub use bound::upper_bound;
pub use candidate_may::CandidateMay;
pub use cause_policy::{CausePolicy, Treat, Treatment};
pub use criterion::Criterion;
pub use lifecycle::Next;
pub use pair::{PairAssessment, assess_pair};
pub use policy::{PolicyError, ReadinessPolicy};
pub use reach::hidden;
pub use stand::{Disagreement, Stand, Stands};
pub use verdict::Readiness;
pub use view::RuleView;
pub use words::{Words, decision};
