//! What a report says in a few numbers, in all and by kind.

use crate::numbers::counted;
use crate::run::checks::CheckCounts;
use crate::run::model::{RunReport, SubjectReport};
use crate::run::standing::FindingStanding;
use crate::text::shown;
use std::collections::BTreeMap;
use takeover_harness::evidence::RuleCounts;
use takeover_harness::readiness::Readiness;

/// The kinds of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerdictKind {
    /// Every criterion is met.
    Ready,
    /// Something speaks against the rule.
    Blocked,
    /// Too little was seen.
    Insufficient,
    /// A handwritten check that no rule covers.
    NotMigrated,
    /// Another endpoint of the kind decides.
    OutOfReach,
}

impl VerdictKind {
    /// Every kind, in the order in which forms list them.
    pub const ALL: [Self; 5] = [Self::Ready, Self::Blocked, Self::Insufficient, Self::NotMigrated, Self::OutOfReach];

    /// The kind of a verdict.
    #[must_use]
    pub fn of(verdict: &Readiness) -> Self {
        match verdict {
            Readiness::Ready(_) => Self::Ready,
            Readiness::Blocked(_) => Self::Blocked,
            Readiness::NotMigrated(_) => Self::NotMigrated,
            Readiness::OutOfReach(_) => Self::OutOfReach,
            // A verdict that does not exist yet is no pass.
            _ => Self::Insufficient,
        }
    }

    /// One word, as on the command line and in HTML.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Insufficient => "insufficient",
            Self::NotMigrated => "not-migrated",
            Self::OutOfReach => "out-of-reach",
        }
    }

    /// As people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Insufficient => "insufficient evidence",
            Self::NotMigrated => "not migrated",
            Self::OutOfReach => "out of reach",
        }
    }
}

/// Sums over subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Subjects.
    pub subjects: usize,
    /// Compared cases.
    pub compared: u64,
    /// Pairs without rules, which have a verdict as a whole.
    pub pairs: usize,
    /// Pairs without rules that are ready.
    pub ready_pairs: usize,
    /// Pairs without rules that are blocked.
    pub blocked_pairs: usize,
    /// Rules.
    pub rules: usize,
    /// Rules that are ready.
    pub ready: usize,
    /// Rules that are blocked.
    pub blocked: usize,
    /// Rules with too little evidence.
    pub insufficient: usize,
    /// Rules that another endpoint decides about.
    pub out_of_reach: usize,
    /// Handwritten checks that no rule covers: listed ones, or those that the run saw where none are listed.
    pub not_migrated: usize,
    /// The listed checks.
    pub checks: CheckCounts,
    /// Signatures of disagreement, and panics, without those that another finding brings along.
    pub findings: usize,
    /// Findings that an exception excuses.
    pub excused: usize,
    /// Findings that the policy tolerates.
    pub tolerated: usize,
    /// Findings that the policy reports without letting them block.
    pub reported: usize,
    /// Further findings that others bring along.
    pub brought_along: usize,
    /// Planted faults that a case can tell from their rule.
    pub faults: u64,
    /// Planted faults that the cases exposed.
    pub exposed: u64,
}

impl Tally {
    /// The sums over `subjects`.
    #[must_use]
    pub fn of<'r>(subjects: impl IntoIterator<Item = &'r SubjectReport>) -> Self {
        let mut tally = Self::default();
        for subject in subjects {
            tally.subjects += 1;
            tally.compared += subject.totals.compared;
            match &subject.checks {
                Some(checks) => {
                    tally.not_migrated += checks.counts.without_rule;
                    tally.checks.add(&checks.counts);
                }
                None => tally.not_migrated += subject.not_migrated.len(),
            }
            for finding in &subject.findings {
                match finding.standing() {
                    FindingStanding::Blocking => {}
                    FindingStanding::Excused => tally.excused += 1,
                    FindingStanding::Tolerated { .. } => tally.tolerated += 1,
                    FindingStanding::Reported { .. } => tally.reported += 1,
                    FindingStanding::BroughtAlong { .. } => tally.brought_along += 1,
                }
                tally.findings += usize::from(!finding.is_brought_along());
            }
            if let Some(pair) = &subject.pair {
                tally.pairs += 1;
                match VerdictKind::of(&pair.verdict) {
                    VerdictKind::Ready => tally.ready_pairs += 1,
                    VerdictKind::Blocked => tally.blocked_pairs += 1,
                    VerdictKind::Insufficient | VerdictKind::NotMigrated | VerdictKind::OutOfReach => {}
                }
            }
            for rule in subject.fields.iter().flat_map(|field| &field.rules) {
                tally.rules += 1;
                tally.faults += rule.controls.telling;
                tally.exposed += rule.controls.exposed;
                *match VerdictKind::of(&rule.verdict) {
                    VerdictKind::Ready => &mut tally.ready,
                    VerdictKind::Blocked => &mut tally.blocked,
                    VerdictKind::OutOfReach => &mut tally.out_of_reach,
                    VerdictKind::Insufficient | VerdictKind::NotMigrated => &mut tally.insufficient,
                } += 1;
            }
        }
        tally
    }

    /// Rules with a verdict of a kind; of not migrated, handwritten checks.
    #[must_use]
    pub fn with(&self, kind: VerdictKind) -> usize {
        match kind {
            VerdictKind::Ready => self.ready,
            VerdictKind::Blocked => self.blocked,
            VerdictKind::Insufficient => self.insufficient,
            VerdictKind::NotMigrated => self.not_migrated,
            VerdictKind::OutOfReach => self.out_of_reach,
        }
    }
}

