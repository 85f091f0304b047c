//! Every planted fault, in a whole comparison: the sound candidate stands as the reference, the faulty one is compared with it.

use std::collections::BTreeMap;
use takeover_corpora::generate::Generator;
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::control::Controls as _;
use takeover_harness::error::Stability;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, consult};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::{Controls, Declarative, Mutant};
use takeover_oracles::registry::Registry;

/// What came of the faults of one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases on which the sound candidate was compared with itself.
    pub same: u64,
    /// Of these, cases on which it disagreed with itself. None, or the harness lies.
    pub disagreed: u64,
    /// Faults that a case can tell from the rule.
    pub telling: u64,
    /// Faults that the comparison found and laid to their rule.
    pub attributed: u64,
    /// Faults that it found and laid to other rules alone: those that the faulty one should have stopped, or told apart for.
    pub elsewhere: u64,
    /// Faults that a case showed and that the comparison did not find. None, or the harness is blind.
    pub unseen: Vec<String>,
    /// Faults that no case showed, by name.
    pub unshown: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds what came of another subject.
    pub fn merge(&mut self, other: Self) {
        self.same += other.same;
        self.disagreed += other.disagreed;
        self.telling += other.telling;
        self.attributed += other.attributed;
        self.elsewhere += other.elsewhere;
        self.unseen.extend(other.unseen);
        for (name, count) in other.unshown {
            *self.unshown.entry(name).or_default() += count;
        }
    }

    /// Faults that no case showed.
    pub fn survivors(&self) -> u64 {
        self.unshown.values().sum()
    }
}

/// A subject whose reference is its own candidate, and what is planted in it.
pub struct Divergences {
    sound: Pair,
    /// The same, to put faulty candidates in.
    faulty: Pair,
    candidate: Declarative,
    controls: Controls,
}

/// The candidate of a subject, as its reference.
struct AsReference(Declarative);

impl Oracle for AsReference {
    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn answer(&self, question: &Question<'_>, view: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let before = answer.errors.len();
        self.0.answer(question, view, answer)?;
        for error in answer.errors.since_mut(before) {
            error.covered_by_declarative = true;
        }
        Ok(())
    }
}

/// A candidate all of whose errors take part in the comparison, whatever the levels of its rules.
struct Compared(Box<dyn Oracle>);

impl Oracle for Compared {
    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn view(&self, objects: &Objects<'_>) -> Result<View, OracleFailure> {
        self.0.view(objects)
    }

    fn answer(&self, question: &Question<'_>, view: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let before = answer.errors.len();
        self.0.answer(question, view, answer)?;
        for error in answer.errors.since_mut(before) {
            error.stability = Some(Stability::Alpha);
        }
        Ok(())
    }
}

impl Divergences {
    /// Those of a subject.
    ///
    /// # Errors
    /// When there is no such subject.
    pub fn of(registry: &Registry, id: &SubjectId) -> anyhow::Result<Self> {
        let (_, candidate) = registry.candidate(id)?;
        let compared = || -> anyhow::Result<Pair> {
            // Nothing is set aside here: the question is what the comparison sees.
            Ok(Pair {
                reference: Box::new(AsReference(candidate.clone())),
                candidate: Box::new(Compared(Box::new(candidate.clone()))),
                delegated: Vec::new(),
                ..registry.pair(&id.clone().into())?
            })
        };
        Ok(Self { sound: compared()?, faulty: compared()?, controls: candidate.controls(), candidate })
    }

    /// Compares over `cases` generated cases: the candidate with itself, and each faulty one on the first case that shows its
    /// fault.
    pub fn run(mut self, cases: u64, seed: u64) -> Tally {
        let mut tally = Tally { telling: self.controls.telling().count() as u64, ..Tally::default() };
        let mut exposure = self.controls.exposure();
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let generator = Generator::of(&self.sound, Vec::new(), seed);
        let judge = Judge::new(&self.sound);
        let chunks = (0_u64..).flat_map(|number| generator.chunk(number, seed.wrapping_add(number)));
        for generated in chunks.take(usize::try_from(cases).unwrap_or(usize::MAX)) {
            let verdict = judge.case_then(&generated.case, &mut arena, &mut record, |prepared, _, _| {
                if let Ok(found) = consult(&self.candidate, &prepared.question) {
                    self.controls.judge(&prepared.question, &prepared.views.candidate, &found, &mut exposure);
                }
            });
            if matches!(verdict, Judgement::Compared(_)) {
                tally.same += 1;
                tally.disagreed += u64::from(!record.differences.is_empty() || !record.panics.is_empty());
            }
            for mutant in exposure.fresh().filter_map(|index| self.controls.mutants().get(index)) {
                self.faulty.candidate = Box::new(Compared(Box::new(self.candidate.mutated(mutant))));
                compare_faulty(&self.faulty, mutant, &generated.case, &mut arena, &mut record, &mut tally);
            }
        }
        for mutant in self.controls.survivors(&exposure) {
            *tally.unshown.entry(mutant.name.clone()).or_default() += 1;
        }
        tally
    }
}

/// A faulty candidate against the sound one, on a case that shows the fault.
fn compare_faulty(
    pair: &Pair,
    mutant: &Mutant,
    case: &Case,
    arena: &mut Arena,
    record: &mut CaseRecord,
    tally: &mut Tally,
) {
    let _ = Judge::new(pair).case(case, arena, record);
    if record.differences.iter().any(|difference| difference.rules.contains(&mutant.rule)) || !record.panics.is_empty()
    {
        tally.attributed += 1;
    } else if !record.differences.is_empty() {
        tally.elsewhere += 1;
    } else {
        let rule = pair.rules.get(mutant.rule.index());
        let rule = rule.map_or_else(String::new, |rule| format!("{} {}", rule.path, rule.label()));
        tally.unseen.push(format!("{} {rule}: {mutant}, on {}", pair.id, case.provenance));
    }
}
