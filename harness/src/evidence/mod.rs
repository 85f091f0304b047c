//! Evidence: what was compared, what agreed, and what did not; counters that add up and merge like sums.

mod laws;
mod ledger;
mod operation;
mod pairs;
mod private;
mod sample;
mod subject;

pub use laws::Unlawful;
pub use ledger::{Evidence, EvidenceError, FORMAT};
pub use operation::{
    Beyond, CaseCounts, Errors, OperationEvidence, PanicEvidence, RuleEvidence, Showing, SignatureEvidence,
};
pub use private::NOT_KEPT;
pub use sample::{Example, Place, Reason, Sighting, StoredCase, Stream, size};
pub use subject::{RuleName, SubjectEvidence};
