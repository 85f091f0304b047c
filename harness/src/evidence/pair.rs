//! Evidence of one pair.

use super::accepted::AcceptedValues;
use super::counts::{AnswerCounts, RuleCounts};
use super::laws::{Unlawful, check_operation, check_panics};
use super::operation::{OperationEvidence, Showing};
use super::rule_name::RuleName;
use super::sample::{CasePlace, Sighting};
use crate::case::{Case, Operation};
use crate::compare::ComparedBy;
use crate::control::Control;
use crate::judge::{CaseRecord, Judge, Judgement};
use crate::rule::{RuleId, RuleRef};
use crate::subject::PairId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Evidence of one pair. What follows from the counters (`not_reached`) is filled in when it is added to the
/// [`super::Evidence`] of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairEvidence {
    #[serde(rename = "subject")]
    pair: PairId,
    /// How answers were compared; evidence in files of the first format says it once for all pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compared_by: Option<ComparedBy>,
    /// Whether a rule counts as reached where its field is present, because the candidate does not say which rules it reaches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reached_by_presence: bool,
    /// The catalogue, so that counts keep their meaning in a file.
    #[serde(with = "shared")]
    rules: Arc<[RuleName]>,
    /// The controls that the cases were watched for; empty when they were not watched.
    #[serde(with = "shared", default = "none")]
    controls: Arc<[Control]>,
    /// The exposed controls by index, and the first case that exposed each.
    #[serde(default)]
    exposed: BTreeMap<usize, CasePlace>,
    create: OperationEvidence,
    update: OperationEvidence,
}

fn none() -> Arc<[Control]> {
    Arc::from([])
}

impl PairEvidence {
    /// Returns empty evidence for the pair of a judge.
    #[must_use]
    pub fn of(judge: &Judge<'_>) -> Self {
        let pair = judge.pair();
        let none = Self::named(pair.id.clone(), pair.rules.iter().map(RuleName::of).collect(), none());
        let compared_by = Some(pair.comparator.name());
        Self { compared_by, reached_by_presence: judge.reaches_by_presence(), ..none }
    }

    /// Watches the cases for these controls.
    #[must_use]
    pub fn with_controls(self, controls: Arc<[Control]>) -> Self {
        Self { controls, ..self }
    }

    fn named(pair: PairId, rules: Arc<[RuleName]>, controls: Arc<[Control]>) -> Self {
        let none = OperationEvidence::new(rules.iter().map(|rule| rule.classes.len()));
        Self {
            pair,
            compared_by: None,
            reached_by_presence: false,
            rules,
            controls,
            exposed: BTreeMap::new(),
            create: none.clone(),
            update: none,
        }
    }

    pub(super) fn operations_mut(&mut self) -> [&mut OperationEvidence; 2] {
        [&mut self.create, &mut self.update]
    }

    /// The pair.
    #[must_use]
    pub fn pair(&self) -> &PairId {
        &self.pair
    }

    /// Returns how answers were compared, if that is known.
    #[must_use]
    pub fn compared_by(&self) -> Option<ComparedBy> {
        self.compared_by
    }

    /// Whether a rule counts as reached where its field is present, because the candidate does not say which rules it reaches.
    #[must_use]
    pub fn reached_by_presence(&self) -> bool {
        self.reached_by_presence
    }

    /// Whether the evidence of another part of a run can be added: its rules and its comparison have to be the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (&self.pair, self.compared_by, self.reached_by_presence, &self.rules, &self.controls)
            == (&other.pair, other.compared_by, other.reached_by_presence, &other.rules, &other.controls)
    }

    /// The rules in catalogue order.
    #[must_use]
    pub fn rules(&self) -> &[RuleName] {
        &self.rules
    }

    /// The names of rules without their levels, as exceptions have them.
    #[must_use]
    pub fn references(&self, rules: &BTreeSet<RuleId>) -> BTreeSet<RuleRef> {
        rules.iter().filter_map(|rule| self.rules.get(rule.index())).map(|name| name.rule.clone()).collect()
    }

    /// The controls that the cases were watched for.
    #[must_use]
    pub fn controls(&self) -> &[Control] {
        &self.controls
    }

    /// The first case that exposed the control with this index; none when no case did.
    #[must_use]
    pub fn exposed(&self, control: usize) -> Option<CasePlace> {
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

    /// What the reference was seen to accept of a field, by its path pattern.
    #[must_use]
    pub fn accepted_values(&self, field: &str) -> AcceptedValues {
        let mut sum = AcceptedValues::default();
        for of in Operation::ALL.map(|operation| self.operation(operation)) {
            of.observed.fields.get(field).into_iter().for_each(|counts| sum.merge(&counts.values));
        }
        sum
    }

    /// Returns the counts of the answers, summed over all operations.
    #[must_use]
    pub fn answers(&self) -> AnswerCounts {
        let mut sum = AnswerCounts::default();
        for of in Operation::ALL.map(|operation| self.operation(operation)) {
            // Where both gave no answer, one case is skipped; which of them were, nobody counts.
            sum.asked += of.counts.compared + of.failures.reference.max(of.failures.candidate);
            sum.failures.add(of.failures);
            sum.comparable.add(of.comparable);
            sum.incomparable.add(of.incomparable);
        }
        sum
    }

    /// The counts of one rule; zeros for a rule that is not in the catalogue.
    #[must_use]
    pub fn rule(&self, operation: Operation, rule: RuleId) -> RuleCounts {
        self.operation(operation).rules.get(rule.index()).map(|rule| rule.counts).unwrap_or_default()
    }

    /// Counts a case that was just judged on `record`. `place` must be new to the run.
    pub fn record(&mut self, place: CasePlace, case: &Case, verdict: &Judgement, record: &CaseRecord) {
        let evidence = match case.operation {
            Operation::Create => &mut self.create,
            Operation::Update => &mut self.update,
        };
        evidence.record(&self.pair, place, case, verdict, record);
        let panicked = record.panicked_variant.as_deref().unwrap_or(case);
        let evidence = match panicked.operation {
            Operation::Create => &mut self.create,
            Operation::Update => &mut self.update,
        };
        record.panics.iter().for_each(|panic| evidence.record_panic(place, panicked, panic));
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
    pub fn record_exposed(&mut self, control: usize, place: CasePlace) {
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
        let empty = Self::named(self.pair.clone(), Arc::clone(&self.rules), Arc::clone(&self.controls));
        let (compared_by, reached_by_presence) = (self.compared_by, self.reached_by_presence);
        std::mem::replace(self, Self { compared_by, reached_by_presence, ..empty })
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
            check_operation(&self.pair, operation, &self.rules, self.operation(operation))?;
        }
        check_panics(&self.pair, [&self.create, &self.update])
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
