//! Kinds, and what a report says of each.

use crate::numbers::{counted, grouped};
use crate::run::answer::{Summary, findings};
use crate::run::model::RunReport;
use crate::run::rule::RuleInProduction;
use crate::run::subject::SubjectReport;
use crate::text::shown;
use std::collections::BTreeMap;
use takeover_harness::compare::Matter;
use takeover_harness::evidence::RuleCounts;

/// The subjects of each kind, in the order of the report.
pub fn by_kind(report: &RunReport) -> impl Iterator<Item = (&str, &[SubjectReport])> {
    report
        .subjects
        .chunk_by(|one, other| kind_of(&one.subject) == kind_of(&other.subject))
        .filter_map(|subjects| Some((kind_of(&subjects.first()?.subject), subjects)))
}

/// The figures of each kind, without the subjects that stand apart.
pub(crate) fn summaries(report: &RunReport) -> impl Iterator<Item = (&str, Summary)> {
    let summary = |subjects: &[SubjectReport]| Summary::of_subjects(subjects.iter().filter(|subject| !subject.apart));
    by_kind(report).map(move |(kind, subjects)| (kind, summary(subjects))).filter(|(_, of)| of.cases.subjects > 0)
}

/// The names of the figures of a kind, in the order of a table.
pub(crate) struct FigureNames {
    /// The names.
    pub(crate) names: [&'static str; 4],
    of: Matter,
}

impl FigureNames {
    /// The names for what answers of a matter are about.
    pub(crate) fn of(of: Matter) -> Self {
        let names = match of {
            Matter::Defaults => ["may go", "may move", "may not yet", "by code alone"],
            Matter::Semantics => ["the same", "not the same", "need evidence", "no marker"],
            Matter::Apply => ["laws", "hold", "broken", "need evidence"],
            Matter::Objects => ["pairs", "may replace", "may not", "need evidence"],
            Matter::Errors => ["may be deleted", "may not be", "need evidence", "no rule"],
        };
        Self { names, of }
    }

    /// The figures with these names.
    pub(crate) fn figures(&self, of: &Summary) -> [usize; 4] {
        let (checks, defaults, laws, pairs) = (&of.checks, of.any_defaults(), &of.laws, of.pairs);
        match self.of {
            Matter::Apply => [laws.all, laws.hold, laws.broken, laws.need_evidence],
            Matter::Defaults => {
                [defaults.may_go, defaults.may_move, defaults.may_not + defaults.need_evidence, defaults.by_code]
            }
            Matter::Semantics => {
                let unmarked = defaults.may_move + defaults.by_code;
                [defaults.may_go, defaults.may_not, defaults.need_evidence, unmarked]
            }
            Matter::Objects => [pairs.all, pairs.ready, pairs.blocked, pairs.all - pairs.ready - pairs.blocked],
            Matter::Errors => [checks.may_go, checks.may_not, checks.need_evidence, checks.no_rule],
        }
    }
}

/// What stands apart, a line a reason: `no longer served since 1.25: 3 rules, 1 finding: batch/v1beta1 CronJob`.
pub(crate) fn apart(report: &RunReport) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&SubjectReport>> = BTreeMap::new();
    for subject in report.apart() {
        reasons.entry(subject.unshown.as_deref().unwrap_or_default()).or_default().push(subject);
    }
    let line = |(because, subjects): (&str, Vec<&SubjectReport>)| {
        let of = Summary::of_subjects(subjects.iter().copied());
        let names: Vec<String> = subjects.iter().map(|subject| shown(&subject.subject)).collect();
        let (rules, found) = (counted(of.rules.all as u64, "rule"), findings(&of.findings));
        format!("{}: {rules}, {found}: {}", shown(because), names.join(", "))
    };
    reasons.into_iter().map(line).collect()
}

/// The kind in the name of a pair, `v1 ReplicationController/scale#webhook`.
#[must_use]
pub fn kind_of(subject: &str) -> &str {
    let kind = subject.rsplit(' ').next().unwrap_or(subject);
    kind.split(['/', '#']).next().unwrap_or(kind)
}

/// What was seen of a rule beside live traffic, in words.
#[must_use]
pub fn in_production(seen: &RuleInProduction) -> String {
    let RuleCounts { compared, agreed_accept, agreed_reject, .. } = &seen.counts;
    if *compared == 0 {
        return "never exercised in production".to_owned();
    }
    let [compared, accepts, rejects] = [compared, agreed_accept, agreed_reject].map(|number| grouped(*number));
    let unseen = match seen.accepted_only {
        0 => String::new(),
        number => {
            format!(
                "; {} of this subject were already accepted, where no reject can be seen",
                counted(number, "request")
            )
        }
    };
    format!("in production: {compared} compared, {accepts} agreed accepts, {rejects} agreed rejects{unseen}")
}

#[cfg(test)]
mod tests {
    use super::kind_of;

    #[test]
    fn the_kind_is_read_from_the_name_of_the_subject() {
        assert_eq!(kind_of("autoscaling/v1 Scale/scale"), "Scale");
        assert_eq!(kind_of("v1 ReplicationController"), "ReplicationController");
        assert_eq!(kind_of("apps/v1 Deployment#webhook"), "Deployment");
        assert_eq!(kind_of("apps/v1 Deployment/scale#webhook"), "Deployment");
        assert_eq!(kind_of(""), "");
    }
}
