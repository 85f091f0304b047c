//! Faults planted in defaults that code sets, each found at the field, by the law or value that it breaks.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

use serde_json::{Value, json};
use std::sync::Arc;
use takeover_declarative::DeclaredDefaults;
use takeover_declarative::idl::{Loader, Memory, builtin};
use takeover_handwritten::kind::Defaults;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::What;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::form::Defaulter;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome};
use takeover_harness::object::{Arena, Edit, Json, Node, from_value, identical};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::rule::Law;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults::{self, CHANGED, DEPENDENT, INVALID, LATER, REMOVED, Sources, UNORDERED, UNSTEADY};
use takeover_oracles::registry::Registry;

const PACKAGE: &str = "example.com/shop/v1";

const SOURCE: &str = r#"package v1

type Shop struct {
	Kind string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	// +default=1
	Replicas *int32 `json:"replicas,omitempty"`
	// +default=true
	Open *bool `json:"open,omitempty"`
	// +default="TCP"
	Protocol string `json:"protocol,omitempty"`
	Owner string `json:"owner,omitempty"`
	Ports []Port `json:"ports,omitempty"`
	// +default={"name":"front"}
	Door *Door `json:"door,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Config interface{} `json:"config,omitempty"`
}

type Port struct {
	// +default="TCP"
	Protocol string `json:"protocol,omitempty"`
	Number int32 `json:"number,omitempty"`
}

type Door struct {
	Name string `json:"name,omitempty"`
	// +default=2
	Wings *int32 `json:"wings,omitempty"`
}
"#;

type Code = fn(&mut Edit<'_>);

/// A validator that accepts at most two replicas.
struct AtMostTwo;

impl Oracle for AtMostTwo {
    fn answer(&self, question: &Question<'_>, _: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let replicas = Path::ROOT.child("spec");
        let replicas = replicas.child("replicas");
        if question.objects.at(&replicas).int() > 2 {
            answer.push(FieldError::new(ErrorType::Invalid, &replicas, BadValue::Hidden, "must be at most 2"));
        }
        Ok(())
    }
}

fn pair(code: Code) -> Pair {
    pair_after(code, Vec::new())
}

/// The same, where what was stored was defaulted in other ways.
fn pair_after(code: Code, earlier: Vec<Box<dyn Defaulter>>) -> Pair {
    let idl = Loader::new().with(Memory::new().file(PACKAGE, "types.go", SOURCE)).load([PACKAGE]).idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.Shop")).unwrap();
    let declared = DeclaredDefaults::of(&idl, root).unwrap();
    let id = PairId::named(SubjectId::new("shop.example.com/v1", "Shop"), defaults::NAME).unwrap();
    let sources = Sources {
        code: Some(Box::new(Defaults(code))),
        markers: Some(Box::new(declared)),
        items: Vec::new(),
        validator: Some(Box::new(AtMostTwo)),
        earlier,
    };
    defaults::pair(id, &Arc::new(idl.schema), root, sources).unwrap()
}

fn case(spec: Value) -> Case {
    Case {
        operation: Operation::Create,
        object: Payload::Value(Arc::new(json!({"apiVersion": "shop.example.com/v1", "kind": "Shop", "spec": spec}))),
        old: None,
        options: Options::new(),
        provenance: Provenance::File { path: "test".to_owned(), document: 1, line: 1 },
    }
}

/// Where the sides differ on an object, with the origin of each difference.
fn found(code: Code, spec: &Value) -> Vec<String> {
    differences(&pair(code), spec)
}

fn differences(pair: &Pair, spec: &Value) -> Vec<String> {
    let mut record = CaseRecord::new();
    let judged = Judge::new(pair).case(&case(spec.clone()), &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(_)), "{judged:?}");
    let mut found: Vec<String> = record
        .differences
        .iter()
        .map(|difference| {
            let What::Error(error) = &difference.what else { return difference.what.to_string() };
            format!("{} {} {}", difference.direction, error.field, error.origin)
        })
        .collect();
    found.sort();
    found
}

/// What the markers say, written by hand.
fn sound(shop: &mut Edit<'_>) {
    shop.edit("spec", |spec| {
        spec.set_default("replicas", Node::Int(1));
        spec.edit_each("ports", |port| port.set_default_text("protocol", "TCP"));
    });
    sound_of_others(shop);
}

/// What the markers say of all fields but the number of replicas and the ports.
fn sound_of_others(shop: &mut Edit<'_>) {
    shop.edit("spec", |spec| {
        spec.set_default("open", Node::Bool(true));
        spec.set_default_text("protocol", "TCP");
        spec.set_default("door", Edit::empty_struct(true));
        let is_new = spec.get("door").is_unset();
        spec.edit_if_set("door", |door| {
            if is_new || (door.text("name").is_empty() && door.get("wings").is_unset()) {
                door.set_default_text("name", "front");
            }
            door.set_default("wings", Node::Int(2));
        });
    });
}

/// `sound`, and then a fault.
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
fn a_service_is_compared_and_a_config_map_has_no_defaults() {
    let registry = Registry::of_builtin().unwrap();
    let id = |kind: &str| PairId::named(SubjectId::new("v1", kind), defaults::NAME).unwrap();
    let paths: Vec<String> = registry
        .pair(&id("Service"))
        .unwrap()
        .rules
        .iter()
        .filter(|rule| rule.law.is_none())
        .map(|rule| rule.path.clone())
        .collect();
    assert_eq!(paths, ["spec.ports[*].protocol"]);
    assert!(registry.pair(&id("ConfigMap")).is_err());
    // A kind with code and no marker has nothing but laws.
    let slice = PairId::named(SubjectId::new("discovery.k8s.io/v1", "EndpointSlice"), defaults::NAME).unwrap();
    assert!(registry.pair(&slice).unwrap().rules.iter().all(|rule| rule.law.is_some()));
    let all: Vec<String> = registry.defaulting().iter().map(ToString::to_string).collect();
    assert!(all.len() > 15 && all.contains(&"v1 Pod".to_owned()), "{all:?}");
}

#[test]
fn the_default_of_a_type_is_a_marker_of_each_list_and_map_of_its_values() {
    let source = "package v1\n\n// +default=\"red\"\ntype Color string\n\n\
                  type Shop struct {\n\tSpec ShopSpec `json:\"spec,omitempty\"`\n}\n\n\
                  type ShopSpec struct {\n\tColors []*Color `json:\"colors,omitempty\"`\n\t\
                  Plain []Color `json:\"plain,omitempty\"`\n\tByRoom map[string]*Color `json:\"byRoom,omitempty\"`\n}\n";
    let idl = Loader::new().with(Memory::new().file(PACKAGE, "types.go", source)).load([PACKAGE]).idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.Shop")).unwrap();
    let id = PairId::named(SubjectId::new("shop.example.com/v1", "Shop"), defaults::NAME).unwrap();
    let pair = defaults::semantics(id, &idl, &Arc::new(idl.schema.clone()), root, None).unwrap();
    let markers = pair.rules.iter().filter(|rule| rule.law.is_none());
    let known: Vec<String> = markers.map(|rule| format!("{} {}", rule.path, rule.chain)).collect();
    let of = |path: &str| format!("spec.{path}[*] default=\"red\"");
    assert_eq!(known, ["colors", "plain", "byRoom"].map(of));
    assert_eq!(
        differences(&pair, &json!({"colors": [null, "blue"], "byRoom": {"hall": null, "shop": "blue"}})),
        [""; 0]
    );
    // Go writes the empty text, which is a value for a custom resource.
    assert_eq!(differences(&pair, &json!({"plain": ["blue", ""]})), ["extra spec.plain[1] default=\"red\""]);
}

