//! Judging one case: both oracles, isolated from the harness, compared, and the differences attributed to rules.

mod attribution;
mod bench;
mod guard;
mod judging;
mod presence;

pub use bench::{Bench, OraclePanic, Outcome, RuleMark, Verdict};
pub use guard::{NoAnswer, Panic, ask, consult, isolated};
pub use judging::Judge;
