//! Validations as rules of the harness.

use crate::dispatch::PolicySet;
use takeover_harness::rule::{Rule, RuleId, Source};

impl PolicySet {
    /// The validations of all policies as rules, in order. `source` finds the line of a validation: by the place of its policy and its
    /// own.
    pub fn rules(&self, source: &dyn Fn(usize, usize) -> Option<Source>) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for (index, (compiled, _)) in self.policies().enumerate() {
            let policy = compiled.policy();
            for (place, validation) in policy.spec.validations.iter().enumerate() {
                let id = RuleId(u32::try_from(rules.len()).unwrap_or(u32::MAX));
                let expression = validation.expression.split_whitespace().collect::<Vec<_>>().join(" ");
                let chain = format!("policy({})[{place}]={expression}", policy.name);
                let update_only = is_about_updates(policy.spec.match_constraints.as_ref());
                let reads = compiled.reads(place);
                rules.push(Rule { source: source(index, place), update_only, reads, ..Rule::new(id, "", chain) });
            }
        }
        rules
    }

    /// The number of the first rule of each policy.
    pub(crate) fn first_rules(&self) -> Vec<usize> {
        let counts = self.policies().map(|(policy, _)| policy.policy().spec.validations.len());
        counts
            .scan(0, |next, count| {
                let first = *next;
                *next += count;
                Some(first)
            })
            .collect()
    }
}

/// Whether the rules name updates only.
fn is_about_updates(constraints: Option<&crate::api::MatchResources>) -> bool {
    constraints.is_some_and(|constraints| {
        !constraints.resource_rules.is_empty()
            && constraints
                .resource_rules
                .iter()
                .all(|rule| !rule.operations.iter().any(|operation| matches!(operation.as_str(), "*" | "CREATE")))
    })
}
