//! May a rule take over? A pure function of what was counted and a policy.

use crate::case::Operation;
use crate::rule::Rule;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What was counted for one rule under one operation.
///
/// INVARIANT: `compared = agreed_accept + agreed_reject + missing + extra + panicked`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleCounts {
    /// Cases in which the rule was at stake: it judged a value, or a finding is attributed to it.
    pub compared: u64,
    /// Of these, cases in which neither side complained.
    pub agreed_accept: u64,
    /// Cases in which both sides complained alike.
    pub agreed_reject: u64,
    /// Cases in which only the reference complained.
    pub missing: u64,
    /// Cases in which only the candidate complained.
    pub extra: u64,
    /// Cases in which an oracle panicked.
    pub panicked: u64,
    /// Compared cases of the subject in which the rule never looked at a value.
    pub not_reached: u64,
}

impl RuleCounts {
    /// Whether the parts add up to the whole.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        self.compared == self.agreed_accept + self.agreed_reject + self.missing + self.extra + self.panicked
    }

    /// Adds the counts of another part of the run.
    pub fn merge(&mut self, other: &Self) {
        self.compared += other.compared;
        self.agreed_accept += other.agreed_accept;
        self.agreed_reject += other.agreed_reject;
        self.missing += other.missing;
        self.extra += other.extra;
        self.panicked += other.panicked;
        self.not_reached += other.not_reached;
    }
}

/// How much evidence a rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Agreed accepts needed per operation.
    pub min_accepts: u64,
    /// Agreed rejects needed per operation, of rules that can reject under it.
    pub min_rejects: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { min_accepts: 100, min_rejects: 20 }
    }
}

/// Whether a rule may take over from its handwritten check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "verdict", content = "reasons")]
#[non_exhaustive]
pub enum Verdict {
    /// Every criterion is met; the reasons say by what.
    Ready(Vec<String>),
    /// Something speaks against it.
    Blocked(Vec<String>),
    /// Nothing speaks against it, but too little was seen.
    InsufficientEvidence(Vec<String>),
    /// A handwritten check that no rule covers.
    NotMigrated(Vec<String>),
}

impl Verdict {
    /// The reasons, most telling first.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Ready(reasons)
            | Self::Blocked(reasons)
            | Self::InsufficientEvidence(reasons)
            | Self::NotMigrated(reasons) => reasons,
        }
    }

    /// How much attention the verdict needs: larger is worse.
    #[must_use]
    pub fn severity(&self) -> u8 {
        match self {
            Self::Ready(_) => 0,
            Self::NotMigrated(_) => 1,
            Self::InsufficientEvidence(_) => 2,
            Self::Blocked(_) => 3,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "READY",
            Self::Blocked(_) => "BLOCKED",
            Self::InsufficientEvidence(_) => "INSUFFICIENT",
            Self::NotMigrated(_) => "NOT MIGRATED",
        })
    }
}

/// The verdict on one rule.
///
/// A rule that only steers (it reports nothing itself, such as `optional`) needs to be reached; it cannot reject, nor can a rule that
/// rejects only what defaulting prevents. A rule that judges updates only needs no evidence from creates.
#[must_use]
pub fn judge(rule: &Rule, create: &RuleCounts, update: &RuleCounts, policy: &Policy) -> Verdict {
    let mut against = Vec::new();
    let mut lacking = Vec::new();
    let mut seen = Vec::new();
    for (operation, counts) in [(Operation::Create, create), (Operation::Update, update)] {
        if counts.panicked > 0 {
            against.push(format!("{} panicked on {operation}", cases(counts.panicked)));
        }
        if counts.missing > 0 {
            against.push(format!("{} rejected by the handwritten check only on {operation}", cases(counts.missing)));
        }
        if counts.extra > 0 {
            against.push(format!("{} rejected by the rule only on {operation}", cases(counts.extra)));
        }
        if operation == Operation::Create && rule.update_only {
            continue;
        }
        if counts.agreed_accept < policy.min_accepts {
            lacking.push(format!("{operation}: {} of {} agreed accepts", counts.agreed_accept, policy.min_accepts));
        }
        let can_reject = !rule.reports.is_empty() && !rule.after_default;
        if can_reject && counts.agreed_reject < policy.min_rejects {
            lacking.push(format!("{operation}: {} of {} agreed rejects", counts.agreed_reject, policy.min_rejects));
        }
        seen.push(if can_reject {
            format!("{operation}: {} accepts, {} rejects agreed", counts.agreed_accept, counts.agreed_reject)
        } else {
            format!("{operation}: {} accepts agreed, cannot reject", counts.agreed_accept)
        });
    }
    if !against.is_empty() {
        Verdict::Blocked(against)
    } else if !lacking.is_empty() {
        Verdict::InsufficientEvidence(lacking)
    } else {
        Verdict::Ready(seen)
    }
}

