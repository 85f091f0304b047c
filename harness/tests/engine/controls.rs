//! Watching: which planted faults and which classes of values the cases of a run show.

use crate::fakes::{COUNT, NAME, count, counting, honest_reference, pair, rules_with_minimum};
use std::num::NonZeroUsize;
use takeover_harness::case::{Case, Operation, Provenance};
use takeover_harness::control::{Control, Controls, Exposure};
use takeover_harness::evidence::{CasePlace, Evidence, PairEvidence};
use takeover_harness::form::{Form, Strategy};
use takeover_harness::judge::Judge;
use takeover_harness::object::{Arena, Edit};
use takeover_harness::oracle::{Answer, Objects, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::rule::{Boundary, Sample};
use takeover_harness::runner::{Budget, CaseSource, Cases, Chunk, FixedCases, Input, Part, Run, Shown, Steering};
use takeover_harness::side::Side;

/// Two faults of the rule on `count`: one shows on zero, the other nowhere.
struct Faults(Vec<Control>);

impl Faults {
    fn new() -> Self {
        let fault = |name: &str| Control { rule: COUNT, side: Side::Candidate, name: name.into(), equivalent: None };
        Self(vec![fault("bound one higher"), fault("shows nowhere")])
    }
}

impl Controls for Faults {
    fn catalogue(&self) -> &[Control] {
        &self.0
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(2, 1)
    }

    fn judge(&self, question: &Question<'_>, _: &View<'_>, _: &Answer, exposure: &mut Exposure) {
        exposure.watch(|_, exposed| {
            if count(question) == 0 {
                exposed.insert(0);
            }
            true
        });
    }
}

const CHUNK: u64 = 10;

/// Counts upwards from below zero; each case shows the class of its count.
struct Upwards;

impl CaseSource for Upwards {
    fn chunk_len(&self) -> u64 {
        CHUNK
    }

    fn cases<'c>(&'c self, Chunk { number, seed, .. }: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        Box::new(FixedCases((0..CHUNK).map(move |index| {
            let value = i64::try_from(number * CHUNK + index).unwrap() - 25;
            let planted = format!("count {value}");
            let provenance = Provenance::Generated { seed, chunk: number, index, planted };
            let shows = vec![Shown { rule: COUNT, class: usize::from(value >= 0), kept: false }];
            Input::Case { subject: 0, case: Case { provenance, ..counting(value) }, shows }
        })))
    }
}

fn watched() -> Pair {
    let mut pair = pair(honest_reference(), rules_with_minimum(0));
    pair.controls = Some(Box::new(Faults::new()));
    let class =
        |class: &str, breaks| Boundary { class: class.into(), breaks, sample: Sample::Absent, options: Vec::new() };
    pair.rules[COUNT.index()].boundaries = vec![class("below", true), class("on or above", false)];
    pair
}

fn run(pair: &Pair, threads: usize) -> Evidence {
    let judges = [Judge::new(pair)];
    let run = Run::new(&judges, NonZeroUsize::new(threads).unwrap()).with_controls();
    let free = Steering { stop: &|| false, progress: &|_| {} };
    run.generated(&Upwards, 1, Budget::Cases(60), Part::default(), free).unwrap().evidence
}

fn exposed(evidence: &PairEvidence) -> Vec<(String, Option<CasePlace>)> {
    let controls = evidence.controls().iter().enumerate().filter(|(_, control)| control.rule == COUNT);
    controls.map(|(index, control)| (format!("{} {}", control.side, control.name), evidence.exposed(index))).collect()
}

#[test]
fn faults_are_exposed_by_the_first_case_that_shows_them_however_many_threads() {
    let pair = watched();
    let once = run(&pair, 1);
    let at = |chunk, index| Some(CasePlace::generated(chunk, index));
    assert_eq!(
        exposed(once.pair(&pair.id).unwrap()),
        [
            ("candidate bound one higher".to_owned(), at(2, 5)),
            ("candidate shows nowhere".to_owned(), None),
            ("reference error dropped".to_owned(), at(0, 0)),
            ("reference error at its parent".to_owned(), at(0, 0)),
            ("reference error added".to_owned(), at(2, 5)),
        ]
    );
    for threads in [2, 5] {
        assert_eq!(run(&pair, threads).to_json().unwrap(), once.to_json().unwrap(), "{threads} threads");
    }
}

#[test]
fn faults_of_rules_that_no_case_reaches_survive() {
    let pair = watched();
    let evidence = run(&pair, 1);
    let evidence = evidence.pair(&pair.id).unwrap();
    let of_name = evidence.controls().iter().enumerate().filter(|(_, control)| control.rule == NAME);
    let exposed: Vec<_> = of_name.map(|(index, _)| evidence.exposed(index)).collect();
    assert_eq!(exposed, [None; 3]);
}

#[test]
fn classes_count_when_the_rule_answers_as_they_have_it() {
    let mut pair = watched();
    let classes = |pair: &Pair| {
        let evidence = run(pair, 2);
        evidence.pair(&pair.id).unwrap().operation(Operation::Create).rules[COUNT.index()].classes.clone()
    };
    assert_eq!(classes(&pair), [25, 35]);
    // A rule that wrongly accepts -1 does not show the class there.
    pair.candidate = rules_with_minimum(-1);
    assert_eq!(classes(&pair), [24, 35]);
}

/// Takes the count away, as a request does with `status`.
struct Wiping;

impl Strategy for Wiping {
    fn prepare<'a>(&self, _: Operation, _: &str, objects: &Objects<'a>, arena: &'a Arena) -> Objects<'a> {
        let mut object = Edit::new(objects.schema, arena, objects.root, objects.new);
        object.clear("count");
        Objects { new: object.finish(), ..*objects }
    }
}

#[test]
fn values_that_the_request_takes_away_show_no_class() {
    let pair = watched();
    let pair = Pair { form: Form { strategy: Some(Box::new(Wiping)), ..pair.form }, ..pair };
    let evidence = run(&pair, 1);
    let rule = &evidence.pair(&pair.id).unwrap().operation(Operation::Create).rules[COUNT.index()];
    // A count of zero is as good as none: nothing was taken away there.
    assert_eq!((rule.wiped, rule.classes.as_slice()), (59, [0, 1].as_slice()));
}
