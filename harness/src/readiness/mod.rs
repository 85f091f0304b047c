//! May a rule take over? A pure function of what was counted and a policy.
//!
//! [`assess()`] holds the evidence of one rule against every criterion of a [`Policy`] and concludes: blocked when something
//! speaks against the rule, short of evidence when too little was seen, ready otherwise; and which lifecycle level the evidence
//! allows next.

mod assess;
mod bound;
mod counts;
mod lifecycle;
mod policy;
mod reach;
mod verdict;

pub use assess::{Assessment, Criterion, RuleView, assess};
pub use bound::upper_bound;
pub use counts::RuleCounts;
pub use lifecycle::Next;
pub use policy::{Policy, PolicyError};
pub use reach::hidden;
pub use verdict::Verdict;