fn cases(count: u64) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

#[cfg(test)]
mod tests {
    use super::{Policy, RuleCounts, Verdict, judge};
    use crate::error::ErrorType;
    use crate::rule::{Report, Rule, RuleId};

    fn rule(reports: bool, update_only: bool) -> Rule {
        let report = Report { error_type: ErrorType::Invalid, field: "spec.replicas".into(), origin: "minimum".into() };
        Rule {
            id: RuleId(0),
            path: "spec.replicas".into(),
            chain: "minimum=0".into(),
            tag: "minimum".into(),
            stability: None,
            since: None,
            source: None,
            reports: if reports { vec![report] } else { Vec::new() },
            update_only,
            after_default: false,
            options: Vec::new(),
            boundaries: Vec::new(),
            unreachable: Vec::new(),
        }
    }

    fn agreed(accept: u64, reject: u64) -> RuleCounts {
        RuleCounts { compared: accept + reject, agreed_accept: accept, agreed_reject: reject, ..RuleCounts::default() }
    }

    #[test]
    fn verdicts_follow_from_counts() {
        let policy = Policy { min_accepts: 10, min_rejects: 5 };
        let full = agreed(10, 5);
        let none = RuleCounts::default();
        let extra = RuleCounts { compared: 16, extra: 1, ..full };
        let missing = RuleCounts { compared: 17, missing: 2, ..full };
        let panicked = RuleCounts { compared: 16, panicked: 1, ..full };
        for (name, rule, create, update, verdict, first) in [
            ("all met", rule(true, false), full, full, "READY", "create: 10 accepts, 5 rejects agreed"),
            (
                "too few rejects",
                rule(true, false),
                agreed(10, 4),
                full,
                "INSUFFICIENT",
                "create: 4 of 5 agreed rejects",
            ),
            (
                "too few accepts",
                rule(true, false),
                full,
                agreed(9, 5),
                "INSUFFICIENT",
                "update: 9 of 10 agreed accepts",
            ),
            ("never seen", rule(true, false), none, none, "INSUFFICIENT", "create: 0 of 10 agreed accepts"),
            (
                "steering rules cannot reject",
                rule(false, false),
                agreed(10, 0),
                agreed(10, 0),
                "READY",
                "create: 10 accepts agreed, cannot reject",
            ),
            (
                "update rules need no creates",
                rule(true, true),
                none,
                full,
                "READY",
                "update: 10 accepts, 5 rejects agreed",
            ),
            ("extra", rule(true, false), full, extra, "BLOCKED", "1 case rejected by the rule only on update"),
            (
                "missing",
                rule(true, false),
                missing,
                full,
                "BLOCKED",
                "2 cases rejected by the handwritten check only on create",
            ),
            ("panic", rule(true, false), panicked, full, "BLOCKED", "1 case panicked on create"),
            (
                "a finding outweighs lack of evidence",
                rule(true, false),
                none,
                extra,
                "BLOCKED",
                "1 case rejected by the rule only on update",
            ),
        ] {
            let found = judge(&rule, &create, &update, &policy);
            assert_eq!((found.to_string().as_str(), found.reasons()[0].as_str()), (verdict, first), "{name}");
        }
    }

    #[test]
    fn severity_orders_verdicts_by_attention_needed() {
        let order = [
            Verdict::Ready(vec![]),
            Verdict::NotMigrated(vec![]),
            Verdict::InsufficientEvidence(vec![]),
            Verdict::Blocked(vec![]),
        ];
        assert!(order.windows(2).all(|pair| pair[0].severity() < pair[1].severity()));
    }
}