/// The pair of the markers of a package with a `Shop`, in a built-in and in a custom resource.
fn own_types(source: &str) -> Pair {
    let idl = Loader::new().with(Memory::new().file(PACKAGE, "types.go", source)).load([PACKAGE]).idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.Shop")).unwrap();
    let id = PairId::named(SubjectId::new("shop.example.com/v1", "Shop"), defaults::NAME).unwrap();
    defaults::semantics(id, &idl, &Arc::new(idl.schema.clone()), root, None).unwrap()
}

#[test]
fn each_value_of_a_map_list_or_struct_is_set_by_the_marker_that_has_it() {
    let pair = own_types(
        r#"package v1

type Shop struct {
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	// +default={"tier":"web"}
	Labels map[string]string `json:"labels,omitempty"`
	// +default={"tier":"web"}
	Written map[string]string `json:"written"`
	// +default=["a","b"]
	Steps []string `json:"steps"`
	// +default={"name":"front"}
	Door *Door `json:"door,omitempty"`
	// +default={}
	Yard *Door `json:"yard,omitempty"`
	Inner Inner `json:"inner,omitempty"`
}

type Door struct {
	// +default="any"
	Name string `json:"name,omitempty"`
}

type Inner struct {
	Steps []string `json:"steps,omitempty"`
}
"#,
    );
    let set = |spec: Value| -> Vec<String> {
        let mut record = CaseRecord::new();
        let judged = Judge::new(&pair).case(&case(spec.clone()), &mut Arena::new(), &mut record);
        assert!(matches!(judged, Judgement::Compared(Outcome::AgreedReject)), "{spec}: {:?}", record.differences);
        let rule = |error: &FieldError| error.rule.map_or("none", |id| &pair.rules[id.index()].path);
        let of = |error: &FieldError| {
            format!("{} {} by {}", error.field, error.origin, rule(error)).replace("spec.", "").replace("default=", "")
        };
        record.candidate.errors.iter().map(of).collect()
    };
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(
        sorted(set(json!({}))),
        [
            "door {} by door",
            "door.name \"front\" by door",
            "labels[tier] \"web\" by labels",
            "steps [\"a\",\"b\"] by steps",
            "written[tier] \"web\" by written",
            "yard {} by yard",
            "yard.name \"any\" by yard.name",
        ]
    );
    // Go does not write an empty list under `omitempty`, so that both take the default.
    let empty = set(json!({"labels": {}, "door": {"name": "a"}, "yard": {"name": "a"}, "written": {}, "steps": []}));
    assert_eq!(empty, ["labels[tier] \"web\" by labels"]);
    // A struct that is given takes the defaults of its fields alone, and what is given and empty is kept.
    let given =
        json!({"door": {}, "yard": {}, "labels": {"a": "b"}, "written": {}, "steps": [], "inner": {"steps": []}});
    assert_eq!(sorted(set(given)), ["door.name \"any\" by door.name", "yard.name \"any\" by yard.name"]);
}

