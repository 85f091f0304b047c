//! Published schemas.

use super::{Published, published};
use serde_json::{Value, json};
use std::fs;
use takeover_unions::read::unions_of_schema;

const TYPES: &str = r#"// Package v1 has a kind.
//
// +groupName=shop.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type Root struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Entry SubLevel `json:"entry,omitempty"`
	// +default={"name":"pointer-name"}
	Pointer *SubLevel `json:"pointer,omitempty"`
	Bare *SubLevel `json:"bare,omitempty"`
	Since *metav1.Time `json:"since,omitempty"`
	At metav1.Time `json:"at"`
	Seen Moment `json:"seen"`
	Most resource.Quantity `json:"most,omitempty"`
	Port intstr.IntOrString `json:"port"`
	Boxed Box `json:"boxed"`
	List []Item `json:"list,omitempty"`
	Plain []string `json:"plain,omitempty"`
	Mapping map[string]Item `json:"mapping,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +patchStrategy=merge
	// +patchMergeKey=name
	Levels []SubLevel `json:"levels,omitempty"`
	// +listType=atomic
	Pointers []*SubLevel `json:"pointers,omitempty"`
	ByName map[string]SubLevel `json:"byName,omitempty"`
	Counts map[string]int32 `json:"counts,omitempty"`
	Nested [][]bool `json:"nested,omitempty"`
	Times []metav1.Time `json:"times,omitempty"`
	// +structType=atomic
	Whole Chosen `json:"whole,omitempty"`
	Source `json:",inline"`
}

// Moment is a time.
type Moment struct {
	metav1.Time `json:",inline"`
}

type Box struct {
	SubLevel `json:",inline"`
}

type SubLevel struct {
	// +default="default-name"
	Name string `json:"name,omitempty"`
	Number int32 `json:"number"`
	// +optional
	Open bool `json:"open"`
	Note string `json:"note,omitempty"`
}

// +default="apple"
type Item string

type SourceType string

const (
	Git SourceType = "Git"
	None SourceType = ""
)

type Source struct {
	// +unionDiscriminator
	// +required
	Type SourceType `json:"type"`
	// +unionMember
	// +optional
	Git *SubLevel `json:"git,omitempty"`
}

// +union
// +structType=atomic
type Chosen struct {
	// +unionDiscriminator
	// +required
	Type SourceType `json:"type,omitempty"`
	Git *SubLevel `json:"git,omitempty"`
	FTP *SubLevel `json:"ftp,omitempty"`
}

type Either struct {
	// +k8s:unionMember
	// +k8s:optional
	One *string `json:"one,omitempty"`
	// +k8s:unionMember
	// +k8s:optional
	Two *string `json:"two,omitempty"`
}
"#;

fn of(named: &[&str], has_defaults: bool) -> Result<Value, String> {
    Ok(of_types(TYPES, named, has_defaults)?.document["components"]["schemas"].take())
}

fn of_types(types: &str, named: &[&str], has_defaults: bool) -> Result<Published, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = folder.path().join("v1");
    let written = fs::create_dir(&place).and_then(|()| fs::write(place.join("types.go"), types));
    written.map_err(|error| error.to_string())?;
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    published(&[place], &named, has_defaults).map_err(|error| error.to_string())
}

/// The schema of a struct `T` with these lines, beside some types, and the mistakes in it without their file.
fn of_struct(lines: &str) -> (Value, Vec<String>) {
    let types = format!(
        "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
         type Stamp metav1.Time\n\n// +default=\"apple\"\ntype Fruit string\n\ntype Again Fruit\n\n// +default=\"\"\ntype Text string\n\n\
         // +default={{\"n\":1}}\ntype Marked struct {{\n\tN int32 `json:\"n,omitempty\"`\n}}\n\ntype Part struct {{\n\tN int32 `json:\"n,omitempty\"`\n}}\n\n\
         const Limit = 5\n\n// +enum\ntype Mode string\n\nconst (\n\tOn Mode = \"on\"\n\tOff Mode = \"off\"\n\tAlso Mode = \"on\"\n)\n\n\
         // +k8s:openapi-gen=x-kubernetes-of-type:yes\ntype T struct {{\n{lines}\n}}\n"
    );
    let Published { document, mistakes } = of_types(&types, &["T"], true).unwrap();
    let said = mistakes.iter().map(|mistake| mistake.to_string().split_once(": ").unwrap().1.to_owned()).collect();
    (named(&document["components"]["schemas"], "T").clone(), said)
}

