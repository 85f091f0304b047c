//! Every planted fault, in a whole comparison: the sound candidate stands as the reference, the faulty one is compared with it.

use serde::Serialize;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use takeover_corpora::generate::{GeneratedCase, Generator, GeneratorSettings};
use takeover_harness::case::{Case, Operation};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::control::Controls as _;
use takeover_harness::error::Stability;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, consult};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Budget, CaseSource, Cases, Chunk, FixedCases, Input, Part, Run, Steering};
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
    /// Faults that a request of their subject can tell from the rule.
    pub telling: u64,
    /// Faults of rules to which no request of the subject brings a value, so that none can be told.
    pub out_of_reach: u64,
    /// Faults that the comparison found and attributed to their rule.
    pub attributed: u64,
    /// Faults that it found and attributed to other rules alone: those that the faulty one should have stopped, or told apart for.
    pub elsewhere: u64,
    /// The same one by one, where faults are planted in what a server sets, applies, or reads from a CRD or policy.
    pub found: Vec<FoundFault>,
    /// Faults that a case showed and that the comparison did not find. None, or the harness is blind.
    pub unseen: Vec<String>,
    /// Faults that no case showed, by name.
    pub unshown: BTreeMap<String, u64>,
}

/// A fault that the comparison found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundFault {
    /// Where it is planted, and what it is.
    pub fault: String,
    /// The first difference that the fault makes, at its rule if there is one there: the side, the field and the message.
    pub found: String,
}

impl Tally {
    /// Adds what came of another subject.
    pub fn merge(&mut self, other: Self) {
        self.same += other.same;
        self.disagreed += other.disagreed;
        self.telling += other.telling;
        self.out_of_reach += other.out_of_reach;
        self.attributed += other.attributed;
        self.elsewhere += other.elsewhere;
        self.found.extend(other.found);
        self.unseen.extend(other.unseen);
        for (name, count) in other.unshown {
            *self.unshown.entry(name).or_default() += count;
        }
    }

    /// Faults that no case showed.
    pub fn survivors(&self) -> u64 {
        self.unshown.values().sum()
    }

    /// Faults that the comparison found.
    pub fn exposed(&self) -> u64 {
        self.attributed + self.elsewhere
    }

