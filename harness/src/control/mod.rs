//! Controls: faults planted in one side, to know whether the cases of a run would have shown them.
//!
//! Zero disagreements prove little unless a disagreement would have been noticed. A control is a rule, or its handwritten twin,
//! with one fault; a case *exposes* it when the faulty answer differs from the sound one in what a comparison looks at. A run
//! gathers which controls its cases exposed, and where first.

mod exposure;
mod fault;

pub use exposure::{Exposed, Exposure};
pub use fault::ReferenceFault;

use crate::oracle::{Answer, Question, View};
use crate::rule::RuleId;
use crate::side::Side;
use serde::{Deserialize, Serialize};

/// A planted fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Control {
    /// The rule that is at fault, or whose handwritten twin is.
    pub rule: RuleId,
    /// Which side is at fault.
    pub side: Side,
    /// What is wrong, unique among the controls of the rule and side: `bound one higher`.
    pub name: String,
    /// Why nobody can tell the fault from the sound rule; none where a case can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalent: Option<String>,
}

/// The controls of a candidate's rules.
pub trait Controls: Send + Sync {
    /// Every control, in an order that is the same for the same rules.
    fn catalogue(&self) -> &[Control];

    /// What is exposed before the first case: nothing.
    fn exposure(&self) -> Exposure;

    /// Adds to `exposure` the controls that a case exposes. `view` is the candidate's, and `found` what the sound candidate
    /// answered, with the rules that judged a value.
    fn judge(&self, question: &Question<'_>, view: &View<'_>, found: &Answer, exposure: &mut Exposure);
}
