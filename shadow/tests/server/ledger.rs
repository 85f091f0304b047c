//! What is known of everything that was gathered.

use crate::running::setup;
use crate::things::MISSED;
use serde_json::json;
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::evidence::{CasePlace, Sighting};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_shadow::certificate::make;
use takeover_shadow::ledger::{Gathered, Ledger, nothing};
use takeover_shadow::metrics::Meters;
use takeover_shadow::plan::ShadowPlan;
use takeover_shadow::settings::{Limits, Privacy};

fn plan() -> ShadowPlan {
    setup(&Arc::default(), &make(&["localhost".to_owned()]).unwrap()).plan
}

fn provenance() -> Provenance {
    Provenance::File { path: "a".to_owned(), document: 1, line: 1 }
}

/// What a worker has of three cases, each with a private name.
fn gathered(plan: &ShadowPlan, name: &str) -> Gathered {
    let mut gathered = nothing(plan);
    let place = CasePlace::default();
    let sighting = || Sighting { place, provenance: provenance(), message: format!("{name} is wrong") };
    gathered.outside.record_outside("outside", sighting());
    let evidence = gathered.pairs.first_mut().unwrap();
    evidence.record_unusable(Operation::Create, true, "undecodable", sighting());
    let object = json!({"kind": "Thing", "apiVersion": "v1", "count": MISSED, "name": name});
    let case = Case {
        operation: Operation::Create,
        object: Payload::from(object),
        old: None,
        options: Options::new(),
        provenance: provenance(),
    };
    let judge = Judge::new(plan.pairs.first().unwrap());
    let mut record = CaseRecord::new();
    let verdict = judge.case(&case, &mut Arena::new(), &mut record);
    evidence.record(CasePlace::recorded(0, 1), &case, &verdict, &record);
    gathered
}

#[test]
fn what_was_gathered_while_values_were_kept_comes_without_them_once_they_are_not() {
    let plan = plan();
    let meters = Meters::new(&plan, &Limits::default(), "").unwrap();
    let ledger = Ledger::new(&plan, None).unwrap();
    // The settings as they were when the worker began.
    let privacy = Privacy { keep_samples: true, ..Privacy::default() };
    let add = |name: &str| {
        ledger.add(gathered(&plan, name), &meters, &privacy, jiff::Timestamp::UNIX_EPOCH).unwrap();
        let evidence = ledger.copy().0;
        (evidence.cases(), evidence.to_json().unwrap().matches("private").count())
    };
    ledger.keep_samples(true, &meters);
    let (cases, values) = add("private");
    assert_eq!(cases, 3);
    assert!(values >= 3, "{values}");
    ledger.keep_samples(false, &meters);
    assert!(!ledger.copy().0.to_json().unwrap().contains("private"));
    assert_eq!(add("private"), (6, 0));
}

#[test]
fn samples_of_several_workers_are_bounded_together() {
    let plan = plan();
    let meters = Meters::new(&plan, &Limits::default(), "").unwrap();
    let ledger = Ledger::new(&plan, None).unwrap();
    ledger.keep_samples(true, &meters);
    let room = ledger.room();
    let add = |bytes: usize| {
        let gathered = gathered(&plan, &"p".repeat(bytes));
        ledger.add(gathered, &meters, &Privacy::default(), jiff::Timestamp::UNIX_EPOCH).unwrap();
        ledger.room()
    };
    assert_eq!(add(usize::try_from(room).unwrap()), room, "one that is larger than what may be kept altogether");
    let left = add(1000);
    assert!(left < room - 1000);
    assert_eq!(add(2000), left, "the smaller one stays");
    assert_eq!(meters.samples.get(), 1);
}
