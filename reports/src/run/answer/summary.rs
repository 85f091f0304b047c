//! What a run says in a few numbers: one place for every form.

use super::check::{Answer, CheckAnswer};
use crate::run::rule::{Level, RuleReport, Twin};
use crate::run::standing::FindingStanding;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use takeover_harness::compare::ComparedBy;

/// What a run says in a few numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Handwritten checks, by what the run says of them.
    pub checks: CheckSums,
    /// Defaults that code or markers set, where pairs compare defaults; these are no handwritten checks.
    #[serde(default, skip_serializing_if = "DefaultSums::is_empty")]
    pub defaults: DefaultSums,
    /// Defaults of own types, which markers set in a built-in resource and in a custom one, where pairs compare these.
    #[serde(default, skip_serializing_if = "DefaultSums::is_empty")]
    pub semantics: DefaultSums,
    /// Laws of server-side apply, one for each pair that has them.
    #[serde(default, skip_serializing_if = "LawSums::is_empty")]
    pub laws: LawSums,
    /// Pairs without rules and without observed checks, which are judged as a whole.
    pub pairs: PairSums,
    /// Rules, one for each version and subresource that has them.
    pub rules: RuleSums,
    /// Findings.
    pub findings: FindingSums,
    /// Cases.
    pub cases: CaseSums,
    /// Planted faults that a case can tell from their rule.
    pub faults: FaultSums,
}

/// Handwritten checks. A check counts once for all versions and subresources of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckSums {
    /// With a rule in every version: those that may be deleted, may not, and need more evidence.
    pub with_rule: usize,
    /// Of these, those that nobody lists and that the run observed: it is the candidate that may replace them, by no rule in particular.
    #[serde(default, skip_serializing_if = "is_none")]
    pub observed: usize,
    /// May be deleted.
    pub may_go: usize,
    /// Of these, by the lowest level of their rules: `alpha`, `beta`, `stable`.
    pub may_go_by_level: BTreeMap<Level, usize>,
    /// Of these, the observed ones by field, or by message for checks of the whole object; not written to files.
    #[serde(skip)]
    pub may_go_by_field: BTreeMap<String, usize>,
    /// May not be deleted.
    pub may_not: usize,
    /// Of these, by cause; they add up.
    pub may_not_by_cause: BTreeMap<String, usize>,
    /// Need more evidence.
    pub need_evidence: usize,
    /// Have no rule, at least in one version.
    pub no_rule: usize,
    /// Of these, those that say that a rule covers them.
    pub lost_rule: usize,
    /// Are decided by another endpoint.
    pub elsewhere: usize,
}

/// Defaults. A default of code counts once for all versions of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefaultSums {
    /// Set by code and a marker: those that may be deleted from code, may not, and some that need more evidence.
    pub with_marker: usize,
    /// May be deleted from code.
    pub may_go: usize,
    /// May not be deleted.
    pub may_not: usize,
    /// Of these, by cause; they add up.
    pub may_not_by_cause: BTreeMap<String, usize>,
    /// Need more evidence, with a marker or without.
    pub need_evidence: usize,
    /// Set by code to the same value whatever else the object says: may move to a marker.
    pub may_move: usize,
    /// Set by code alone, depending on other fields.
    pub by_code: usize,
    /// Set by markers alone.
    pub by_marker: usize,
    /// Laws that were tried, one for each pair that has them.
    pub laws: usize,
    /// Of these, those that a finding breaks.
    pub laws_broken: usize,
}

/// Laws of server-side apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LawSums {
    /// All.
    pub all: usize,
    /// No finding breaks them, and every criterion is met.
    pub hold: usize,
    /// A finding breaks them.
    pub broken: usize,
    /// Too little was seen.
    pub need_evidence: usize,
}

/// Pairs without rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairSums {
    /// All.
    pub all: usize,
    /// Those whose reference the candidate may replace.
    pub ready: usize,
    /// Those that something speaks against.
    pub blocked: usize,
    /// The findings that do, in all of them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub findings: usize,
}

/// Rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleSums {
    /// All.
    pub all: usize,
    /// Every criterion is met.
    pub ready: usize,
    /// Something speaks against them.
    pub blocked: usize,
    /// Too little was seen.
    pub insufficient: usize,
    /// Another endpoint decides.
    pub out_of_reach: usize,
    /// No handwritten check reports their errors.
    pub new: usize,
    /// They report nothing that a check could, such as `optional`.
    pub replace_nothing: usize,
}

/// Findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingSums {
    /// Those that no other finding brings along.
    pub all: usize,
    /// Of these, those that an exception excuses.
    pub excused: usize,
    /// Of these, those that the policy tolerates.
    pub tolerated: usize,
    /// Of these, those that the policy reports without letting them block.
    pub reported: usize,
    /// Further ones that others bring along.
    pub brought_along: usize,
}

/// Cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseSums {
    /// Pairs that were judged.
    pub subjects: usize,
    /// Cases that both sides judged.
    pub compared: u64,
}

/// Planted faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultSums {
    /// Those that a case can tell from their rule.
    pub telling: u64,
    /// Those that the cases exposed.
    pub exposed: u64,
}

impl Summary {
    /// The sums over `subjects` and the answers about their checks.
    #[must_use]
    pub fn of<'r>(subjects: impl IntoIterator<Item = &'r SubjectReport>, answers: &[CheckAnswer]) -> Self {
        let mut summary = Self::default();
        for subject in subjects {
            summary.add(subject);
        }
        for answer in answers {
            match (answer.defaults, answer.semantics) {
                (true, true) => summary.semantics.add(answer),
                (true, false) => summary.defaults.add(answer),
                (false, _) => summary.checks.add(answer),
            }
        }
        summary
    }

    /// The defaults of code, or where there are none those of own types: a kind has one or the other.
    #[must_use]
    pub fn any_defaults(&self) -> &DefaultSums {
        if self.defaults.is_empty() { &self.semantics } else { &self.defaults }
    }

    /// Adds what does not depend on other subjects.
    fn add(&mut self, subject: &SubjectReport) {
        self.cases.subjects += 1;
        self.cases.compared += subject.totals.compared;
        for finding in &subject.findings {
            let sums = &mut self.findings;
            match finding.standing() {
                FindingStanding::Blocking => {}
                FindingStanding::Excused => sums.excused += 1,
                FindingStanding::Tolerated { .. } => sums.tolerated += 1,
                FindingStanding::Reported { .. } => sums.reported += 1,
                FindingStanding::BroughtAlong { .. } => sums.brought_along += 1,
            }
            sums.all += usize::from(!finding.is_brought_along());
        }
        // What is said of observed checks says more than a verdict on the whole.
        if let Some(pair) = subject.pair.as_ref().filter(|_| subject.observed.is_empty()) {
            self.pairs.all += 1;
            self.pairs.findings += subject.findings.iter().filter(|finding| finding.is_open()).count();
            match VerdictKind::of(&pair.verdict) {
                VerdictKind::Ready => self.pairs.ready += 1,
                VerdictKind::Blocked => self.pairs.blocked += 1,
                VerdictKind::Insufficient | VerdictKind::NotMigrated | VerdictKind::OutOfReach => {}
            }
        }
        for rule in subject.fields.iter().flat_map(|field| &field.rules) {
            self.faults.telling += rule.controls.telling;
            self.faults.exposed += rule.controls.exposed;
            self.rules.add(subject, rule);
            if subject.defaults {
                let sums = if subject.semantics { &mut self.semantics } else { &mut self.defaults };
                sums.add_rule(subject, rule);
            }
            if subject.apply {
                self.laws.add(subject, rule);
            }
        }
    }
}

impl RuleSums {
    fn add(&mut self, subject: &SubjectReport, rule: &RuleReport) {
        self.all += 1;
        *match VerdictKind::of(&rule.verdict) {
            VerdictKind::Ready => &mut self.ready,
            VerdictKind::Blocked => &mut self.blocked,
            VerdictKind::OutOfReach => &mut self.out_of_reach,
            VerdictKind::Insufficient | VerdictKind::NotMigrated => &mut self.insufficient,
        } += 1;
        if subject.defaults || subject.apply {
            return;
        }
        // A rule that decides without a word may replace what it rejects together with the reference.
        let by_decision = subject.compared_by == Some(ComparedBy::Decision);
        if by_decision && rule.reports.is_empty() && rule.create.agreed_reject + rule.update.agreed_reject > 0 {
            return;
        }
        if rule.replaces_nothing() {
            self.replace_nothing += 1;
        } else if !subject.has_check_for(rule) {
            self.new += 1;
        }
    }

    /// Rules with a verdict of a kind; none of not migrated.
    #[must_use]
    pub fn with(&self, kind: VerdictKind) -> usize {
        match kind {
            VerdictKind::Ready => self.ready,
            VerdictKind::Blocked => self.blocked,
            VerdictKind::Insufficient => self.insufficient,
            VerdictKind::NotMigrated => 0,
            VerdictKind::OutOfReach => self.out_of_reach,
        }
    }
}

