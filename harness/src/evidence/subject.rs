//! Evidence of one subject.

use super::laws::{Unlawful, check_operation};
use super::operation::{OperationEvidence, Showing};
use super::sample::{Place, Sighting};
use crate::case::{Case, Operation};
use crate::control::Control;
use crate::error::Stability;
use crate::judge::{Bench, Verdict};
use crate::readiness::RuleCounts;
use crate::rule::{Rule, RuleId};
use crate::subject::SubjectId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A rule as evidence names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleName {
    /// Path pattern of the value under test; empty for the object itself.
    pub path: String,
    /// The tag with its level: `alpha minimum=0`.
    pub rule: String,
    /// The classes of values that it tells apart.
    #[serde(default)]
    pub classes: Vec<String>,
}

impl RuleName {
    /// Path and tag without the level, which changes while the rule stays the same: `spec.replicas minimum=0`.
    #[must_use]
    pub fn identity(&self) -> String {
        let path = if self.path.is_empty() { "<nil>" } else { &self.path };
        let levels = [Stability::Alpha, Stability::Beta].map(|level| format!("{level} "));
        let chain = levels.iter().find_map(|level| self.rule.strip_prefix(level.as_str())).unwrap_or(&self.rule);
        format!("{path} {chain}")
    }
}

/// Evidence of one subject. What follows from the counters (`not_reached`) is filled in when it is added to the
/// [`super::Evidence`] of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectEvidence {
    subject: SubjectId,
    /// The catalogue, so that counts keep their meaning in a file.
    #[serde(with = "shared")]
    rules: Arc<[RuleName]>,
    /// The controls that the cases were watched for; empty when they were not watched.
    #[serde(with = "shared", default = "none")]
    controls: Arc<[Control]>,
    /// The exposed controls by index, and the first case that exposed each.
    #[serde(default)]
    exposed: BTreeMap<usize, Place>,
    create: OperationEvidence,
    update: OperationEvidence,
}

fn none() -> Arc<[Control]> {
    Arc::from([])
}

impl SubjectEvidence {
    /// No evidence yet of `subject` with these rules.
    #[must_use]
    pub fn new(subject: SubjectId, rules: &[Rule]) -> Self {
        let names = rules.iter().map(|rule| RuleName {
            path: rule.path.clone(),
            rule: rule.label(),
            classes: rule.boundaries.iter().map(|boundary| boundary.class.clone()).collect(),
        });
        Self::named(subject, names.collect(), none())
    }

    /// Watches the cases for these controls.
    #[must_use]
    pub fn with_controls(self, controls: Arc<[Control]>) -> Self {
        Self { controls, ..self }
    }

    fn named(subject: SubjectId, rules: Arc<[RuleName]>, controls: Arc<[Control]>) -> Self {
        let none = OperationEvidence::new(rules.iter().map(|rule| rule.classes.len()));
        Self { subject, rules, controls, exposed: BTreeMap::new(), create: none.clone(), update: none }
    }

    pub(super) fn operations_mut(&mut self) -> [&mut OperationEvidence; 2] {
        [&mut self.create, &mut self.update]
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &SubjectId {
        &self.subject
    }

    /// The rules in catalogue order.
    #[must_use]
    pub fn rules(&self) -> &[RuleName] {
        &self.rules
    }

    /// The names of rules without their levels, as exceptions have them.
    #[must_use]
    pub fn identities(&self, rules: &BTreeSet<RuleId>) -> BTreeSet<String> {
        rules.iter().filter_map(|rule| self.rules.get(rule.index())).map(RuleName::identity).collect()
    }

    /// The controls that the cases were watched for.
    #[must_use]
    pub fn controls(&self) -> &[Control] {
        &self.controls
    }

    /// The first case that exposed the control with this index; none when no case did.
    #[must_use]
    pub fn exposed(&self, control: usize) -> Option<Place> {
        self.exposed.get(&control).copied()
    }

    /// The evidence under one operation.
    #[must_use]
    pub fn operation(&self, operation: Operation) -> &OperationEvidence {
        match operation {
            Operation::Create => &self.create,
            Operation::Update => &self.update,
        }
    }

    /// The counts of one rule; zeros for a rule that is not in the catalogue.
    #[must_use]
    pub fn rule(&self, operation: Operation, rule: RuleId) -> RuleCounts {
        self.operation(operation).rules.get(rule.index()).map(|rule| rule.counts).unwrap_or_default()
    }

    /// Counts a case that was just judged on `bench`. `place` must be new to the run.
    pub fn record(&mut self, place: Place, case: &Case, verdict: &Verdict, bench: &Bench) {
        let evidence = match case.operation {
            Operation::Create => &mut self.create,
            Operation::Update => &mut self.update,
        };
        evidence.record(&self.subject, place, case, verdict, bench);
    }

    /// Counts how the case which was just recorded shows a class of a rule.
    pub fn record_shown(&mut self, operation: Operation, rule: RuleId, showing: Showing) {
        match operation {
            Operation::Create => self.create.record_shown(rule, showing),
            Operation::Update => self.update.record_shown(rule, showing),
        }
    }

    /// Counts that what the case which was just recorded plants for a rule came before the rules as a change.
    pub fn record_arrived(&mut self, operation: Operation, rule: RuleId) {
        match operation {
            Operation::Create => self.create.record_arrived(rule),
            Operation::Update => self.update.record_arrived(rule),
        }
    }

    /// Notes that the case at `place` exposed the control with this index.
    pub fn record_exposed(&mut self, control: usize, place: Place) {
        let first = self.exposed.entry(control).or_insert(place);
        *first = place.min(*first);
    }

    /// Counts a case that could not be judged: undecodable, or skipped for another reason.
    pub fn record_unusable(&mut self, operation: Operation, undecodable: bool, reason: &str, sighting: Sighting) {
        match operation {
            Operation::Create => self.create.record_unusable(undecodable, reason, sighting),
            Operation::Update => self.update.record_unusable(undecodable, reason, sighting),
        }
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.create.counts.cases == 0 && self.update.counts.cases == 0
    }

    /// Takes the evidence out and leaves none.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let empty = Self::named(self.subject.clone(), Arc::clone(&self.rules), Arc::clone(&self.controls));
        std::mem::replace(self, empty)
    }

    pub(super) fn settle(&mut self) {
        self.create.settle();
        self.update.settle();
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (control, place) in other.exposed {
            self.record_exposed(control, place);
        }
        self.create.merge(other.create);
        self.update.merge(other.update);
    }

    /// Whether the counters of settled evidence add up.
    pub(super) fn check(&self) -> Result<(), Unlawful> {
        for operation in Operation::ALL {
            check_operation(&self.subject, operation, &self.rules, self.operation(operation))?;
        }
        Ok(())
    }
}

/// `Arc<[T]>` as a plain list.
mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<T: Serialize, S: Serializer>(list: &Arc<[T]>, serializer: S) -> Result<S::Ok, S::Error> {
        list.as_ref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[T]>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::from)
    }
}
