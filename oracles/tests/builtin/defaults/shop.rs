//! A kind with every sort of marker, and helpers that compare its defaults.

use serde_json::{Value, json};
use std::sync::Arc;
use takeover_declarative::DeclaredDefaults;
use takeover_declarative::idl::{Loader, Memory};
use takeover_handwritten::kind::Defaults;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::compare::What;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::form::Defaulter;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::{Arena, Edit, Node};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults::{self, Planted, Sources};

pub(super) const PACKAGE: &str = "example.com/shop/v1";

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

pub(super) type Code = fn(&mut Edit<'_>);

/// A validator that accepts at most two replicas.
struct AtMostTwo;

impl Oracle for AtMostTwo {
    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let replicas = Path::ROOT.child("spec");
        let replicas = replicas.child("replicas");
        if question.objects.at(&replicas).int() > 2 {
            answer.push(FieldError::new(ErrorType::Invalid, &replicas, BadValue::Hidden, "must be at most 2"));
        }
        Ok(())
    }
}

pub(super) fn pair(code: Code) -> Pair {
    pair_after(code, Vec::new())
}

/// The same for objects that were stored with other defaults.
pub(super) fn pair_after(code: Code, earlier: Vec<Box<dyn Defaulter>>) -> Pair {
    let (schema, root, sources) = shop(code);
    defaults::pair(id(), &schema, root, Sources { earlier, ..sources }).unwrap()
}

/// The sound defaults of a shop, and the faults planted in them.
pub(super) fn planted() -> Planted {
    let (schema, root, sources) = shop(sound);
    Planted::of(&schema, root, sources).unwrap()
}

pub(super) fn id() -> PairId {
    PairId::named(SubjectId::new("shop.example.com/v1", "Shop"), defaults::NAME).unwrap()
}

fn shop(code: Code) -> (Arc<Schema>, TypeId, Sources) {
    let idl = Loader::new().with(Memory::new().file(PACKAGE, "types.go", SOURCE)).load([PACKAGE]).idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.Shop")).unwrap();
    let declared = DeclaredDefaults::of(&idl, root).unwrap();
    let sources = Sources {
        code: Some(Box::new(Defaults(code))),
        markers: Some(Box::new(declared)),
        validator: Some(Box::new(AtMostTwo)),
        ..Sources::default()
    };
    (Arc::new(idl.schema), root, sources)
}

pub(super) fn case(spec: Value) -> Case<'static> {
    Case {
        operation: Operation::Create,
        object: Payload::Value(Arc::new(json!({"apiVersion": "shop.example.com/v1", "kind": "Shop", "spec": spec}))),
        old: None,
        options: Options::new(),
        provenance: Provenance::File { path: "test".to_owned(), document: 1, line: 1 },
    }
}

/// The differences of the sides on an object, each with its origin.
pub(super) fn found(code: Code, spec: &Value) -> Vec<String> {
    differences(&pair(code), spec)
}

pub(super) fn differences(pair: &Pair, spec: &Value) -> Vec<String> {
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

/// The markers, as handwritten code.
pub(super) fn sound(shop: &mut Edit<'_>) {
    shop.edit("spec", |spec| {
        spec.set_default("replicas", Node::Int(1));
        spec.edit_each("ports", |port| port.set_default_text("protocol", "TCP"));
    });
    sound_of_others(shop);
}

/// The markers of all fields except replicas and ports, as handwritten code.
pub(super) fn sound_of_others(shop: &mut Edit<'_>) {
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
