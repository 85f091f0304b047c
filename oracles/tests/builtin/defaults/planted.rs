//! Faults planted in what a server sets: each is found at its field, and each is a fault.

use super::shop::{case, id, planted};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::path::pattern;
use takeover_oracles::defaults::Planted;

/// Each is what a request says of a shop. Together, they show every fault.
fn specs() -> Vec<Value> {
    vec![
        json!({}),
        json!({"replicas": 2, "open": false, "protocol": "UDP", "door": {"name": "back", "wings": 3}}),
        json!({"replicas": 0, "open": true, "protocol": "", "door": {"wings": 0}, "ports": [{"number": 1}, {}]}),
        json!({"door": {"name": ""}}),
        json!({"door": {"name": null}}),
        json!({"owner": "ann", "door": {"name": "side"}}),
        json!({"replicas": null, "open": null, "protocol": null, "door": {"wings": null}, "ports": [{"protocol": null}]}),
        json!({"ports": [{"protocol": ""}, {"protocol": "UDP"}]}),
        json!({"config": {"one": 1, "two": 2}, "door": {}, "ports": [{}]}),
    ]
}

/// Each fault, and where it is found first and on what grounds.
const FOUND: [&str; 60] = [
    r#"spec.door: struct not created => spec.door.name default="front""#,
    "spec.door: struct created without its defaults => spec.door default={}",
    r#"spec.door.name: default dropped => spec.door.name default="front""#,
    r#"spec.door.name: another default => spec.door.name default="another""#,
    "spec.door.name: explicit zero not defaulted => spec.door.name default depends on another field",
    "spec.door.name: null not defaulted => spec.door.name default depends on another field",
    "spec.door.name: set value replaced => spec.door.name default changes what is set",
    "spec.door.name: set value removed => spec.door.name default sets more when it is applied again",
    r#"spec.door.name: default set before those that it waits for => spec.door.name default="front""#,
    "spec.door.name: default changes when it is applied again => spec.door.name default sets more when it is applied again",
    "spec.door.name: default depends on the order of fields => spec.door.name default depends on the order of fields",
    "spec.door.wings: default dropped => spec.door.wings default=2",
    "spec.door.wings: another default => spec.door.wings default=2",
    "spec.door.wings: explicit zero replaced => spec.door.wings default changes what is set",
    "spec.door.wings: null not defaulted => spec.door.wings default depends on another field",
    "spec.door.wings: set value replaced => spec.door.wings default changes what is set",
    "spec.door.wings: set value removed => spec.door.wings default sets more when it is applied again",
    "spec.door.wings: default lost beside other fields => spec.door.wings default differs after admission or on a read",
    "spec.door.wings: default set before those that it waits for => spec.door.wings default sets more when it is applied again",
    "spec.door.wings: default changes when it is applied again => spec.door.wings default sets more when it is applied again",
    "spec.door.wings: default depends on the order of fields => spec.door.wings default depends on the order of fields",
    "spec.open: default dropped => spec.open default=true",
    "spec.open: another default => spec.open default=false",
    "spec.open: explicit zero replaced => spec.open default changes what is set",
    "spec.open: null not defaulted => spec.open default depends on another field",
    "spec.open: set value removed => spec.open default sets more when it is applied again",
    "spec.open: default lost beside other fields => spec.open default differs after admission or on a read",
    "spec.open: default set before those that it waits for => spec.open default sets more when it is applied again",
    "spec.open: default changes when it is applied again => spec.open default sets more when it is applied again",
    "spec.open: default depends on the order of fields => spec.open default depends on the order of fields",
    r#"spec.ports[*].protocol: default dropped => spec.ports[0].protocol default="TCP""#,
    r#"spec.ports[*].protocol: another default => spec.ports[0].protocol default="TCP""#,
    r#"spec.ports[*].protocol: default of the first item alone => spec.ports[1].protocol default="TCP""#,
    "spec.ports[*].protocol: explicit zero not defaulted => spec.ports[0].protocol default depends on another field",
    "spec.ports[*].protocol: null not defaulted => spec.ports[0].protocol default depends on another field",
    "spec.ports[*].protocol: set value replaced => spec.ports[1].protocol default changes what is set",
    "spec.ports[*].protocol: set value removed => spec.ports[0].protocol default sets more when it is applied again",
    "spec.ports[*].protocol: default lost beside other fields => spec.ports[0].protocol default depends on another field",
    "spec.ports[*].protocol: default changes when it is applied again => spec.ports[0].protocol default sets more when it is applied again",
    "spec.ports[*].protocol: default depends on the order of fields => spec.ports[0].protocol default depends on the order of fields",
    r#"spec.protocol: default dropped => spec.protocol default="TCP""#,
    r#"spec.protocol: another default => spec.protocol default="TCP""#,
    "spec.protocol: explicit zero not defaulted => spec.protocol default depends on another field",
    "spec.protocol: null not defaulted => spec.protocol default depends on another field",
    "spec.protocol: set value replaced => spec.protocol default changes what is set",
    "spec.protocol: set value removed => spec.protocol default sets more when it is applied again",
    "spec.protocol: default lost beside other fields => spec.protocol default depends on another field",
    "spec.protocol: default set before those that it waits for => spec.protocol default sets more when it is applied again",
    "spec.protocol: default changes when it is applied again => spec.protocol default sets more when it is applied again",
    "spec.protocol: default depends on the order of fields => spec.protocol default depends on the order of fields",
    "spec.replicas: default dropped => spec.replicas default=1",
    "spec.replicas: another default => spec.replicas default=1",
    "spec.replicas: explicit zero replaced => spec.replicas default changes what is set",
    "spec.replicas: null not defaulted => spec.replicas default depends on another field",
    "spec.replicas: set value replaced => spec.replicas default changes what is set",
    "spec.replicas: set value removed => spec.replicas default sets more when it is applied again",
    "spec.replicas: default lost beside other fields => spec.replicas default differs after admission or on a read",
    "spec.replicas: default set before those that it waits for => spec.replicas default sets more when it is applied again",
    "spec.replicas: default changes when it is applied again => spec.replicas default sets more when it is applied again",
    "spec.replicas: default depends on the order of fields => spec.replicas default depends on the order of fields",
];