#[test]
fn a_default_of_own_types_that_their_tags_reject_breaks_a_law() {
    let source = r#"// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Shop struct {
	metav1.TypeMeta `json:",inline"`
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	// +default=5
	// +k8s:optional
	// +k8s:maximum=2
	Size *int32 `json:"size,omitempty"`
	// +default=2
	// +k8s:optional
	// +k8s:maximum=2
	Width *int32 `json:"width,omitempty"`
}
"#;
    let own = Memory::new().file(PACKAGE, "types.go", source);
    let registry = Registry::new(Loader::new().with(own).with(builtin()).load([PACKAGE]).idl);
    let pair = registry.defaults_pair(&SubjectId::new("shop.example.com/v1", "Shop")).unwrap();
    assert!(pair.rules.iter().any(|rule| rule.law == Some(Law::Valid)));
    assert_eq!(differences(&pair, &json!({})), [format!("extra spec.size {INVALID}")]);
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

#[test]
fn a_law_that_nothing_tries_is_not_among_the_rules() {
    let laws = |kind: &str| -> Vec<Law> {
        let id = PairId::named(SubjectId::new("v1", kind), defaults::NAME).unwrap();
        Registry::of_builtin().unwrap().pair(&id).unwrap().rules.iter().filter_map(|rule| rule.law).collect()
    };
    assert_eq!(laws("Service"), Law::OF_DEFAULTS);
    // Nothing validates a Pod here.
    assert_eq!(laws("Pod"), [Law::Twice, Law::Order, Law::Kept, Law::Later, Law::Independent]);
}

