//! Faults planted in the defaults of code, each found at its field, by the law or value that it breaks.

use super::shop::{Code, case, differences, found, pair, pair_after, sound, sound_of_others};
use serde_json::{Value, json};
use takeover_handwritten::kind::Defaults;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome};
use takeover_harness::object::{Arena, Edit, Json, Node};
use takeover_harness::oracle::Answer;
use takeover_oracles::defaults::{CHANGED, DEPENDENT, INVALID, LATER, REMOVED, UNORDERED, UNSTEADY};

/// The defaulter `sound` with a fault after it.
macro_rules! faulty {
    ($fault:expr) => {{
        fn code(shop: &mut Edit<'_>) {
            let fault: fn(&mut Edit<'_>) = $fault;
            shop.edit("spec", fault);
            sound(shop);
        }
        code as Code
    }};
}

#[test]
fn sound_defaults_agree_with_their_markers() {
    for spec in
        [json!({}), json!({"ports": [{}, {"protocol": "UDP"}]}), json!({"replicas": 0, "open": false, "door": null})]
    {
        assert_eq!(found(sound, &spec), [""; 0], "{spec}");
    }
}

#[test]
fn planted_faults_are_found_at_the_field() {
    let rows: [(&str, Code, Value, &[&str]); 21] = [
        (
            "a default that admission removes and that is not set again",
            faulty!(|spec| if spec.get("open").is_unset() {
                spec.set_default_text("owner", "nobody");
            }),
            json!({"protocol": "UDP"}),
            &[&format!("extra spec.owner {LATER}")],
        ),
        (
            "a default that an item does not take which admission adds",
            |shop| {
                shop.edit("spec", |spec| {
                    spec.set_default("replicas", Node::Int(1));
                    if spec.get("ports").items().len() == 1 {
                        spec.edit_each("ports", |port| port.set_default_text("protocol", "TCP"));
                    }
                });
                sound_of_others(shop);
            },
            json!({"ports": [{"number": 1}]}),
            &[&format!("extra spec.ports[1].protocol {LATER}")],
        ),
        (
            "a default behind a pointer that is lost where a list is unset",
            |shop| {
                shop.edit("spec", |spec| {
                    if !spec.get("ports").is_unset() {
                        spec.set_default("replicas", Node::Int(1));
                    }
                    spec.edit_each("ports", |port| port.set_default_text("protocol", "TCP"));
                });
                sound_of_others(shop);
            },
            json!({}),
            &["extra spec.replicas default=1"],
        ),
        (
            "a null item with the default of another",
            faulty!(|spec| spec.edit_each("ports", |port| if port.get("number").is_unset() {
                port.set_default_text("protocol", "UDP");
            })),
            json!({"ports": [null]}),
            &["extra spec.ports[0].protocol default=\"TCP\"", "missing spec.ports[0].protocol default=\"UDP\""],
        ),
        (
            "a default that validation rejects",
            faulty!(|spec| spec.set_default("replicas", Node::Int(3))),
            json!({}),
            &[
                &format!("extra spec.replicas {INVALID}"),
                "extra spec.replicas default=1",
                "missing spec.replicas default=3",
            ],
        ),
        (
            "a default that another field keeps away",
            |shop| {
                shop.edit("spec", |spec| {
                    if spec.text("owner") != "me" {
                        spec.set_default_text("owner", "nobody");
                        spec.set_default("labels", Node::Map(&[]));
                    }
                });
                sound(shop);
            },
            json!({"owner": "me"}),
            &[],
        ),
        (
            "a wrong constant",
            faulty!(|spec| spec.set_default("replicas", Node::Int(2))),
            json!({}),
            &["extra spec.replicas default=1", "missing spec.replicas default=2"],
        ),
        (
            "an explicit zero behind a pointer",
            faulty!(|spec| if matches!(spec.get("replicas"), Node::Int(0)) {
                spec.set("replicas", Node::Int(1));
            }),
            json!({"replicas": 0}),
            &[&format!("extra spec.replicas {CHANGED}")],
        ),
        (
            "an explicit false behind a pointer",
            faulty!(|spec| if matches!(spec.get("open"), Node::Bool(false)) {
                spec.set("open", Node::Bool(true));
            }),
            json!({"open": false}),
            &[&format!("extra spec.open {CHANGED}")],
        ),
        (
            "another default in the items of a list",
            faulty!(|spec| spec.edit_each("ports", |port| port.set_default_text("protocol", "UDP"))),
            json!({"ports": [{"number": 1}]}),
            &["extra spec.ports[0].protocol default=\"TCP\"", "missing spec.ports[0].protocol default=\"UDP\""],
        ),
        (
            "a default that depends on another field",
            faulty!(|spec| if spec.text("owner") == "me" {
                spec.set_default("replicas", Node::Int(3));
            }),
            json!({"owner": "me"}),
            &[
                &format!("extra spec.replicas {DEPENDENT}"),
                "extra spec.replicas default=1",
                "missing spec.replicas default=3",
            ],
        ),
        (
            "a default that depends on a struct beside it",
            faulty!(|spec| if !spec.get("door").is_unset() {
                spec.set_default("replicas", Node::Int(2));
            }),
            json!({"door": {"name": "back"}}),
            &[
                &format!("extra spec.replicas {DEPENDENT}"),
                "extra spec.replicas default=1",
                "missing spec.replicas default=2",
            ],
        ),
        (
            "a default inside a struct that depends on a list beside it",
            faulty!(|spec| if !spec.get("ports").is_unset() {
                spec.edit_if_set("door", |door| door.set_default("wings", Node::Int(1)));
            }),
            json!({"door": {"name": "back"}, "ports": [{"protocol": "UDP"}]}),
            &[
                &format!("extra spec.door.wings {DEPENDENT}"),
                "extra spec.door.wings default=2",
                "missing spec.door.wings default=1",
            ],
        ),
        (
            "a default that a list beside it keeps away",
            faulty!(|spec| if spec.get("ports").is_unset() {
                spec.set_default_text("owner", "nobody");
            }),
            json!({"ports": [{"protocol": "UDP"}]}),
            &[&format!("extra spec.owner {DEPENDENT}")],
        ),
        (
            "a default that depends on what stands between two others",
            faulty!(|spec| if let Node::Raw(Json::Object([_, ("b", _), _])) = spec.get("config") {
                spec.set_default_text("owner", "nobody");
            }),
            json!({"config": {"a": 1, "b": 2, "c": 3}}),
            &[&format!("extra spec.owner {DEPENDENT}"), &format!("extra spec.owner {UNORDERED}")],
        ),
        (
            "a value that is replaced",
            faulty!(|spec| if spec.text("protocol") == "udp" {
                spec.set("protocol", Node::Text("UDP"));
            }),
            json!({"protocol": "udp"}),
            &[&format!("extra spec.protocol {CHANGED}")],
        ),
        (
            "a value that is taken away",
            faulty!(|spec| spec.set("owner", Node::Unset)),
            json!({"owner": "me"}),
            &[&format!("extra spec.owner {REMOVED}")],
        ),
        (
            "a default that grows each time",
            faulty!(|spec| if let Node::Int(number) = spec.get("replicas") {
                spec.set("replicas", Node::Int(number + 1));
            }),
            json!({}),
            &[&format!("extra spec.replicas {UNSTEADY}")],
        ),
        (
            "a struct behind a pointer without the default of its marker",
            faulty!(|spec| spec.edit("door", |door| door.set("name", Node::Text("back")))),
            json!({}),
            &["extra spec.door.name default=\"front\"", "missing spec.door.name default=\"back\""],
        ),
        (
            "a default inside a struct that is set before it",
            faulty!(|spec| spec.edit_if_set("door", |door| door.set_default("wings", Node::Int(1)))),
            json!({"door": {"name": "back"}}),
            &["extra spec.door.wings default=2", "missing spec.door.wings default=1"],
        ),
        (
            "an order of items",
            faulty!(reversed),
            json!({"ports": [{"number": 1, "protocol": "a"}, {"number": 2, "protocol": "a"}]}),
            &[
                &format!("extra spec.ports[0].number {CHANGED}"),
                &format!("extra spec.ports[0].number {UNSTEADY}"),
                &format!("extra spec.ports[1].number {CHANGED}"),
                &format!("extra spec.ports[1].number {UNSTEADY}"),
            ],
        ),
    ];
    for (fault, code, spec, expected) in rows {
        assert_eq!(found(code, &spec), expected, "{fault}");
    }
}

#[test]
fn a_default_that_was_another_when_the_object_was_stored_is_found_at_the_field() {
    fn earlier(shop: &mut Edit<'_>) {
        shop.edit("spec", |spec| spec.set_default("replicas", Node::Int(2)));
        sound(shop);
    }
    fn without_it(shop: &mut Edit<'_>) {
        sound_of_others(shop);
    }
    for (stored, expected) in
        [(earlier as Code, vec![format!("extra spec.replicas {LATER}")]), (without_it, Vec::new())]
    {
        let pair = pair_after(sound, vec![Box::new(Defaults(stored))]);
        assert_eq!(differences(&pair, &json!({"protocol": "UDP"})), expected);
    }
}

fn reversed(spec: &mut Edit<'_>) {
    let mut items = spec.get("ports").items().to_vec();
    items.reverse();
    let items = spec.arena().alloc_slice_copy(&items);
    spec.set("ports", Node::List(items));
}

#[test]
fn what_code_sets_without_a_marker_is_handwritten_alone() {
    let pair = pair(faulty!(|spec| spec.set_default_text("owner", "nobody")));
    let mut record = CaseRecord::new();
    let judged = Judge::new(&pair).case(&case(json!({})), &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(Outcome::AgreedReject)), "{judged:?}");
    let owner = record.reference.errors.iter().find(|error| error.field == "spec.owner").unwrap();
    assert!(!owner.covered_by_declarative && owner.detail.contains("\"nobody\""), "{owner}");
}

