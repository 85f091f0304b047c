//! All mutants of a candidate, judged next to their rules.

use super::change::{Change, Mutant};
use super::mutated::Planted;
use super::restrict::restricted;
use super::site::sites;
use crate::declarative::Declarative;
use crate::declarative::plan::program::Program;
use takeover_harness::case::Operation;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::oracle::Prepared;
use takeover_harness::rule::RuleId;

/// The mutants of all rules of a candidate, each ready to be judged next to its rule.
///
/// Neither the rule nor its mutant is run with the whole program, but with the part of it in which the rule has a say, and
/// only on cases that can tell the two apart: those in which the rule judged a value, reported, or might have.
///
/// ```
/// use takeover_harness::subject::SubjectId;
/// use takeover_oracles::registry::Registry;
///
/// let (_, candidate) = Registry::of_builtin()?.candidate(&SubjectId::new("v1", "ReplicationController"))?;
/// let controls = candidate.controls();
/// let exposure = controls.exposure();
/// // … for every case: `controls.judge(&prepared, &found, &mut exposure)`
/// let (telling, survivors) = (controls.telling().count(), controls.survivors(&exposure).count());
/// assert!(telling > 0 && telling == survivors);
/// # Ok::<(), takeover_oracles::registry::RegistryError>(())
/// ```
#[derive(Debug)]
pub struct Controls {
    candidate: Declarative,
    mutants: Vec<Mutant>,
    rules: Vec<Control>,
}

/// A rule and its mutants.
#[derive(Debug)]
struct Control {
    rule: RuleId,
    sound: Program,
    faulty: Vec<Faulty>,
}

#[derive(Debug)]
struct Faulty {
    /// Index among all mutants.
    mutant: usize,
    when: When,
    planted: Planted,
}

/// Which cases can tell a mutant from its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Those in which the rule reported.
    Reported,
    /// Those in which it judged a value.
    Reached,
    /// Updates.
    Updated,
    Always,
}

impl When {
    fn of(change: &Change, silent: bool) -> Self {
        match change {
            Change::Dropped | Change::Error(_) | Change::StopsNothing if !silent => Self::Reported,
            Change::Dropped | Change::Error(_) | Change::StopsNothing | Change::Check { .. } => Self::Reached,
            Change::Unratcheted | Change::Correlation(_) | Change::CorrelationOfPlace => Self::Updated,
            _ => Self::Always,
        }
    }

    fn holds(self, rule: RuleId, case: &Prepared<'_>, found: &ErrorList) -> bool {
        match self {
            Self::Reported => found.iter().any(|error| error.rule == Some(rule)),
            Self::Reached => found.reached().contains(rule),
            Self::Updated => case.operation == Operation::Update,
            Self::Always => true,
        }
    }
}

/// Which mutants the cases so far would have exposed.
#[derive(Clone, Debug)]
pub struct Exposure {
    /// By index of the mutant.
    exposed: Vec<bool>,
    /// Rules with mutants that are not exposed yet.
    open: Vec<usize>,
}

impl Declarative {
    /// The mutants of all rules, ready to be judged. Takes some milliseconds for a large type.
    #[must_use]
    pub fn controls(&self) -> Controls {
        let mut controls = Controls { candidate: self.clone(), mutants: Vec::new(), rules: Vec::new() };
        for rule in self.rules() {
            let mutants = self.mutants(rule.id);
            if mutants.iter().any(|mutant| mutant.equivalent.is_none()) {
                let silent = sites(self.program(), rule.id).iter().any(super::site::Site::is_silent);
                let sound = restricted(self.program(), rule.id);
                let numbered = mutants.iter().enumerate().filter(|(_, mutant)| mutant.equivalent.is_none());
                let faulty = numbered.map(|(index, mutant)| Faulty {
                    mutant: controls.mutants.len() + index,
                    when: When::of(&mutant.change, silent),
                    planted: Planted::new(&sound, mutant),
                });
                let faulty = faulty.collect();
                controls.rules.push(Control { rule: rule.id, sound, faulty });
            }
            controls.mutants.extend(mutants);
        }
        controls
    }
}

impl Controls {
    /// Every mutant, in the order of the rules.
    #[must_use]
    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The mutants that a case can expose: all that are not known to be equivalent.
    pub fn telling(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.equivalent.is_none())
    }

    /// Those of [`Controls::telling`] that no case has exposed.
    pub fn survivors<'c>(&'c self, exposure: &'c Exposure) -> impl Iterator<Item = &'c Mutant> {
        let exposed = exposure.exposed.iter().copied().chain(std::iter::repeat(false));
        let all = self.mutants.iter().zip(exposed);
        all.filter(|(mutant, exposed)| mutant.equivalent.is_none() && !exposed).map(|(mutant, _)| mutant)
    }

    /// What is exposed before the first case: nothing.
    #[must_use]
    pub fn exposure(&self) -> Exposure {
        Exposure { exposed: vec![false; self.mutants.len()], open: (0..self.rules.len()).collect() }
    }

    /// Adds the mutants that `case` exposes. A mutant that is exposed costs nothing from then on.
    ///
    /// `found` is what the candidate found in the case, with the rules that judged a value; on a case that it could not judge
    /// nothing can be said. A mutant is exposed when type, path and origin of its errors are not those of the rule: what
    /// a comparison looks at.
    pub fn judge(&self, case: &Prepared<'_>, found: &ErrorList, exposure: &mut Exposure) {
        let Exposure { exposed, open } = exposure;
        open.retain(|control| {
            self.rules.get(*control).is_some_and(|control| self.watch(control, case, found, exposed))
        });
    }

    /// Whether any mutant of the rule is still to be exposed.
    fn watch(&self, control: &Control, case: &Prepared<'_>, found: &ErrorList, exposed: &mut [bool]) -> bool {
        let mut sound = None;
        let mut open = false;
        for Faulty { mutant, when, planted } in &control.faulty {
            let Some(exposed) = exposed.get_mut(*mutant).filter(|exposed| !**exposed) else { continue };
            if when.holds(control.rule, case, found) {
                let sound = sound.get_or_insert_with(|| {
                    let mut errors = ErrorList::new();
                    self.candidate.judge(&control.sound, case, true, &mut errors).is_ok().then_some(errors)
                });
                let Some(sound) = sound else { return true };
                let mut errors = ErrorList::new();
                let failed = planted.judge(&self.candidate, case, &mut errors).is_err();
                *exposed = failed || differ(sound.as_slice(), errors.as_slice());
            }
            open |= !*exposed;
        }
        open
    }
}

impl Exposure {
    /// Whether the mutant at `index` of [`Controls::mutants`] is exposed.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.exposed.get(index).copied().unwrap_or_default()
    }

    /// Adds what other cases of the same controls exposed.
    pub fn merge(&mut self, other: &Self) {
        for (exposed, other) in self.exposed.iter_mut().zip(&other.exposed) {
            *exposed |= other;
        }
        self.open.retain(|control| other.open.contains(control));
    }
}

/// Whether a comparison tells two answers apart.
fn differ(sound: &[FieldError], faulty: &[FieldError]) -> bool {
    let among = |error: &FieldError, others: &[FieldError]| {
        others.iter().any(|other| {
            error.error_type == other.error_type && error.field == other.field && error.origin == other.origin
        })
    };
    !sound.iter().all(|error| among(error, faulty)) || !faulty.iter().all(|error| among(error, sound))
}
