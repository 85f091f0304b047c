//! The systematic cases of every subject expose nearly all planted faults, and what is left out is left out for a reason.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::judge::Judge;
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::runner::{Budget, CaseSource, Cases as Stream, Chunk, FixedCases, Input, Part, Run, Steering};
use takeover_oracles::registry::Registry;
use takeover_reports::{ControlsReport, Criteria, RuleReport};

/// Of a hundred faults of all subjects, how many the systematic cases expose at least.
const FLOOR: u64 = 99;

/// Of a hundred faults of one subject.
const FLOOR_OF_SUBJECT: u64 = 97;

const SEED: u64 = 11;

/// The cases of one subject.
struct Cases(Generator);

impl CaseSource for Cases {
    fn chunk_len(&self) -> u64 {
        1_024
    }

    fn cases<'c>(&'c self, chunk: Chunk, _: &'c Arena) -> Box<dyn Stream<'c> + 'c> {
        Box::new(FixedCases(self.0.chunk(chunk.number, chunk.seed).map(|made| {
            let shows = made.shows();
            Input::Case { subject: 0, case: made.case, shows }
        })))
    }
}

/// The rules of a subject after its systematic cases, by their paths.
fn judged(subject: Pair) -> Vec<(String, RuleReport)> {
    let generator = Generator::of(&subject, accepted_objects(&subject, &cases_of(&subject)), SEED);
    let budget = Budget::Cases(generator.systematic_len());
    let subjects = [subject];
    let judges = [Judge::new(&subjects[0])];
    let run = Run::new(&judges, NonZeroUsize::new(2).unwrap()).with_controls();
    let free = Steering { stop: &|| false, progress: &|_| {} };
    let evidence = run.generated(&Cases(generator), SEED, budget, Part::default(), free).unwrap().evidence;
    let none = Exceptions::default();
    let criteria = Criteria { policy: &ReadinessPolicy::default(), excuses: &Excuses::of(&none, &evidence) };
    let report = takeover_reports::build(&evidence, &subjects, SEED, &[], criteria);
    let fields = report.subjects.into_iter().flat_map(|subject| subject.fields);
    fields.flat_map(|field| field.rules.into_iter().map(move |rule| (field.field.clone(), rule))).collect()
}

#[test]
fn the_systematic_cases_of_every_subject_expose_nearly_all_planted_faults() {
    let registry = Registry::of_builtin().unwrap();
    let (mut telling, mut exposed, mut survivors) = (0, 0, String::new());
    for id in registry.ids() {
        let rules = judged(registry.pair(&id).unwrap());
        let sum = |of: fn(&ControlsReport) -> u64| rules.iter().map(|(_, rule)| of(&rule.controls)).sum::<u64>();
        let (all, found) = (sum(|controls| controls.telling), sum(|controls| controls.exposed));
        for (path, rule) in rules.iter().filter(|(_, rule)| !rule.controls.survivors.is_empty()) {
            writeln!(survivors, "{id} {path} {}: {:?}", rule.label(), rule.controls.survivors).unwrap();
        }
        assert!(found * 100 >= all * FLOOR_OF_SUBJECT, "{id}: {found} of {all}\n{survivors}");
        (telling, exposed) = (telling + all, exposed + found);
    }
    println!("{exposed} of {telling}\n{survivors}");
    assert!(telling > 4_500 && exposed * 100 >= telling * FLOOR, "{exposed} of {telling}\n{survivors}");
}

#[test]
fn an_endpoint_that_drops_a_field_hides_its_faults_and_the_main_one_exposes_them() {
    let registry = Registry::of_builtin().unwrap();
    let id = |name: &str| registry.ids().into_iter().find(|id| id.to_string() == name).unwrap();
    let spec = |name: &str| {
        let rules = judged(registry.pair(&id(name)).unwrap());
        rules.into_iter().find(|(path, rule)| path == "spec" && rule.label() == "alpha immutable").unwrap().1
    };
    let main = spec("storage.k8s.io/v1 VolumeAttachment").controls;
    assert!(main.telling > 5 && main.survivors.is_empty() && main.hidden.is_empty(), "{main:?}");
    let status = spec("storage.k8s.io/v1 VolumeAttachment/status");
    assert_eq!((status.verdict.to_string().as_str(), status.controls.survivors), ("OUT OF REACH", Vec::new()));
    // The status endpoint sees values that are left as they were, which expose some.
    let (seen, hidden) = (status.controls.telling, status.controls.hidden);
    assert_eq!(seen + hidden.len() as u64, main.telling, "{hidden:?}");
    assert!(hidden.len() > 5 && hidden.iter().all(|fault| fault.reason.contains("drop")), "{hidden:?}");
}