#[test]
fn faults_of_markers_are_exposed_by_the_cases_that_show_them() {
    let pair = pair(sound);
    let controls = pair.controls.as_ref().unwrap();
    let mut exposure = controls.exposure();
    let mut exposed = |spec: Value| {
        let (arena, case) = (Arena::new(), case(spec));
        let prepared = pair.prepare(&case, &arena).unwrap();
        let mut answer = Answer::new();
        pair.candidate.answer(&prepared.question, &prepared.views.candidate, &mut answer).unwrap();
        controls.judge(&prepared.question, &prepared.views.candidate, &answer, &mut exposure);
        let name = |at: usize| {
            let control = &controls.catalogue()[at];
            format!("{}: {}", pair.rules[control.rule.index()].path, control.name)
        };
        exposure.fresh().map(name).collect::<Vec<String>>()
    };
    let first = exposed(json!({"protocol": "UDP", "door": {"wings": 2}, "ports": [{}]}));
    let all = |path: &str| {
        ["default dropped", "another default", "default of the parent"].map(|name| format!("{path}: {name}")).to_vec()
    };
    let mut expected = [all("spec.replicas"), all("spec.open")].concat();
    expected.extend(["spec.protocol", "spec.door"].map(|path| format!("{path}: set value replaced")));
    expected.extend(all("spec.ports[*].protocol"));
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(first), sorted(expected));
    let second = exposed(
        json!({"replicas": 0, "open": false, "protocol": "UDP", "door": {"wings": 2}, "ports": [{"protocol": "UDP"}, {}]}),
    );
    for name in [
        "spec.replicas: explicit zero replaced",
        "spec.open: explicit zero replaced",
        "spec.ports[*].protocol: default of the first item alone",
        "spec.ports[*].protocol: set value replaced",
    ] {
        assert!(second.iter().any(|found| found == name), "{name}: {second:?}");
    }
}

#[test]
fn a_constant_list_or_map_of_code_depends_on_no_field() {
    let fill = faulty!(|spec| {
        if spec.get("labels").entries().is_empty() {
            let arena = spec.arena();
            spec.set("labels", Node::Map(arena.alloc_slice_copy(&[("tier", Node::Text("web"))])));
        }
    });
    for spec in [json!({}), json!({"owner": "me"}), json!({"labels": {}})] {
        assert_eq!(found(fill, &spec), [""; 0], "{spec}");
    }
}