    /// The share of the faults that no case showed, of those that can be told.
    pub fn share_unshown(&self) -> f64 {
        if self.telling == 0 { 0.0 } else { self.survivors() as f64 / self.telling as f64 }
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

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
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

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.0.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
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
    /// fault. A fault that is not found there, or not attributed to its rule, gets as many as [`MOST_TRIALS`] more cases of its rule.
    pub fn run(mut self, cases: u64, seed: u64) -> Tally {
        let mut tally = Tally::default();
        let mut exposure = self.controls.exposure();
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let generator = Generator::of(&self.sound, Vec::new(), seed);
        let judge = Judge::new(&self.sound);
        let mut fates: BTreeMap<usize, Fate> = BTreeMap::new();
        let chunks = (0_u64..).flat_map(|number| generator.chunk(number, seed.wrapping_add(number)));
        for generated in chunks.take(usize::try_from(cases).unwrap_or(usize::MAX)) {
            let mut reached = Vec::new();
            let verdict = judge.case_then(&generated.case, &mut arena, &mut record, |prepared, _| {
                if let Ok(found) = consult(&self.candidate, &prepared.question) {
                    self.controls.judge(&prepared.question, &prepared.views.candidate, &found, &mut exposure);
                    reached.extend(found.reached.iter());
                }
            });
            if matches!(verdict, Judgement::Compared(_)) {
                tally.same += 1;
                tally.disagreed += u64::from(!record.differences.is_empty() || !record.panics.is_empty());
            }
            for index in exposure.fresh() {
                fates.insert(index, Fate::default());
            }
            for (index, fate) in fates.iter_mut().filter(|(_, fate)| fate.is_open()) {
                let Some(mutant) = self.controls.mutants().get(*index) else { continue };
                if fate.trials > 0 && !reached.contains(&mutant.rule) {
                    continue;
                }
                self.faulty.candidate = Box::new(Compared(Box::new(self.candidate.mutated(mutant))));
                fate.add(&self.faulty, mutant, &generated.case, &mut arena, &mut record);
            }
        }
        for (index, fate) in fates {
            match (fate.found, self.controls.mutants().get(index)) {
                (Found::AtItsRule, _) => tally.attributed += 1,
                (Found::Elsewhere, _) => tally.elsewhere += 1,
                (Found::Nowhere, Some(mutant)) => {
                    tally.unseen.push(format!("{}, on {}", self.fault(mutant), fate.first))
                }
                (Found::Nowhere, None) => {}
            }
        }
        let evidence = self.evidence(&generator, cases, seed);
        for mutant in self.controls.survivors(&exposure) {
            if evidence.as_ref().is_some_and(|evidence| self.is_out_of_reach(mutant, evidence)) {
                tally.out_of_reach += 1;
            } else {
                *tally.unshown.entry(self.fault(mutant)).or_default() += 1;
            }
        }
        tally.telling = self.controls.telling().count() as u64 - tally.out_of_reach;
        tally
    }

    /// Where a fault is planted, and what it is.
    fn fault(&self, mutant: &Mutant) -> String {
        let rule = self.sound.rules.get(mutant.rule.index());
        let rule = rule.map_or_else(String::new, |rule| format!("{} {}", rule.path, rule.label()));
        format!("{} {rule}: {mutant}", self.sound.id)
    }

    /// What a run over the same number of cases learns of the rules: whether requests bring them values at all.
    fn evidence(&self, generator: &Generator, cases: u64, seed: u64) -> Option<Evidence> {
        let judges = [Judge::new(&self.sound)];
        let free = Steering { stop: &|| false, progress: &|_| {} };
        let run = Run::new(&judges, NonZeroUsize::MIN);
        let result = run.generated(&Generated(generator), seed, Budget::Cases(cases), Part::default(), free);
        result.ok().map(|result| result.evidence)
    }

    /// Whether nothing that requests bring can show the fault.
    fn is_out_of_reach(&self, mutant: &Mutant, evidence: &Evidence) -> bool {
        let Some((rule, of)) = self.sound.rules.get(mutant.rule.index()).zip(evidence.pair(&self.sound.id)) else {
            return false;
        };
        let judged =
            self.sound.operations().iter().filter(|operation| !(rule.update_only && **operation == Operation::Create));
        // What arrives and is stopped every time is a gap of the cases, and no excuse.
        judged
            .filter_map(|operation| of.operation(*operation).rules.get(rule.id.index()))
            .all(|evidence| evidence.wiped > 0 && evidence.arrived == 0 && evidence.counts.agreed_reject == 0)
    }
}

/// How many further cases a fault gets that its first case does not lay to its rule.
const MOST_TRIALS: u32 = 32;

/// Where the comparison found a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    #[default]
    Nowhere,
    /// At rules that the faulty one stops or steers.
    Elsewhere,
    AtItsRule,
}

/// What became of a fault that a case showed.
#[derive(Default)]
struct Fate {
    found: Found,
    trials: u32,
    /// The case that showed it first.
    first: String,
}

impl Fate {
    fn is_open(&self) -> bool {
        self.found != Found::AtItsRule && self.trials <= MOST_TRIALS
    }

    /// Compares the faulty candidate with the sound one on a case.
    fn add(&mut self, pair: &Pair, mutant: &Mutant, case: &Case, arena: &mut Arena, record: &mut CaseRecord) {
        if self.trials == 0 {
            self.first = case.provenance.to_string();
        }
        self.trials += 1;
        let _ = Judge::new(pair).without_causes().case(case, arena, record);
        let at_its_rule = record.differences.iter().any(|difference| difference.rules.contains(&mutant.rule));
        let found = if at_its_rule || !record.panics.is_empty() {
            Found::AtItsRule
        } else if record.differences.is_empty() {
            Found::Nowhere
        } else {
            Found::Elsewhere
        };
        self.found = self.found.max(found);
    }
}

/// The cases of a generator.
struct Generated<'g>(&'g Generator);

impl CaseSource for Generated<'_> {
    fn chunk_len(&self) -> u64 {
        GeneratorSettings::new(SubjectId::new("", ""), 0).chunk_size
    }

    fn cases<'c>(&'c self, chunk: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        let cases = self.0.chunk(chunk.number, chunk.seed);
        let input = |made: GeneratedCase<'static>| Input::Case { subject: 0, shows: made.shows(), case: made.case };
        Box::new(FixedCases(cases.map(input)))
    }
}
