//! Judging one case: both oracles, isolated from the harness, compared, and the differences attributed to rules.

mod again;
mod answers;
mod attribution;
mod case_record;
mod comparing;
mod guard;
mod inquiry;
mod judgement;
mod judging;
mod observation;
mod presence;
mod ready;
mod shown;

pub use case_record::{CaseRecord, Judgement, OraclePanic, Outcome, RuleMark};
pub use guard::{NoAnswer, Panic, ask, ask_all, consult, isolated};
pub use inquiry::Wanted;
pub use judging::Judge;
pub use observation::{Observation, ObservedCheck, RefusedBy, RefusedCheck};
pub use shown::Shown;
