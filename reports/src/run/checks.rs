//! The checks of a reference whose code lists them: with a rule, without one, and never seen in the run.

use super::rule::LevelledRule;
use crate::numbers::grouped;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use takeover_harness::case::Operation;
use takeover_harness::evidence::PairEvidence;
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::rule::ErrorShape;

/// How many checks there are of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckCounts {
    /// Those that the list of the reference has.
    pub listed: usize,
    /// Of these, those whose error a rule reports as well.
    pub with_rule: usize,
    /// Of these, those that no rule covers.
    pub without_rule: usize,
    /// Of these, those that refused nothing in the run.
    pub never_seen: usize,
    /// Errors of the reference that no listed check makes.
    pub unlisted: usize,
}

/// The checks of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChecksReport {
    /// How many there are of each sort.
    #[serde(flatten)]
    pub counts: CheckCounts,
    /// Every listed check, by field.
    pub checks: Vec<ListedCheck>,
}

/// A listed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCheck {
    /// Type of the error that it reports.
    pub error_type: String,
    /// Path pattern of the error.
    pub field: String,
    /// Origin of the error; may be empty.
    pub origin: String,
    /// The operations on which it looks.
    pub operations: Vec<Operation>,
    /// Whether its errors say that a rule covers them.
    pub covered: bool,
    /// Whether a rule reports such an error.
    pub rule: bool,
    /// The rules that report such an error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<LevelledRule>,
    /// Creates of the run that it refused.
    pub create: u64,
    /// Updates of the run that it refused.
    pub update: u64,
}

impl CheckCounts {
    /// Adds the counts of another subject.
    pub fn add(&mut self, other: &Self) {
        self.listed += other.listed;
        self.with_rule += other.with_rule;
        self.without_rule += other.without_rule;
        self.never_seen += other.never_seen;
        self.unlisted += other.unlisted;
    }
}

/// `41 listed, 30 with a rule, 11 without, 2 never seen`.
impl fmt::Display for CheckCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { listed, with_rule, without_rule, never_seen, unlisted } = self;
        let [listed, with_rule, without_rule, never_seen, not_listed] =
            [listed, with_rule, without_rule, never_seen, unlisted].map(|number| grouped(*number as u64));
        write!(f, "{listed} listed, {with_rule} with a rule, {without_rule} without, {never_seen} never seen")?;
        if *unlisted > 0 { write!(f, ", {not_listed} seen that are not listed") } else { Ok(()) }
    }
}

/// The rules that report errors of a shape.
fn reporting(judge: &Judge<'_>, pair: &Pair, shape: &ErrorShape) -> Vec<LevelledRule> {
    let ids = judge.rules_reporting(shape);
    ids.iter().filter_map(|id| pair.rules.get(id.index())).map(LevelledRule::of).collect()
}

/// The checks of a pair; none when its reference lists none.
pub(super) fn checks(of: &PairEvidence, pair: &Pair) -> Option<ChecksReport> {
    if pair.checks.is_empty() {
        return None;
    }
    let judge = Judge::new(pair);
    let seen = |shape: &ErrorShape, operation| of.operation(operation).refused.get(shape).map_or(0, |seen| seen.cases);
    // A check with several limits, such as one for each part of a name, is one.
    let mut listed: BTreeMap<(&str, &ErrorShape), ListedCheck> = BTreeMap::new();
    for check in &pair.checks {
        let entry = listed.entry((check.path(), &check.error)).or_insert_with(|| ListedCheck {
            error_type: check.error_type().api_name().to_owned(),
            field: check.error.field.clone(),
            origin: check.error.origin.clone(),
            operations: Vec::new(),
            covered: false,
            rule: false,
            rules: reporting(&judge, pair, &check.error),
            create: seen(&check.error, Operation::Create),
            update: seen(&check.error, Operation::Update),
        });
        entry.operations.extend(check.operations.iter().copied());
        entry.operations.sort_unstable();
        entry.operations.dedup();
        entry.covered |= check.covered;
        entry.rule = !entry.rules.is_empty();
    }
    let refused = Operation::ALL.into_iter().flat_map(|operation| of.operation(operation).refused.keys());
    let unlisted: std::collections::BTreeSet<&ErrorShape> =
        refused.filter(|shape| !listed.contains_key(&(shape.field.as_str(), *shape))).collect();
    let (unlisted, checks) = (unlisted.len(), listed.into_values().collect::<Vec<_>>());
    let count = |which: fn(&ListedCheck) -> bool| checks.iter().filter(|check| which(check)).count();
    let counts = CheckCounts {
        listed: checks.len(),
        with_rule: count(|check| check.rule),
        without_rule: count(|check| !check.rule),
        never_seen: count(|check| check.create + check.update == 0),
        unlisted,
    };
    Some(ChecksReport { counts, checks })
}
