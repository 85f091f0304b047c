//! Faults planted in policies: would a run notice if a validation or match condition were different?

use crate::api::{Binding, Policy};
use crate::dispatch::PolicySet;
use crate::evaluate::CompiledPolicy;
use crate::oracle::PolicyOracle;
use crate::request::Request;
use takeover_cel::mistakes::mistakes;
use takeover_harness::control::{Control, Controls, Exposure};
use takeover_harness::oracle::{Answer, Question, View};
use takeover_harness::rule::RuleId;
use takeover_harness::side::Side;

const NO_DENIAL: &str = "its bindings warn or audit, and deny nothing";

/// Every fault planted in the policies that apply to a kind, ready to be judged. A fault shows in the decision of a server: no other policy
/// may deny the same request.
pub struct PolicyFaults {
    oracle: PolicyOracle,
    /// Each policy that applies to the kind, alone: its place among all, and its set.
    policies: Vec<(usize, PolicySet)>,
    faults: Vec<Planted>,
    catalogue: Vec<Control>,
}

/// A policy with a mistake, alone.
struct Planted {
    /// The place of the policy among those that apply to the kind.
    policy: usize,
    with: Policy,
    alone: PolicySet,
    /// Whether a decision can show it.
    denies: bool,
}

impl PolicyFaults {
    /// The faults of the policies that apply to the kind of an oracle. Compiles each faulty policy.
    #[must_use]
    pub fn of(oracle: &PolicyOracle) -> Self {
        let mut faults =
            Self { oracle: oracle.clone(), policies: Vec::new(), faults: Vec::new(), catalogue: Vec::new() };
        let set = oracle.policies().set();
        for ((place, (compiled, bindings)), first) in set.policies().enumerate().zip(set.first_rules()) {
            let alone = PolicySet::new(vec![compiled.policy().clone()], bindings);
            if oracle.concerns(&alone) {
                faults.policies.push((place, alone));
                faults.plant(compiled, bindings, first);
            }
        }
        faults
    }

    /// Makes each mistake in each expression of a policy whose first validation has the number `first`.
    fn plant(&mut self, compiled: &CompiledPolicy, bindings: &[Binding], first: usize) {
        let policy = compiled.policy();
        let spec = &policy.spec;
        let conditions = spec.match_conditions.iter().enumerate().map(|(at, of)| (Part::Condition(at), &of.expression));
        let validations = spec.validations.iter().enumerate().map(|(at, of)| (Part::Validation(at), &of.expression));
        for (part, expression) in conditions.chain(validations) {
            if !part.compiles(compiled) {
                continue;
            }
            let dropped = ("dropped".to_owned(), "true".to_owned());
            for (name, text) in std::iter::once(dropped).chain(mistakes(expression)) {
                let mut with = policy.clone();
                part.put(&mut with, text);
                if part.compiles(&CompiledPolicy::new(with.clone())) {
                    let rule = RuleId(u32::try_from(first + part.validation()).unwrap_or(u32::MAX));
                    self.add(rule, part.named(policy, &name), with, bindings);
                }
            }
        }
    }

    fn add(&mut self, rule: RuleId, name: String, with: Policy, bindings: &[Binding]) {
        let denies = bindings.iter().any(|of| of.spec.validation_actions.iter().any(|action| action == "Deny"));
        let equivalent = (!denies).then(|| NO_DENIAL.to_owned());
        self.catalogue.push(Control { rule, side: Side::Candidate, name, equivalent });
        let alone = PolicySet::new(vec![with.clone()], bindings);
        self.faults.push(Planted { policy: self.policies.len().saturating_sub(1), with, alone, denies });
    }

    /// The oracle with one of the faults, by its place in the catalogue.
    #[must_use]
    pub fn faulty(&self, index: usize) -> Option<PolicyOracle> {
        let fault = self.faults.get(index)?;
        let (place, _) = self.policies.get(fault.policy)?;
        let all = self.oracle.policies().set().policies().enumerate();
        let (mut policies, mut bindings) = (Vec::new(), Vec::new());
        for (at, (compiled, of_policy)) in all {
            policies.push(if at == *place { fault.with.clone() } else { compiled.policy().clone() });
            bindings.extend_from_slice(of_policy);
        }
        Some(self.oracle.with(PolicySet::new(policies, &bindings)))
    }

    fn denies(&self, set: &PolicySet, request: &Request) -> bool {
        set.judge(request, self.oracle.policies().cluster(), &mut |_| ()).status.is_some()
    }
}

impl Controls for PolicyFaults {
    fn catalogue(&self) -> &[Control] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.faults.len(), self.policies.len())
    }

    fn judge(&self, question: &Question<'_>, _: &View<'_>, _: &Answer, exposure: &mut Exposure) {
        if exposure.is_closed() {
            return;
        }
        let request = self.oracle.request_of(question);
        let denied: Vec<bool> = self.policies.iter().map(|(_, alone)| self.denies(alone, &request)).collect();
        exposure.watch(|policy, exposed| {
            let others = denied.iter().enumerate().any(|(at, denied)| at != policy && *denied);
            let sound = denied.get(policy).copied().unwrap_or_default();
            let of_policy = self.faults.iter().enumerate().filter(|(_, fault)| fault.policy == policy && fault.denies);
            let mut left = false;
            for (index, fault) in of_policy {
                if exposed.contains(index) {
                    continue;
                }
                if !others && self.denies(&fault.alone, &request) != sound {
                    exposed.insert(index);
                } else {
                    left = true;
                }
            }
            left
        });
    }
}

/// An expression of a policy.
#[derive(Clone, Copy)]
enum Part {
    Condition(usize),
    Validation(usize),
}

impl Part {
    fn compiles(self, policy: &CompiledPolicy) -> bool {
        match self {
            Self::Condition(at) => policy.condition_compiles(at),
            Self::Validation(at) => policy.validation_compiles(at),
        }
    }

    fn put(self, policy: &mut Policy, text: String) {
        let place = match self {
            Self::Condition(at) => policy.spec.match_conditions.get_mut(at).map(|of| &mut of.expression),
            Self::Validation(at) => policy.spec.validations.get_mut(at).map(|of| &mut of.expression),
        };
        if let Some(place) = place {
            *place = text;
        }
    }

    /// The validation that it counts for; match conditions count for the first one.
    fn validation(self) -> usize {
        match self {
            Self::Condition(_) => 0,
            Self::Validation(at) => at,
        }
    }

    fn named(self, policy: &Policy, name: &str) -> String {
        match self {
            Self::Condition(at) => {
                let condition = policy.spec.match_conditions.get(at).map(|of| of.name.as_str()).unwrap_or_default();
                format!("match condition `{condition}`: {name}")
            }
            Self::Validation(_) => name.to_owned(),
        }
    }
}
