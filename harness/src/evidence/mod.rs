//! Evidence: what was compared, what agreed, and what did not; counters that add up and merge like sums.

mod accepted;
mod counts;
mod entries;
mod laws;
mod ledger;
mod notes;
mod observed;
mod operation;
mod pair;
mod private;
mod rule_name;
mod sample;

pub use accepted::AcceptedValues;
pub use counts::{AnswerCounts, CaseCounts, RuleCounts};
pub use laws::Unlawful;
pub use ledger::{Evidence, EvidenceError, FORMAT};
pub use notes::NoteEvidence;
pub use observed::{FieldCounts, MAX_ANSWERS, Observed, ObservedRefusals, SignatureCases};
pub use operation::{
    Beyond, Errors, OperationEvidence, PanicEvidence, Refused, RuleEvidence, Showing, SignatureEvidence,
};
pub use pair::PairEvidence;
pub use private::{NOT_KEPT, Quote};
pub use rule_name::RuleName;
pub use sample::{CasePlace, Example, ReasonCount, Sighting, StoredCase, Stream, size};