fn named<'v>(schemas: &'v Value, name: &str) -> &'v Value {
    let all = schemas.as_object().unwrap();
    all.iter().find(|(of, _)| of.ends_with(&format!(".{name}"))).map(|(_, schema)| schema).unwrap()
}

#[test]
fn defaults_are_published_where_the_proposal_has_them() {
    let schemas = of(&[], true).unwrap();
    let (root, level) = (named(&schemas, "Root"), named(&schemas, "SubLevel"));
    let default = |schema: &Value, name: &str| schema["properties"][name].get("default").cloned();
    assert_eq!(root.get("default"), None);
    assert_eq!(level.get("default"), None);
    for (schema, name, expected) in [
        (root, "entry", Some(json!({}))),
        (root, "pointer", Some(json!({"name": "pointer-name"}))),
        (root, "bare", None),
        (root, "since", None),
        (root, "at", None),
        (root, "seen", None),
        (root, "most", None),
        (root, "port", None),
        (root, "boxed", Some(json!({}))),
        (root, "list", None),
        (root, "plain", None),
        (level, "name", Some(json!("default-name"))),
        (level, "number", Some(json!(0))),
        (level, "open", Some(json!(false))),
        (level, "note", None),
    ] {
        assert_eq!(default(schema, name), expected, "{name}");
    }
    assert_eq!(root["properties"]["list"]["items"]["default"], "apple");
    assert_eq!(root["properties"]["mapping"]["additionalProperties"]["default"], "apple");
    for (name, part, expected) in [
        ("plain", "/items", json!("")),
        ("levels", "/items", json!({})),
        ("byName", "/additionalProperties", json!({})),
        ("counts", "/additionalProperties", json!(0)),
        ("nested", "/items/items", json!(false)),
        ("nested", "/items", Value::Null),
        ("pointers", "/items", Value::Null),
        ("times", "/items", Value::Null),
    ] {
        let of_items = root["properties"][name].pointer(part).unwrap();
        assert_eq!(of_items.get("default").cloned().unwrap_or_default(), expected, "{name}{part}");
    }
    assert!(root["properties"]["levels"]["items"]["allOf"][0]["$ref"].as_str().unwrap().ends_with(".SubLevel"));
    assert!(root["properties"]["entry"]["allOf"][0]["$ref"].as_str().unwrap().ends_with(".SubLevel"));
    assert_eq!(level["required"], json!(["number"]));
    assert_eq!(root["required"], json!(["at", "seen", "port", "boxed", "type"]));
    assert_eq!(root["x-kubernetes-group-version-kind"][0]["kind"], "Root");
    // At /openapi/v2, servers publish none of them.
    assert!(!of(&[], false).unwrap().to_string().contains("\"default\""));
}