impl LawSums {
    /// Whether no law was tried.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all == 0
    }

    fn add(&mut self, subject: &SubjectReport, rule: &RuleReport) {
        self.all += 1;
        // What is tolerated breaks no law: servers do it whatever the types are.
        let is_broken =
            subject.findings_of(rule).any(|finding| !matches!(finding.standing(), FindingStanding::Tolerated { .. }));
        *match VerdictKind::of(&rule.verdict) {
            _ if is_broken => &mut self.broken,
            VerdictKind::Ready => &mut self.hold,
            _ => &mut self.need_evidence,
        } += 1;
    }

    /// Laws with an answer.
    #[must_use]
    pub fn with(&self, answer: Answer) -> usize {
        match answer {
            Answer::MayGo => self.hold,
            Answer::MayNot => self.broken,
            Answer::NeedsEvidence => self.need_evidence,
            Answer::NoRule | Answer::Elsewhere | Answer::MayMove => 0,
        }
    }
}

impl SubjectReport {
    /// Whether a handwritten check reports what the rule reports.
    #[must_use]
    pub fn has_check_for(&self, rule: &RuleReport) -> bool {
        match &self.checks {
            Some(listed) => listed.checks.iter().any(|check| check.rules.iter().any(|of| rule.is(of))),
            None => rule.twin == Twin::Seen,
        }
    }
}

/// Most characters of a message that names a check.
const MOST_SAID: usize = 30;

/// The name of an observed check: its field, or its message for a check of the whole object, without the policy's name.
fn named(check: &CheckAnswer) -> String {
    let said = check.message.split_once(" denied request: ").map_or(check.message.as_str(), |(_, said)| said);
    match (check.field.is_empty(), said.char_indices().nth(MOST_SAID)) {
        (false, _) => check.field.clone(),
        (true, _) if said.is_empty() => String::new(),
        (true, None) => format!("\"{said}\""),
        (true, Some((end, _))) => format!("\"{}…\"", said.get(..end).unwrap_or_default().trim_end()),
    }
}

impl CheckSums {
    fn add(&mut self, check: &CheckAnswer) {
        match check.answer {
            Answer::MayGo if check.observed.is_some() => {
                self.may_go += 1;
                *self.may_go_by_field.entry(named(check)).or_default() += 1;
            }
            Answer::MayGo => {
                self.may_go += 1;
                *self.may_go_by_level.entry(check.level().unwrap_or_default()).or_default() += 1;
            }
            Answer::MayNot => {
                self.may_not += 1;
                *self.may_not_by_cause.entry(check.cause.clone().unwrap_or_default()).or_default() += 1;
            }
            Answer::NeedsEvidence => self.need_evidence += 1,
            Answer::NoRule | Answer::MayMove => {
                self.no_rule += 1;
                self.lost_rule += usize::from(check.lost_rule);
            }
            Answer::Elsewhere => self.elsewhere += 1,
        }
        self.observed += usize::from(check.observed.is_some());
        self.with_rule = self.may_go + self.may_not + self.need_evidence;
    }

    /// Checks with an answer.
    #[must_use]
    pub fn with(&self, answer: Answer) -> usize {
        match answer {
            Answer::MayGo => self.may_go,
            Answer::MayNot => self.may_not,
            Answer::NeedsEvidence => self.need_evidence,
            Answer::NoRule => self.no_rule,
            Answer::Elsewhere => self.elsewhere,
            Answer::MayMove => 0,
        }
    }
}

impl DefaultSums {
    /// Whether no default and no law was compared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, default: &CheckAnswer) {
        match default.answer {
            Answer::MayGo => self.may_go += 1,
            Answer::MayMove => self.may_move += 1,
            Answer::MayNot => {
                self.may_not += 1;
                *self.may_not_by_cause.entry(default.cause.clone().unwrap_or_default()).or_default() += 1;
            }
            Answer::NeedsEvidence => self.need_evidence += 1,
            Answer::NoRule | Answer::Elsewhere => self.by_code += 1,
        }
        let has_marker = match default.answer {
            // Without a marker, it breaks a law, or its marker has yet to be written.
            Answer::MayGo | Answer::MayNot | Answer::NeedsEvidence => !default.rules.is_empty(),
            Answer::MayMove | Answer::NoRule | Answer::Elsewhere => false,
        };
        self.with_marker += usize::from(has_marker);
    }

    fn add_rule(&mut self, subject: &SubjectReport, rule: &RuleReport) {
        if rule.law.is_none() {
            self.by_marker += usize::from(rule.reports.is_empty());
            return;
        }
        self.laws += 1;
        self.laws_broken += usize::from(subject.findings_of(rule).next().is_some());
    }

    /// Defaults with an answer.
    #[must_use]
    pub fn with(&self, answer: Answer) -> usize {
        match answer {
            Answer::MayGo => self.may_go,
            Answer::MayMove => self.may_move,
            Answer::MayNot => self.may_not,
            Answer::NeedsEvidence => self.need_evidence,
            Answer::NoRule => self.by_code,
            Answer::Elsewhere => 0,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_none(count: &usize) -> bool {
    *count == 0
}
