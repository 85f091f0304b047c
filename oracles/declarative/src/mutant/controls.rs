//! All mutants of a candidate, judged next to their rules.

use super::change::{Change, Mutant};
use super::mutated::Planted;
use super::restrict::restricted;
use super::site::sites;
use crate::Declarative;
use crate::eval::program::Program;
use std::sync::OnceLock;
use takeover_harness::case::Operation;
use takeover_harness::control::{self, Control as Planned, Exposed, Exposure};
use takeover_harness::error::FieldError;
use takeover_harness::oracle::{Answer, Question, View};
use takeover_harness::rule::RuleId;
use takeover_harness::side::Side;

/// The mutants of all rules of a candidate, each ready to be judged next to its rule.
///
/// Neither the rule nor its mutant is run with the whole program, but with the part of it in which the rule has a say, and
/// only on cases that can tell the two apart: those in which the rule judged a value, reported, or might have.
///
/// ```
/// use takeover_declarative::idl::{Loader, builtin};
/// use takeover_declarative::{CompileSettings, Declarative};
/// use takeover_harness::control::Controls as _;
///
/// let idl = Loader::new().with(builtin()).load(["k8s.io/api/core/v1"]).into_result()?;
/// let candidate =
///     Declarative::compile(&idl, "k8s.io/api/core/v1.ReplicationController", &CompileSettings::default()).unwrap();
/// let controls = candidate.controls();
/// let exposure = controls.exposure();
/// // … for every case: `controls.judge(&question, &view, &found, &mut exposure)`
/// let (telling, survivors) = (controls.telling().count(), controls.survivors(&exposure).count());
/// assert!(telling > 0 && telling == survivors);
/// # Ok::<(), takeover_declarative::idl::IdlError>(())
/// ```
#[derive(Debug)]
pub struct Controls {
    candidate: Declarative,
    mutants: Vec<Mutant>,
    catalogue: Vec<Planned>,
    rules: Vec<MutatedRule>,
}

/// A rule and its mutants.
#[derive(Debug)]
struct MutatedRule {
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

    fn holds(self, rule: RuleId, question: &Question<'_>, found: &Answer) -> bool {
        match self {
            Self::Reported => found.errors.iter().any(|error| error.rule == Some(rule)),
            Self::Reached => found.reached.contains(rule),
            Self::Updated => question.operation == Operation::Update,
            Self::Always => true,
        }
    }
}

impl Declarative {
    /// The mutants of all rules, ready to be judged. Takes some milliseconds for a large type.
    #[must_use]
    pub fn controls(&self) -> Controls {
        let mut controls =
            Controls { candidate: self.clone(), mutants: Vec::new(), catalogue: Vec::new(), rules: Vec::new() };
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
                controls.rules.push(MutatedRule { rule: rule.id, sound, faulty });
            }
            controls.mutants.extend(mutants);
        }
        controls.catalogue = controls.mutants.iter().map(planned).collect();
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
        let all = self.mutants.iter().enumerate();
        all.filter(|(at, mutant)| mutant.equivalent.is_none() && !exposure.contains(*at)).map(|(_, mutant)| mutant)
    }

    /// Whether any mutant of the rule is still to be exposed.
    fn watch(&self, control: &MutatedRule, question: &Question<'_>, found: &Answer, exposed: &mut Exposed) -> bool {
        let mut sound = None;
        let mut open = false;
        for Faulty { mutant, when, planted } in &control.faulty {
            if exposed.contains(*mutant) {
                continue;
            }
            if when.holds(control.rule, question, found) {
                let sound = sound.get_or_insert_with(|| {
                    let mut answer = Answer::new();
                    self.candidate.judge(&control.sound, question, true, &mut answer).is_ok().then_some(answer)
                });
                let Some(sound) = sound else { return true };
                let mut faulty = Answer::new();
                let failed = planted.judge(&self.candidate, question, &mut faulty).is_err();
                if failed || differ(sound.errors.as_slice(), faulty.errors.as_slice(), found.errors.as_slice()) {
                    exposed.insert(*mutant);
                    continue;
                }
            }
            open = true;
        }
        open
    }
}

impl control::Controls for Controls {
    fn catalogue(&self) -> &[Planned] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.mutants.len(), self.rules.len())
    }

    /// A mutant is exposed when a candidate with it reports an error of a type, path and origin that the sound one does not
    /// report, or the other way round: what a comparison looks at. On a case that the candidate could not judge nothing can be
    /// said.
    fn judge(&self, question: &Question<'_>, _: &View<'_>, found: &Answer, exposure: &mut Exposure) {
        exposure.watch(|control, exposed| {
            self.rules.get(control).is_some_and(|control| self.watch(control, question, found, exposed))
        });
    }
}

/// Controls that are made when a run asks for them first.
#[derive(Debug)]
pub struct LazyControls {
    candidate: Declarative,
    made: OnceLock<Controls>,
}

impl LazyControls {
    /// The controls of this candidate.
    #[must_use]
    pub fn new(candidate: Declarative) -> Self {
        Self { candidate, made: OnceLock::new() }
    }

    fn get(&self) -> &Controls {
        self.made.get_or_init(|| self.candidate.controls())
    }
}

impl control::Controls for LazyControls {
    fn catalogue(&self) -> &[Planned] {
        self.get().catalogue()
    }

    fn exposure(&self) -> Exposure {
        self.get().exposure()
    }

    fn judge(&self, question: &Question<'_>, view: &View<'_>, found: &Answer, exposure: &mut Exposure) {
        self.get().judge(question, view, found, exposure);
    }
}

fn planned(mutant: &Mutant) -> Planned {
    Planned {
        rule: mutant.rule,
        side: Side::Candidate,
        name: mutant.name.clone(),
        equivalent: mutant.equivalent.map(str::to_owned),
    }
}

/// Whether a comparison tells two answers of a part of the program apart, `whole` being the sound answer of all of it.
///
/// What rules outside of the part report stands in both whole answers: a comparison, which pairs one error with many, sees no
/// difference in an error that one of them repeats.
fn differ(sound: &[FieldError], faulty: &[FieldError], whole: &[FieldError]) -> bool {
    let count =
        |error: &FieldError, errors: &[FieldError]| errors.iter().filter(|other| are_alike(error, other)).count();
    let alone = |error: &FieldError, other: &[FieldError]| {
        count(error, other) == 0 && count(error, whole) <= count(error, sound)
    };
    sound.iter().any(|error| alone(error, faulty)) || faulty.iter().any(|error| alone(error, sound))
}

/// Whether a comparison takes two errors for the same.
fn are_alike(one: &FieldError, other: &FieldError) -> bool {
    one.error_type == other.error_type && one.field == other.field && one.origin == other.origin
}