#[test]
fn lists_and_structs_have_the_extensions_of_their_tags_alone() {
    let schemas = of(&[], false).unwrap();
    let root = named(&schemas, "Root");
    let extensions = |name: &str| {
        let members = root["properties"][name].as_object().unwrap().clone();
        Value::Object(members.into_iter().filter(|(name, _)| name.starts_with("x-")).collect())
    };
    let keyed = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"});
    for (name, expected) in [
        ("plain", json!({})),
        ("levels", keyed),
        ("pointers", json!({"x-kubernetes-list-type": "atomic"})),
        ("byName", json!({})),
        ("whole", json!({"x-kubernetes-map-type": "atomic"})),
        ("entry", json!({})),
    ] {
        assert_eq!(extensions(name), expected, "{name}");
    }
    // The types that come with this program have no tags.
    let metadata = named(&schemas, "ObjectMeta");
    assert_eq!(metadata["properties"]["finalizers"]["x-kubernetes-list-type"], "set");
    assert_eq!(named(&schemas, "OwnerReference")["x-kubernetes-map-type"], "atomic");
    let chosen = named(&schemas, "Chosen");
    assert_eq!(chosen["x-kubernetes-map-type"], "atomic");
    assert_eq!(chosen["required"], json!(["type"]));
}

#[test]
fn unions_are_published_and_read_again() {
    let schemas = of(&[], true).unwrap();
    // As Kubernetes publishes `+union`.
    let chosen = json!([{"discriminator": "type", "fields-to-discriminateBy": {"ftp": "FTP", "git": "Git"}}]);
    assert_eq!(named(&schemas, "Chosen")["x-kubernetes-unions"], chosen);
    let extension = json!({"fieldMembers": {"Git": {"name": "git", "optional": false}, "": null}});
    // Also where the struct of the union is inlined.
    for name in ["Source", "Root"] {
        assert_eq!(named(&schemas, name)["properties"]["type"]["x-kubernetes-unions"], extension, "{name}");
    }
    let either = named(&schemas, "Either");
    assert_eq!(either["x-kubernetes-unions"], json!([{"fields-to-discriminateBy": {"one": "One", "two": "Two"}}]));
    for (name, members) in [("Source", vec!["git"]), ("Either", vec!["one", "two"])] {
        let read = unions_of_schema(name, named(&schemas, name));
        let found: Vec<&str> = read[0].union.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(found, members);
    }
}

#[test]
fn types_are_chosen_by_name() {
    for name in ["Either", "shop.example.com/v1 Root"] {
        let schemas = of(&[name], true).unwrap();
        let is_there = |name: &str| schemas.as_object().unwrap().keys().any(|of| of.ends_with(name));
        assert_eq!((is_there(".Either"), is_there(".Root")), (name == "Either", name != "Either"));
    }
    assert!(of(&["Nothing"], true).unwrap_err().contains("no kind is named `Nothing`"));
}

#[test]
fn a_field_is_required_unless_it_is_optional_or_has_omitempty() {
    for (line, is_required) in [
        ("A int32 `json:\"a\"`", true),
        ("A *int32 `json:\"a\"`", true),
        ("A int32 `json:\"a,omitempty\"`", false),
        ("A int32 `json:\"a,omitzero\"`", true),
        ("// +optional\nA int32 `json:\"a\"`", false),
        ("// +optional=x\nA int32 `json:\"a\"`", false),
        ("// +required\nA int32 `json:\"a,omitempty\"`", true),
        // These are of validation.
        ("// +k8s:optional\nA int32 `json:\"a\"`", true),
        ("// +k8s:required\nA int32 `json:\"a,omitempty\"`", false),
    ] {
        let (schema, mistakes) = of_struct(line);
        assert_eq!((schema.get("required").is_some(), mistakes.len()), (is_required, 0), "{line}: {mistakes:?}");
    }
    let (_, mistakes) = of_struct("// +optional\n// +required\nA int32 `json:\"a\"`");
    assert_eq!(mistakes, ["`T.A` is `+optional` and `+required`: openapi-gen rejects it"]);
}

