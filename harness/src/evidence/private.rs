//! Evidence without what objects hold.

use super::operation::OperationEvidence;
use super::pair::PairEvidence;
use super::sample::{Example, ReasonCount, Sighting};
use crate::case::Options;
use serde_json::Value;

/// Stands where a text was that may hold values of objects.
pub const NOT_KEPT: &str = "values are not kept";

impl PairEvidence {
    /// The same counts without any value of an object: examples lose their objects, and everything but reasons its text.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        for operation in self.operations_mut() {
            let OperationEvidence { undecodable, skipped, panics, signatures, notes, observed, .. } = operation;
            observed.checks.values_mut().for_each(|check| check.messages.clear());
            for (reason, ReasonCount { first, .. }) in undecodable.iter_mut().chain(skipped) {
                first.message.clone_from(reason);
            }
            for found in signatures.values_mut() {
                hide(&mut found.first);
                empty(&mut found.smallest);
            }
            for noted in notes.values_mut() {
                hide(&mut noted.first);
                empty(&mut noted.smallest);
            }
            for found in panics.values_mut() {
                hide(&mut found.first);
                empty(&mut found.smallest);
            }
        }
        self
    }
}

fn hide(sighting: &mut Sighting) {
    NOT_KEPT.clone_into(&mut sighting.message);
}

fn empty(example: &mut Example) {
    hide(&mut example.sighting);
    example.case.object = Value::Null;
    example.case.old_object = None;
    example.case.options = Options::new();
}