/// `1 of 3 pairs without rules may take over; 1 blocked, 1 short of evidence`; none where every pair has rules.
#[must_use]
pub(crate) fn pairs(tally: &Tally) -> Option<String> {
    let Tally { pairs, ready_pairs, blocked_pairs, .. } = *tally;
    (pairs > 0).then(|| {
        format!(
            "{ready_pairs} of {} may take over; {blocked_pairs} blocked, {} short of evidence",
            if pairs == 1 { "1 pair without rules".to_owned() } else { format!("{pairs} pairs without rules") },
            pairs - ready_pairs - blocked_pairs
        )
    })
}

/// `no finding`, `3 findings`, `5 findings, 1 excused, 2 tolerated, 7 more brought along`.
#[must_use]
pub(crate) fn findings(tally: &Tally) -> String {
    let all = match tally.findings {
        0 => "no finding".to_owned(),
        some => counted(some as u64, "finding"),
    };
    all + &decided(tally)
}

/// How many findings are decided about, behind their number: `, 1 excused, 2 tolerated`.
#[must_use]
pub(crate) fn decided(tally: &Tally) -> String {
    let parts = [
        (tally.excused, "excused"),
        (tally.tolerated, "tolerated"),
        (tally.reported, "reported only"),
        (tally.brought_along, "more brought along"),
    ];
    parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect()
}

/// The subjects of each kind, in the order of the report.
pub fn by_kind(report: &RunReport) -> impl Iterator<Item = (&str, &[SubjectReport])> {
    report
        .subjects
        .chunk_by(|one, other| kind_of(&one.subject) == kind_of(&other.subject))
        .filter_map(|subjects| Some((kind_of(&subjects.first()?.subject), subjects)))
}

/// The figures of each kind, without the subjects that stand apart.
pub(crate) fn tallies(report: &RunReport) -> impl Iterator<Item = (&str, Tally)> {
    let tally = |subjects: &[SubjectReport]| Tally::of(subjects.iter().filter(|subject| !subject.apart));
    by_kind(report).map(move |(kind, subjects)| (kind, tally(subjects))).filter(|(_, tally)| tally.subjects > 0)
}

/// What stands apart, a line a reason: `no longer served since 1.25: 3 rules, 1 finding: batch/v1beta1 CronJob`.
pub(crate) fn apart(report: &RunReport) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&SubjectReport>> = BTreeMap::new();
    for subject in report.apart() {
        reasons.entry(subject.unshown.as_deref().unwrap_or_default()).or_default().push(subject);
    }
    let line = |(because, subjects): (&str, Vec<&SubjectReport>)| {
        let tally = Tally::of(subjects.iter().copied());
        let names: Vec<String> = subjects.iter().map(|subject| shown(&subject.subject)).collect();
        let (rules, found) = (counted(tally.rules as u64, "rule"), findings(&tally));
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
pub fn in_production(counts: &RuleCounts) -> String {
    let RuleCounts { compared, agreed_accept, agreed_reject, .. } = counts;
    if *compared == 0 {
        return "never exercised in production".to_owned();
    }
    format!("in production: {compared} compared, {agreed_accept} agreed accepts, {agreed_reject} agreed rejects")
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