#[test]
fn only_the_option_string_right_behind_the_name_makes_a_text() {
    for (line, expected) in [
        ("A int64 `json:\"a,string\"`", json!({"type": "string"})),
        ("// +default=5\nA *int64 `json:\"a,string,omitempty\"`", json!({"type": "string"})),
        ("A []Part `json:\"a,string\"`", json!({"type": "string"})),
        (
            "// +mapType=atomic\nA Part `json:\"a,string\"`",
            json!({"type": "string", "x-kubernetes-map-type": "atomic"}),
        ),
        ("A int64 `json:\"a,omitempty,string\"`", json!({"type": "integer", "format": "int64"})),
    ] {
        let (schema, mistakes) = of_struct(line);
        assert_eq!((&schema["properties"]["a"], mistakes.len()), (&expected, 0), "{line}");
    }
}

#[test]
fn what_has_no_name_or_is_left_out_by_its_tag_is_not_published() {
    for line in [
        "A int32 `json:\",omitempty\"`",
        "A int32 `json:\"-,\"`",
        "A int32 `json:\"-\"`",
        "// +k8s:openapi-gen=false\nA int32 `json:\"a\"`",
        "// +k8s:openapi-gen=false\nPart `json:\",inline\"`",
    ] {
        let (schema, _) = of_struct(line);
        assert_eq!((&schema["properties"], schema.get("required")), (&json!({}), None), "{line}");
    }
    let (schema, mistakes) =
        of_struct("A int32\n// +k8s:openapi-gen=x-kubernetes-of-field:a:b\n// +validations=x\nB int32 `json:\"b\"`");
    assert_eq!(schema["required"], json!(["A", "b"]));
    assert_eq!((&schema["x-kubernetes-of-type"], mistakes.len()), (&json!("yes"), 0));
    assert_eq!(schema["properties"]["b"]["x-kubernetes-of-field"], "a:b");
    assert_eq!(schema["properties"]["b"]["x-kubernetes-validations"], "x");
}

#[test]
fn a_default_is_that_of_the_marker_of_the_type_or_of_what_go_always_writes() {
    for (line, expected) in [
        ("A int32 `json:\"a,omitzero\"`", json!(0)),
        ("// +default=0.0\nA float64 `json:\"a\"`", json!(0.0)),
        ("// +default={}\nA Part `json:\"a\"`", json!({})),
        ("// +default=\"x\"\nA metav1.Time `json:\"a,omitempty\"`", json!("x")),
        ("A Stamp `json:\"a,omitempty\"`", Value::Null),
        // The marker of a type counts for fields that are no pointers, too, but not for definitions over the type.
        ("A Fruit `json:\"a,omitempty\"`", json!("apple")),
        ("A *Fruit `json:\"a\"`", json!("apple")),
        ("A Again `json:\"a\"`", json!("")),
        ("A Text `json:\"a\"`", json!("")),
        ("A *Marked `json:\"a\"`", json!({"n": 1})),
        // A constant does not count beside what Go always writes.
        ("// +default=ref(Limit)\nA int32 `json:\"a,omitempty\"`", json!(5)),
        ("// +default=ref(Limit)\nA int32 `json:\"a\"`", json!(0)),
    ] {
        let (schema, mistakes) = of_struct(line);
        let found = schema["properties"]["a"].get("default").cloned().unwrap_or_default();
        assert_eq!((found, mistakes.len()), (expected, 0), "{line}: {mistakes:?}");
    }
    let (schema, mistakes) = of_struct("A []*Fruit `json:\"a\"`\nB map[string]Text `json:\"b\"`");
    assert_eq!(schema["properties"]["a"]["items"]["default"], "apple");
    assert_eq!((&schema["properties"]["b"]["additionalProperties"]["default"], mistakes.len()), (&json!(""), 0));
}

