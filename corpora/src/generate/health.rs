//! Counters that say what a generator reached.

use super::case::GeneratedCase;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use takeover_harness::case::Operation;
use takeover_harness::rule::{Rule, RuleId};
use takeover_harness::text::percent_of;

/// What was generated. Sums merge in any order to the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Cases.
    pub cases: u64,
    /// Updates among them.
    pub updates: u64,
    /// Updates whose two objects are the same.
    pub unchanged: u64,
    /// Cases in which nothing was done that rules or types forbid.
    pub clean: u64,
    /// Cases with a planted class.
    pub planted: u64,
    /// Cases with a deviation along the types.
    pub deviated: u64,
    /// Rule and class → how often on create and on update; a list of pairs as JSON.
    #[serde(with = "pairs")]
    classes: BTreeMap<(RuleId, usize), [u64; 2]>,
}

impl Health {
    /// Counts a case.
    pub fn observe(&mut self, generated: &GeneratedCase<'_>) {
        self.cases += 1;
        self.updates += u64::from(generated.case.operation == Operation::Update);
        self.unchanged += u64::from(generated.unchanged);
        self.clean += u64::from(generated.is_clean());
        self.planted += u64::from(!generated.planted.is_empty());
        self.deviated += u64::from(generated.deviations > 0);
        for planted in &generated.planted {
            let [create, update] = self.classes.entry((planted.rule, planted.class)).or_default();
            *(if planted.mode.operation() == Operation::Create { create } else { update }) += 1;
        }
    }

    /// Adds what another counted.
    pub fn merge(&mut self, other: &Health) {
        self.cases += other.cases;
        self.updates += other.updates;
        self.unchanged += other.unchanged;
        self.clean += other.clean;
        self.planted += other.planted;
        self.deviated += other.deviated;
        for (key, [create, update]) in &other.classes {
            let [create_sum, update_sum] = self.classes.entry(*key).or_default();
            *create_sum += create;
            *update_sum += update;
        }
    }

    /// How often a class of a rule was planted on an operation.
    #[must_use]
    pub fn times(&self, rule: RuleId, class: usize, operation: Operation) -> u64 {
        let [create, update] = self.classes.get(&(rule, class)).copied().unwrap_or_default();
        if operation == Operation::Create { create } else { update }
    }

    /// Classes planted at least once and all classes of `rules`, each counted per operation that can show it.
    #[must_use]
    pub fn reached(&self, rules: &[Rule], operations: &[Operation]) -> (u64, u64) {
        let mut sums = (0, 0);
        for rule in rules {
            let judging = |operation: &&Operation| !(rule.update_only && **operation == Operation::Create);
            for class in 0..rule.boundaries.len() {
                for operation in operations.iter().copied().filter(|operation| judging(&operation)) {
                    sums.0 += u64::from(self.times(rule.id, class, operation) > 0);
                    sums.1 += 1;
                }
            }
        }
        sums
    }

    /// One line for people.
    #[must_use]
    pub fn summary(&self, rules: &[Rule], operations: &[Operation]) -> String {
        let percent = |part| percent_of(part, self.cases);
        let (reached, classes) = self.reached(rules, operations);
        let without: usize = rules.iter().map(|rule| rule.unreachable.len()).sum();
        format!(
            "{} cases: {:.0} % clean, {:.0} % with a planted class, {:.0} % with another deviation; {:.0} % updates ({:.0} % \
             unchanged); {reached} of {classes} classes reached, {without} more that no object can show",
            self.cases,
            percent(self.clean),
            percent(self.planted),
            percent(self.deviated),
            percent(self.updates),
            percent(self.unchanged),
        )
    }
}

/// A map as a list of its entries.
mod pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
