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
    defaulted_by(SOURCE, object)
}

/// What the markers of type `S` make of an object.
fn defaulted_by(source: &str, object: &Value) -> Value {
    let loaded = Loader::new().with(Memory::new().file(PACKAGE, "types.go", source)).load([PACKAGE]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let idl = loaded.idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.S")).expect("the type");
    let defaults = DeclaredDefaults::of(&idl, root).expect("the types declare defaults");
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
        // Kubernetes' generator enters no value of a map.
        (json!({"map": {"k": {}}}), with(json!({"map": {"k": {}}}))),
    ] {
        assert_eq!(defaulted(&object), expected, "{object}");
    }
}

/// The examples of KEP-1929 for built-in types.
#[test]
fn the_examples_of_the_proposal_hold() {
    let root = |entry: &str| {
        format!(
            "package defaults\n\ntype S struct {{\n{entry}\n}}\n\ntype SubLevel struct {{\n\t// +default=\"default-name\"\n\
             \tName string `json:\"name,omitempty\"`\n\t// +default=0\n\tNumber int `json:\"number\"`\n}}\n"
        )
    };
    let entry = |name: &str| json!({"entry": {"name": name, "number": 0}});
    let by_value = root("\tEntry SubLevel `json:\"entry\"`");
    let pointer = root("\t// +default={\"name\": \"pointer-name\"}\n\tEntry *SubLevel `json:\"entry,omitempty\"`");
    for (sent, value, pointed) in [
        (Value::Null, "default-name", "pointer-name"),
        (json!({}), "default-name", "pointer-name"),
        (json!({"entry": null}), "default-name", "pointer-name"),
        (json!({"entry": {}}), "default-name", "default-name"),
        (json!({"entry": {"name": "other-name"}}), "other-name", "other-name"),
        // Go cannot tell an empty text from an absent one.
        (json!({"entry": {"name": "", "number": 0}}), "default-name", "default-name"),
    ] {
        assert_eq!(defaulted_by(&by_value, &sent), entry(value), "{sent}");
        assert_eq!(defaulted_by(&pointer, &sent), entry(pointed), "{sent}");
    }
    let lists = "package defaults\n\ntype S struct {\n\t// +default=[\"popcorn\", \"chips\"]\n\tTexts []string `json:\"texts,omitempty\"`\n\
                 \t// +default=[{\"port\": 80, \"name\": \"http\"}]\n\tPorts []Port `json:\"ports,omitempty\"`\n\
                 \t// +default=32\n\tInteger int `json:\"integer,omitempty\"`\n\t// +default=\"bar\"\n\tText string `json:\"text,omitempty\"`\n\
                 \tFruit *Fruit `json:\"fruit,omitempty\"`\n\tPlain Fruit `json:\"plain,omitempty\"`\n}\n\n\
                 // +default=\"apple\"\ntype Fruit string\n\n\
                 type Port struct {\n\tName string `json:\"name,omitempty\"`\n\tPort int32 `json:\"port\"`\n}\n";
    // Only the types of pointers are asked.
    let all = json!({"texts": ["popcorn", "chips"], "ports": [{"port": 80, "name": "http"}], "integer": 32, "text": "bar",
        "fruit": "apple"});
    assert_eq!(defaulted_by(lists, &json!({})), all);
    let set = json!({"texts": ["x"], "ports": [{"port": 0}], "integer": 1, "text": "foo", "fruit": "pear"});
    assert_eq!(defaulted_by(lists, &set), set);
}

/// The examples of KEP-1929 for lists and maps: the default of a type counts for items and values of that type.
#[test]
fn items_and_values_take_the_default_of_their_type() {
    let source = "package defaults\n\ntype S struct {\n\tList []Item `json:\"list,omitempty\"`\n\
                  \tPointers []*Item `json:\"pointers,omitempty\"`\n\tMapping map[string]Label `json:\"mapping,omitempty\"`\n\
                  \tPlain []string `json:\"plain,omitempty\"`\n\tTexts map[string]string `json:\"texts,omitempty\"`\n\tParts []*Part `json:\"parts,omitempty\"`\n\
                  \tBoxes []*Box `json:\"boxes,omitempty\"`\n\t*Embedded `json:\",inline\"`\n}\n\n\
                  // +default=\"apple\"\ntype Item string\n\n// +default=\"banana\"\ntype Label string\n\n\
                  // +default={\"name\": \"made\"}\ntype Part struct {\n\tName string `json:\"name,omitempty\"`\n}\n\n\
                  // +default={\"name\": \"made\"}\ntype Box struct {\n\tName string `json:\"name,omitempty\"`\n\
                  \t// +default=3\n\tSize *int32 `json:\"size,omitempty\"`\n}\n\n\
                  type Embedded struct {\n\t// +default=\"inner\"\n\tInner string `json:\"inner,omitempty\"`\n\
                  \tOther string `json:\"other,omitempty\"`\n}\n";
    for (object, expected) in [
        (json!({}), json!({})),
        (json!({"list": [null, "foo"]}), json!({"list": ["apple", "foo"]})),
        // Go cannot tell an empty text from an absent one, unless it is behind a pointer.
        (json!({"list": [""], "pointers": ["", null]}), json!({"list": ["apple"], "pointers": ["", "apple"]})),
        (json!({"mapping": {"foo": null, "bar": "apple"}}), json!({"mapping": {"foo": "banana", "bar": "apple"}})),
        (json!({"plain": [null, "foo"]}), json!({"plain": ["", "foo"]})),
        // The proposal drops a null without a default: Go has a zero in its place, here and in lists.
        (json!({"texts": {"foo": null, "bar": "apple"}}), json!({"texts": {"foo": "", "bar": "apple"}})),
        (json!({"parts": [null, {}]}), json!({"parts": [{"name": "made"}, {}]})),
        // Where there are defaults inside, nobody asks the type for one of the whole.
        (json!({"boxes": [null, {}]}), json!({"boxes": [null, {"size": 3}]})),
        // An embedded pointer is nil until something in it is set.
        (json!({"other": "x"}), json!({"other": "x", "inner": "inner"})),
    ] {
        assert_eq!(defaulted_by(source, &object), expected, "{object}");
    }
}

#[test]
fn an_object_that_has_its_defaults_is_not_copied() {
    let loaded = Loader::new().with(Memory::new().file(PACKAGE, "types.go", SOURCE)).load([PACKAGE]);
    let schema = &loaded.idl.schema;
    let root = schema.lookup(&format!("{PACKAGE}.S")).expect("the type");
    let defaults = DeclaredDefaults::of(&loaded.idl, root).expect("the types declare defaults");
    let (arena, spare, more) = (Arena::new(), Arena::new(), Arena::new());
    let object = json!({"list": [{}, {"next": {}}], "map": {"k": {}}, "nil": {}});
    let node = from_value(schema, root, &object, &arena).expect("decodes");
    let once = defaults.apply(schema, root, node, &arena);
    let _ = defaults.apply(schema, root, once, &spare);
    assert_eq!(spare.allocated_bytes(), 0);
    let _ = defaults.apply(schema, root, node, &more);
    assert!(more.allocated_bytes() > 0);
}
