//! Judging one case: both oracles, isolated from the harness, compared and laid to rules.

mod attribution;
mod bench;
mod guard;
mod judging;

pub use bench::{Bench, Delegations, OraclePanic, Outcome, RuleMark, Verdict};
pub use guard::{Failure, Panic, isolated, run_oracle};
pub use judging::Judge;
