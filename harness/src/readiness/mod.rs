//! May a rule take over? A pure function of what was counted and a policy.
//!
//! [`assess()`] holds the evidence of one rule against every criterion of a [`ReadinessPolicy`] and concludes: blocked when something
//! speaks against the rule, short of evidence when too little was seen, ready otherwise; and which lifecycle level the evidence
//! allows next. [`assess_pair()`] does so for a pair as a whole.

mod assess;
mod bound;
mod criterion;
mod lifecycle;
mod pair;
mod policy;
mod reach;
mod verdict;
mod view;

pub use assess::{Assessment, assess};
pub use bound::upper_bound;
pub use criterion::Criterion;
pub use lifecycle::Next;
pub use pair::{PairAssessment, assess_pair};
pub use policy::{PolicyError, ReadinessPolicy};
pub use reach::hidden;
pub use verdict::Readiness;
pub use view::RuleView;