#[test]
fn a_default_other_than_what_go_always_writes_is_a_mistake() {
    let scalar = |given: &str, implied: &str| {
        format!("`T.A` has no `omitempty`: openapi-gen rejects its default {given}, because it must be {implied}")
    };
    let structure =
        "`T.A` is a struct that is no pointer: openapi-gen rejects its default {\"n\":1}, because it must be {}";
    let items = "`T.A` holds items with the default \"apple\" of their type: openapi-gen of Kubernetes 1.36 rejects it, because it must be \"\"";
    for (line, expected) in [
        ("// +default=5\nA int32 `json:\"a\"`", scalar("5", "0")),
        ("// +default=5\nA int32 `json:\"a,omitzero\"`", scalar("5", "0")),
        ("// +default=\"0\"\nA int32 `json:\"a\"`", scalar("\"0\"", "0")),
        ("// +default=true\nA bool `json:\"a\"`", scalar("true", "false")),
        ("A Fruit `json:\"a\"`", scalar("\"apple\"", "\"\"")),
        ("// +default={\"n\":1}\nA Part `json:\"a,omitempty\"`", structure.to_owned()),
        ("A Marked `json:\"a\"`", structure.to_owned()),
        ("A []Fruit `json:\"a\"`", items.to_owned()),
        ("A map[string][]Fruit `json:\"a\"`", items.to_owned()),
    ] {
        assert_eq!(of_struct(line).1, [expected], "{line}");
    }
    let (_, mistakes) = of_struct("Part");
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert!(mistakes[0].starts_with("`T.Part` is embedded without `inline` in its JSON tag"), "{mistakes:?}");
}

#[test]
fn unions_of_every_tag_that_servers_read_are_published() {
    let types = "package v1\n\n\
        // +union=anything\ntype Either struct {\n\t// +unionDiscriminator=x\n\tType string `json:\"type\"`\n\
        \t// +optional\n\tOne *string `json:\"one,omitempty\"`\n\t// +unionDeprecated\n\t// +optional\n\tOld *string `json:\"old,omitempty\"`\n\
        \tSecret *string `json:\"-\"`\n}\n\n\
        type Outer struct {\n\tEither `json:\",inline\"`\n\t// +unionDiscriminator\n\tKind string `json:\"kind\"`\n\
        \t// +unionDeprecated\n\tA *string `json:\"a,omitempty\"`\n\tB *string `json:\"b,omitempty\"`\n}\n\n\
        type Pointed struct {\n\t*Either `json:\",inline\"`\n}\n\n\
        type Alone struct {\n\t// +unionDiscriminator\n\tKind string `json:\"kind\"`\n\tA *string `json:\"a,omitempty\"`\n}\n";
    let document = of_types(types, &[], true).unwrap().document;
    let of = |name: &str| named(&document["components"]["schemas"], name).get("x-kubernetes-unions").cloned();
    let either = json!({"discriminator": "type", "fields-to-discriminateBy": {"one": "One"}});
    let old = json!({"discriminator": "type", "fields-to-discriminateBy": {"old": "Old"}});
    let outer = json!({"discriminator": "kind", "fields-to-discriminateBy": {"a": "A"}});
    assert_eq!(of("Either"), Some(json!([either, old])));
    assert_eq!(of("Outer"), Some(json!([either, old, outer])));
    assert_eq!(of("Pointed"), None);
    assert_eq!(of("Alone"), None);
}

#[test]
fn integers_have_the_formats_of_servers_and_enums_the_values_of_their_constants() {
    let integer = |format: &str| json!({"type": "integer", "format": format});
    let values = json!({"type": "string", "enum": ["off", "on"]});
    for (go_type, expected) in [
        ("*int", integer("int32")),
        ("*uint", integer("int32")),
        ("*int8", integer("byte")),
        ("*uint8", integer("byte")),
        ("*int16", integer("int32")),
        ("*uint32", integer("int64")),
        ("*int64", integer("int64")),
        ("[]*uint16", json!({"type": "array", "items": integer("int32")})),
        ("*Mode", values.clone()),
        ("map[string]*Mode", json!({"type": "object", "additionalProperties": values})),
        // Tags of another type do not count.
        ("*Again", json!({"type": "string"})),
    ] {
        let (schema, _) = of_struct(&format!("A {go_type} `json:\"a\"`"));
        assert_eq!(schema["properties"]["a"], expected, "{go_type}");
    }
}