/// What an engine says of a shop: where, and on what grounds.
fn said(planted: &Planted, fault: Option<usize>, spec: &Value) -> BTreeSet<(String, String)> {
    let (pair, case, arena) = (planted.pair(id()), case(spec.clone()), Arena::new());
    let prepared = pair.prepare(&case, &arena).unwrap();
    let mut answer = Answer::new();
    planted.engine(fault).answer(&prepared.question, &prepared.views.candidate, &mut answer).unwrap();
    answer.errors.iter().map(|error| (error.field.clone(), error.origin.to_string())).collect()
}

/// What the first spec that shows a fault of a field tells of it: of the field itself, if it does.
fn first(planted: &Planted, fault: usize, field: &str) -> Option<String> {
    specs().iter().find_map(|spec| {
        let [sound, faulty] = [None, Some(fault)].map(|fault| said(planted, fault, spec));
        let mut own = sound.symmetric_difference(&faulty).filter(|(at, _)| pattern(at) == field);
        let (field, origin) = own.next().or_else(|| sound.symmetric_difference(&faulty).next())?;
        Some(format!("{field} {origin}"))
    })
}

#[test]
fn every_fault_is_found_at_its_field() {
    let planted = planted();
    let catalogue = planted.controls().catalogue();
    let found: Vec<String> = (0..)
        .zip(catalogue)
        .map(|(at, fault)| {
            let (field, _) = fault.name.split_once(": ").unwrap();
            format!("{} => {}", fault.name, first(&planted, at, field).unwrap_or_default())
        })
        .collect();
    assert_eq!(found, FOUND);
}

#[test]
fn the_cases_that_show_a_fault_are_those_in_which_the_faulty_defaults_say_something_else() {
    let planted = planted();
    let controls = planted.controls();
    for spec in specs() {
        let (pair, case, arena) = (planted.pair(id()), case(spec.clone()), Arena::new());
        let prepared = pair.prepare(&case, &arena).unwrap();
        let mut exposure = controls.exposure();
        controls.judge(&prepared.question, &prepared.views.candidate, &Answer::new(), &mut exposure);
        let sound = said(&planted, None, &spec);
        for (at, fault) in controls.catalogue().iter().enumerate() {
            let differs = said(&planted, Some(at), &spec) != sound;
            assert!(differs || !exposure.contains(at), "{} on {spec}", fault.name);
        }
    }
}