/// The object that `docs/defaults.md` shows, and what the page says of it.
#[test]
fn the_example_of_the_page_is_true() {
    let page = include_str!("../../../docs/defaults.md").replace("\r\n", "\n");
    let object: Value =
        serde_json::from_str(page.split("```").find_map(|block| block.strip_prefix("json")).unwrap()).unwrap();
    let registry = Registry::of_builtin().unwrap();
    let pair = registry.pair(&PairId::named(SubjectId::new("v1", "Service"), defaults::NAME).unwrap()).unwrap();
    let case = Case { object: Payload::Value(Arc::new(object)), ..case(json!({})) };
    let mut record = CaseRecord::new();
    let judged = Judge::new(&pair).case(&case, &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(Outcome::Extra)), "{judged:?}");
    let mut fields: Vec<&str> = record.differences.iter().map(|difference| difference.what.field()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["spec.ports[0].targetPort", "spec.sessionAffinityConfig"]);
    let of = |field: &str| record.reference.errors.iter().find(|error| error.field == field).unwrap();
    let (protocol, target) = (of("spec.ports[0].protocol"), of("spec.ports[0].targetPort"));
    assert!(protocol.covered_by_declarative && protocol.origin == "default=\"TCP\"", "{protocol}");
    assert!(!target.covered_by_declarative && target.detail.ends_with("80"), "{target}");
    let broken = |field: &str| record.candidate.errors.iter().find(|error| error.field == field).unwrap();
    for error in [protocol, broken("spec.sessionAffinityConfig"), broken("spec.ports[0].targetPort")] {
        assert!(page.contains(error.field.as_str()) && page.contains(error.origin.as_ref()), "{error}");
    }
}

/// KEP-575 asks that defaulting be considerably faster than a deep copy: nothing is copied where nothing is set.
#[test]
fn an_object_that_has_its_defaults_is_not_copied() {
    let registry = Registry::of_builtin().unwrap();
    let schema = registry.schema();
    let template = json!({"metadata": {"labels": {"app": "one"}}, "spec": {
        "containers": [{
            "name": "one", "image": "example.com/one:1", "ports": [{"containerPort": 80}],
            "resources": {"limits": {"cpu": "100m", "memory": "20Gi"}},
            "livenessProbe": {"httpGet": {"port": 80}},
            "env": [{"name": "ONE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        }],
        "volumes": [{"name": "one"}, {"name": "two", "secret": {"secretName": "two"}}],
    }});
    let kinds = [("v1", "ReplicationController"), ("apps/v1", "Deployment"), ("apps/v1", "DaemonSet"), ("v1", "Pod")];
    for (api_version, kind) in kinds {
        let id = SubjectId::new(api_version, kind);
        let (root, defaulter) = (registry.root(api_version, kind).unwrap(), registry.defaults(&id).unwrap());
        let (arena, spare) = (Arena::new(), Arena::new());
        let spec = if kind == "Pod" { template["spec"].clone() } else { json!({"template": &template}) };
        let object = json!({"apiVersion": api_version, "kind": kind, "spec": spec});
        let node = from_value(schema, root, &object, &arena).unwrap();
        let once = defaulter.apply(schema, root, node, &arena);
        let twice = defaulter.apply(schema, root, once, &spare);
        assert!(identical(&once, &twice) && !identical(&node, &once), "{id}");
        assert_eq!(spare.allocated_bytes(), 0, "{id}");
    }
}
