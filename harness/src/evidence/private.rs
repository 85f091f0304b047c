//! Evidence without what objects hold.

use super::ledger::Evidence;
use super::operation::OperationEvidence;
use super::pair::PairEvidence;
use super::sample::{Example, ReasonCount, Sighting};
use crate::case::Options;
use serde_json::Value;

/// Stands where a text was that may hold values of objects.
pub const NOT_KEPT: &str = "values are not kept";

/// A part of evidence that quotes objects.
pub enum Quote<'e> {
    /// A case, with its objects.
    Example(&'e mut Example),
    /// What was said of one.
    Sighting(&'e mut Sighting),
    /// What was said of one that nobody remembers.
    Message(&'e mut String),
}

impl Evidence {
    /// Shows everything that quotes objects.
    pub fn each_quote(&mut self, visit: &mut dyn FnMut(Quote<'_>)) {
        for ReasonCount { first, .. } in self.outside.values_mut() {
            visit(Quote::Sighting(first));
        }
        for operation in self.pairs.values_mut().flat_map(PairEvidence::operations_mut) {
            let OperationEvidence { undecodable, skipped, panics, signatures, notes, observed, .. } = operation;
            for check in observed.checks.values_mut() {
                let messages = std::mem::take(&mut check.messages).into_iter().map(|mut message| {
                    visit(Quote::Message(&mut message));
                    message
                });
                check.messages = messages.collect();
            }
            for field in observed.fields.values_mut() {
                let texts = std::mem::take(&mut field.values.texts).into_iter().map(|mut text| {
                    visit(Quote::Message(&mut text));
                    text
                });
                field.values.texts = texts.collect();
            }
            for ReasonCount { first, .. } in undecodable.values_mut().chain(skipped.values_mut()) {
                visit(Quote::Sighting(first));
            }
            let found = signatures.values_mut().map(|found| (&mut found.first, &mut found.smallest));
            let noted = notes.values_mut().map(|noted| (&mut noted.first, &mut noted.smallest));
            let panicked = panics.values_mut().map(|found| (&mut found.first, &mut found.smallest));
            for (first, smallest) in found.chain(noted).chain(panicked) {
                visit(Quote::Sighting(first));
                visit(Quote::Example(smallest));
            }
        }
    }
}

impl PairEvidence {
    /// The same counts without any value of an object: examples lose their objects, and everything but reasons its text.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        for operation in self.operations_mut() {
            let OperationEvidence { undecodable, skipped, panics, signatures, notes, observed, .. } = operation;
            observed.checks.values_mut().for_each(|check| check.messages.clear());
            observed.fields.values_mut().for_each(|field| field.values.hide());
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
