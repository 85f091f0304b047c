//! Defaults that types declare, by Go source: the object before and after.

use serde_json::{Value, json};
use takeover_declarative::DeclaredDefaults;
use takeover_declarative::idl::{Loader, Memory};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, from_value, to_value};

const PACKAGE: &str = "example.com/defaults";

const SOURCE: &str = r#"package defaults

type S struct {
	// +default=1
	Replicas *int32 `json:"replicas,omitempty"`
	// +default=0
	Zero int32 `json:"zero,omitempty"`
	// +default=0
	PointedZero *int32 `json:"pointedZero,omitempty"`
	// +default="TCP"
	Protocol string `json:"protocol,omitempty"`
	Value Part `json:"value,omitempty"`
	Nil *Part `json:"nil,omitempty"`
	// +default={}
	Made *Part `json:"made,omitempty"`
	List []Part `json:"list,omitempty"`
	Map map[string]Part `json:"map,omitempty"`
	Inline `json:",inline"`
}

type Part struct {
	// +default="a"
	Name *string `json:"name,omitempty"`
	Next *Part `json:"next,omitempty"`
}

type Inline struct {
	// +default=true
	Inner *bool `json:"inner,omitempty"`
}
"#;

fn defaulted(object: &Value) -> Value {
    let idl = Loader::new().with(Memory::new().file(PACKAGE, "types.go", SOURCE)).load([PACKAGE]).idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.S")).expect("the type");
    let defaults = DeclaredDefaults::of(&idl.schema, root).expect("the types declare defaults");
    let arena = Arena::new();
    let node = from_value(&idl.schema, root, object, &arena).expect("decodes");
    let once = defaults.apply(&idl.schema, root, node, &arena);
    let twice = defaults.apply(&idl.schema, root, once, &arena);
    let (once, twice) = (to_value(&idl.schema, root, &once), to_value(&idl.schema, root, &twice));
    assert_eq!(once, twice, "defaulting twice is defaulting once");
    once
}

#[test]
fn declared_defaults_follow_the_zero_values_of_go() {
    let part = json!({"name": "a"});
    let all = json!({"replicas": 1, "pointedZero": 0, "protocol": "TCP", "value": part, "made": part, "inner": true});
    let with = |changes: Value| {
        let mut object = all.clone();
        for (name, value) in changes.as_object().expect("changes") {
            object[name] = value.clone();
        }
        object
    };
    for (object, expected) in [
        (json!({}), all.clone()),
        // What is set stays, also a zero behind a pointer; a zero value is unset.
        (json!({"replicas": 0, "protocol": "", "inner": false}), with(json!({"replicas": 0, "inner": false}))),
        (json!({"value": {"name": "b"}}), with(json!({"value": {"name": "b"}}))),
        // A nil pointer to a struct stays nil; one that is set is filled, at any depth.
        (json!({"nil": {}}), with(json!({"nil": part}))),
        (json!({"nil": {"next": {}}}), with(json!({"nil": {"name": "a", "next": part}}))),
        (json!({"list": [{}, {"name": "x"}]}), with(json!({"list": [part, {"name": "x"}]}))),
        (json!({"map": {"k": {}}}), with(json!({"map": {"k": part}}))),
    ] {
        assert_eq!(defaulted(&object), expected, "{object}");
    }
}
