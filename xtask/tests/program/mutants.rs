//! The generator's cases expose the mutants of every shipped rule, but for a known few.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use takeover_corpora::generate::{GeneratedCase, Generator, GeneratorSettings};
use takeover_harness::case::Payload;
use takeover_harness::control::{Controls as _, Exposure};
use takeover_harness::error::{ErrorList, ErrorType};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, Oracle as _, Question, View};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::{Controls, Declarative, Mutant, Mutated};
use takeover_oracles::registry::Registry;

/// What became of the mutants of all kinds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    mutants: usize,
    equivalent: usize,
    killed: usize,
    /// How often a mutant of this tag and name survived, and where first.
    survivors: BTreeMap<(String, String), (usize, String)>,
}

struct Kind {
    schema: Arc<Schema>,
    root: TypeId,
    oracle: Declarative,
    controls: Controls,
    exposure: Exposure,
    /// Mutants that no case tells from their rules, but where that is due to defaults, which nothing fills in here.
    equivalent: Vec<(Mutant, Mutated)>,
    /// One that the type serves, without slash.
    subresource: String,
}

/// What a comparison sees of the errors.
fn seen(errors: &ErrorList) -> BTreeSet<(ErrorType, &str, &str)> {
    errors.iter().map(|error| (error.error_type, error.field.as_str(), error.origin.as_ref())).collect()
}

impl Kind {
    /// Judges a case by the controls, and by whole runs of what should make no difference if `thorough`.
    fn judge(&mut self, generated: &GeneratedCase, thorough: bool, arena: &mut Arena) {
        arena.reset();
        let value = |payload: &Payload| payload.to_value().unwrap();
        let new = value(&generated.case.object);
        let old = generated.case.old.as_ref().map(value);
        let decode = |object| from_value(&self.schema, self.root, object, arena).ok();
        let Some(new) = decode(&new) else { return };
        let old = match &old {
            Some(old) => match decode(old) {
                Some(old) => Some(old),
                None => return,
            },
            None => None,
        };
        let question = Question {
            operation: generated.case.operation,
            objects: Objects { schema: &self.schema, root: self.root, new, old, sent: None },
            options: &generated.case.options,
            subresource: &self.subresource,
        };
        let (view, mut found) = (View::none(), Answer::new());
        if self.oracle.answer(&question, &view, &mut found).is_ok() {
            self.controls.judge(&question, &view, &found, &mut self.exposure);
            for (mutant, mutated) in self.equivalent.iter().filter(|_| thorough) {
                let mut answer = Answer::new();
                let judged = mutated.answer(&question, &view, &mut answer).is_ok();
                let rule = &self.oracle.rules()[mutant.rule.index()];
                let what = || format!("{} {}: {mutant} ({:?})", rule.path, rule.chain, mutant.equivalent);
                assert!(
                    judged && seen(&answer.errors) == seen(&found.errors),
                    "{}: {:?}",
                    what(),
                    generated.case.object
                );
            }
        }
    }
}

#[test]
fn generated_cases_expose_the_mutants_of_every_shipped_rule() {
    let registry = Registry::of_builtin().unwrap();
    let mut tally = Tally::default();
    let mut arena = Arena::new();
    for known in registry.kinds() {
        let id = SubjectId::new(&*known.api_version, &*known.kind);
        let (root, oracle) = registry.candidate(&id).unwrap();
        let schema = Arc::clone(registry.schema());
        let controls = oracle.controls();
        let settings = GeneratorSettings::new(id.clone(), 11);
        let generator = Generator::new(Arc::clone(&schema), root, oracle.rules(), Vec::new(), settings);
        let exposure = controls.exposure();
        let known = controls.mutants().iter().filter(|mutant| mutant.equivalent.is_some());
        let known = known.filter(|mutant| !oracle.rules()[mutant.rule.index()].after_default);
        let equivalent = known.map(|mutant| (mutant.clone(), oracle.mutated(mutant))).collect();
        let served = oracle.subresources().first().map(|path| path.trim_matches('/').to_owned());
        let subresource = served.unwrap_or_default();
        let mut kind = Kind { schema, root, oracle, controls, exposure, equivalent, subresource };
        for number in 0..=generator.systematic_len() / 1_000 {
            for (index, generated) in generator.chunk(number, 3 + number).enumerate() {
                kind.judge(&generated, index % 4 == 0, &mut arena);
            }
        }
        let mutants = kind.controls.mutants();
        tally.mutants += mutants.len();
        tally.equivalent += mutants.iter().filter(|mutant| mutant.equivalent.is_some()).count();
        let survivors: Vec<_> = kind.controls.survivors(&kind.exposure).collect();
        tally.killed += kind.controls.telling().count() - survivors.len();
        for mutant in survivors {
            let rule = &kind.oracle.rules()[mutant.rule.index()];
            let key = (rule.tag.clone(), mutant.name.clone());
            let place = || (0, format!("{id} {} {}", rule.path, rule.chain));
            tally.survivors.entry(key).or_insert_with(place).0 += 1;
        }
    }
    println!("{tally:#?}");
    let telling = tally.mutants - tally.equivalent;
    assert!(tally.killed * 10 >= telling * 9, "{} of {telling} killed: {:#?}", tally.killed, tally.survivors);
}
