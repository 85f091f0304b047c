//! Faults of the reference, planted in its answers, and which of them a case exposes.

use crate::case::Operation;
use crate::compare::{Candidates, Comparator, ComparedBy, Comparison, Participation};
use crate::control::{Control, Exposure, ReferenceFault};
use crate::error::FieldError;
use crate::judge::{CaseRecord, Judge, Outcome, RuleMark};
use crate::path::Path;
use crate::rule::{Rule, RuleId};
use crate::side::Side;

/// For every rule that reports: the reference with an error dropped, moved, and added.
///
/// Exposed by a case in which the comparison lays the difference to the rule.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceControls {
    controls: Vec<Control>,
    groups: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    rule: RuleId,
    /// Index of the first control; the others follow in the order of [`ReferenceFault::ALL`].
    first: usize,
    added: FieldError,
    update_only: bool,
    /// Whether errors of the rule count only where the reference expects them: those of stable rules do.
    answers: bool,
}

/// Why no case can show that the check of a stable rule reports less.
const GONE: &str = "the check of a stable rule may be gone";

impl ReferenceControls {
    /// The controls of these rules.
    #[must_use]
    pub(super) fn new(rules: &[Rule], comparator: &Comparator) -> Self {
        let leveled = matches!(
            comparator.name(),
            ComparedBy::Kubernetes { participation: Participation::Marked(Candidates::Leveled), .. }
        );
        let mut all = Self::default();
        for rule in rules.iter().filter(|rule| !rule.after_default) {
            let Some(report) = rule.reports.first() else { continue };
            let mut added = FieldError::new(report.error_type, &Path::ROOT, serde_json::Value::Null, "planted")
                .with_origin(report.origin.clone())
                .covered();
            added.field = report.field.replace("[*]", "[0]");
            added.from_imperative = true;
            let (first, update_only) = (all.controls.len(), rule.update_only);
            let answers = leveled && rule.stability.is_none();
            all.groups.push(Group { rule: rule.id, first, added, update_only, answers });
            all.controls.extend(ReferenceFault::ALL.map(|fault| Control {
                rule: rule.id,
                side: Side::Reference,
                name: fault.name().to_owned(),
                equivalent: (answers && fault != ReferenceFault::Added).then(|| GONE.to_owned()),
            }));
        }
        all
    }

    /// Every control.
    #[must_use]
    pub(super) fn catalogue(&self) -> &[Control] {
        &self.controls
    }

    /// What is exposed before the first case.
    #[must_use]
    pub(super) fn exposure(&self) -> Exposure {
        Exposure::new(self.controls.len(), self.groups.len())
    }

    /// Adds the controls exposed by the case that was just compared on `record`.
    pub(super) fn judge(&self, judge: &Judge<'_>, operation: Operation, record: &CaseRecord, exposure: &mut Exposure) {
        if !record.panics.is_empty() {
            return;
        }
        exposure.watch(|group, exposed| {
            let Some(group) = self.groups.get(group) else { return false };
            let mark = record.marks().iter().find(|(rule, _)| *rule == group.rule).map(|(_, mark)| *mark);
            let mut open = false;
            for (fault, control) in ReferenceFault::ALL.into_iter().zip(group.first..) {
                if exposed.contains(control) || group.answers && fault != ReferenceFault::Added {
                    continue;
                }
                let applies = match fault {
                    ReferenceFault::Dropped | ReferenceFault::Moved => {
                        mark == Some(RuleMark::Compared(Outcome::AgreedReject))
                    }
                    // A rule of updates looks only at what changed; what did not is what it accepts.
                    ReferenceFault::Added if group.update_only => mark.is_none() && operation == Operation::Update,
                    ReferenceFault::Added => mark.is_none() && record.candidate.reached.contains(group.rule),
                };
                if applies && shows(fault, group, judge, record) {
                    exposed.insert(control);
                } else {
                    open = true;
                }
            }
            open
        });
    }
}

/// Whether the comparison of the faulty answer lays a difference to the rule.
fn shows(fault: ReferenceFault, group: &Group, judge: &Judge<'_>, record: &CaseRecord) -> bool {
    let candidate = record.candidate.errors.as_slice();
    let mut reference = record.reference.errors.as_slice().to_vec();
    let agreed = record
        .comparison
        .matched
        .iter()
        .find(|(_, at)| candidate.get(*at).is_some_and(|error| judge.makers(error).contains(&group.rule)));
    match (fault, agreed) {
        (ReferenceFault::Added, _) => reference.push(group.added.clone()),
        (ReferenceFault::Dropped, Some((at, _))) if *at < reference.len() => {
            reference.remove(*at);
        }
        (ReferenceFault::Moved, Some((at, _))) => {
            let Some(error) = reference.get_mut(*at) else { return false };
            let end = error.field.rfind(['.', '[']).unwrap_or_default();
            error.field.truncate(end);
        }
        _ => return false,
    }
    let mut comparison = Comparison::default();
    judge.pair().comparator.errors_into(&reference, candidate, &mut comparison);
    let missing = comparison.missing.iter().filter_map(|at| reference.get(*at));
    let extra = comparison.extra.iter().filter_map(|at| candidate.get(*at));
    match fault {
        ReferenceFault::Added => missing.into_iter().any(|error| judge.twins(error).contains(&group.rule)),
        ReferenceFault::Dropped | ReferenceFault::Moved => {
            extra.into_iter().any(|error| judge.makers(error).contains(&group.rule))
        }
    }
}
