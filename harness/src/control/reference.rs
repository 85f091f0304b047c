//! Faults of the reference, planted in its answers: nobody can mutate handwritten code from outside, but what it says can be
//! changed.

use super::{Control, Exposure};
use crate::case::Operation;
use crate::compare::{Comparison, compare_into};
use crate::error::FieldError;
use crate::judge::{Bench, Judge, Outcome, RuleMark};
use crate::path::Path;
use crate::rule::{Rule, RuleId};
use crate::subject::Side;

/// What can be wrong with an answer.
const FAULTS: [Fault; 3] = [Fault::Dropped, Fault::Moved, Fault::Added];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The reference lacks the error that agrees with the rule's.
    Dropped,
    /// It reports the error at the parent.
    Moved,
    /// It reports the error where the rule has nothing to say.
    Added,
}

impl Fault {
    fn name(self) -> &'static str {
        match self {
            Self::Dropped => "error dropped",
            Self::Moved => "error at its parent",
            Self::Added => "error added",
        }
    }
}

/// Whether only a case that both sides reject alike can expose the control.
pub(crate) fn shown_by_agreement(control: &Control) -> bool {
    control.side == Side::Reference && control.name != Fault::Added.name()
}

/// For every rule that reports: the reference with an error dropped, moved, and added.
///
/// Exposed by a case in which the comparison lays the difference to the rule.
#[derive(Clone, Debug, Default)]
pub struct ReferenceControls {
    controls: Vec<Control>,
    groups: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    rule: RuleId,
    /// Index of the first control; the others follow in the order of [`FAULTS`].
    first: usize,
    added: FieldError,
    update_only: bool,
}

impl ReferenceControls {
    /// The controls of these rules.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        let mut all = Self::default();
        for rule in rules.iter().filter(|rule| !rule.after_default) {
            let Some(report) = rule.reports.first() else { continue };
            let mut added = FieldError::new(report.error_type, &Path::ROOT, serde_json::Value::Null, "planted")
                .with_origin(report.origin.clone())
                .covered();
            added.field = report.field.replace("[*]", "[0]");
            added.from_imperative = true;
            all.groups.push(Group { rule: rule.id, first: all.controls.len(), added, update_only: rule.update_only });
            all.controls.extend(FAULTS.map(|fault| Control {
                rule: rule.id,
                side: Side::Reference,
                name: fault.name().to_owned(),
                equivalent: None,
            }));
        }
        all
    }

    /// Every control.
    #[must_use]
    pub fn catalogue(&self) -> &[Control] {
        &self.controls
    }

    /// What is exposed before the first case.
    #[must_use]
    pub fn exposure(&self) -> Exposure {
        Exposure::new(self.controls.len(), self.groups.len())
    }

    /// Adds the controls that the case exposes that was just compared on `bench`.
    pub fn judge(&self, judge: &Judge<'_>, operation: Operation, bench: &Bench, exposure: &mut Exposure) {
        if !bench.panics.is_empty() {
            return;
        }
        exposure.watch(|group, exposed| {
            let Some(group) = self.groups.get(group) else { return false };
            let mark = bench.marks().iter().find(|(rule, _)| *rule == group.rule).map(|(_, mark)| *mark);
            let mut open = false;
            for (fault, control) in FAULTS.into_iter().zip(group.first..) {
                if exposed.contains(control) {
                    continue;
                }
                let applies = match fault {
                    Fault::Dropped | Fault::Moved => mark == Some(RuleMark::Compared(Outcome::AgreedReject)),
                    // A rule of updates looks only at what changed; what did not is what it accepts.
                    Fault::Added if group.update_only => mark.is_none() && operation == Operation::Update,
                    Fault::Added => mark.is_none() && bench.candidate.reached().contains(group.rule),
                };
                if applies && shows(fault, group, judge, bench) {
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
fn shows(fault: Fault, group: &Group, judge: &Judge<'_>, bench: &Bench) -> bool {
    let candidate = bench.candidate.as_slice();
    let mut reference = bench.reference.as_slice().to_vec();
    let agreed = bench
        .comparison
        .pairs
        .iter()
        .find(|(_, at)| candidate.get(*at).is_some_and(|error| error.rule == Some(group.rule)));
    match (fault, agreed) {
        (Fault::Added, _) => reference.push(group.added.clone()),
        (Fault::Dropped, Some((at, _))) if *at < reference.len() => {
            reference.remove(*at);
        }
        (Fault::Moved, Some((at, _))) => {
            let Some(error) = reference.get_mut(*at) else { return false };
            let end = error.field.rfind(['.', '[']).unwrap_or_default();
            error.field.truncate(end);
        }
        _ => return false,
    }
    let mut comparison = Comparison::default();
    compare_into(&reference, candidate, judge.matcher(), &mut comparison);
    let missing = comparison.missing.iter().filter_map(|at| reference.get(*at));
    let extra = comparison.extra.iter().filter_map(|at| candidate.get(*at));
    match fault {
        Fault::Added => missing.into_iter().any(|error| judge.twins(error).contains(&group.rule)),
        Fault::Dropped | Fault::Moved => extra.into_iter().any(|error| error.rule == Some(group.rule)),
    }
}
