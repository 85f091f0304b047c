//! Published schemas.

use super::published;
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
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = folder.path().join("v1");
    let written = fs::create_dir(&place).and_then(|()| fs::write(place.join("types.go"), TYPES));
    written.map_err(|error| error.to_string())?;
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    let mut document = published(&[place], &named, has_defaults).map_err(|error| error.to_string())?;
    Ok(document["components"]["schemas"].take())
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
