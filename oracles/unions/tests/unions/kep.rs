//! The examples of KEP-1027: what its markers say, what is normalised and what is refused.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_declarative::idl::{Loader, Memory};
use takeover_harness::path::Path;
use takeover_unions::read::{GoUnion, unions_of_go, unions_of_schema};
use takeover_unions::{Origin, Union, fields_extension, normalise, validate, written};

/// The unions of a Go file.
fn read(go: &str) -> Vec<GoUnion> {
    let source = format!("package v1\n\n{go}");
    let loader = Loader::new().with(Memory::new().file("example.com/api/v1", "types.go", &source));
    let idl = loader.load(["example.com/api/v1"]).into_result().unwrap();
    unions_of_go(&idl, |_| true).unions
}

const SHAPE: &str = r#"
// +enum
type ShapeKind string

const (
	Circle ShapeKind = "Circle"
	Square ShapeKind = "SQUARE"
	Point  ShapeKind = "Point"
	None   ShapeKind = ""
)

type Shape struct {
	// +unionDiscriminator
	// +required
	Kind ShapeKind `json:"kind"`

	// +unionMember
	// +optional
	Circle *int32 `json:"circle,omitempty"`

	// +unionMember=SQUARE,optional
	// +optional
	Side int32 `json:"side"`

	Colour string `json:"colour,omitempty"`
}
"#;

fn shape() -> Union {
    let found = read(SHAPE);
    assert_eq!(found[0].faults, Vec::<String>::new());
    found[0].union.clone()
}

#[test]
fn markers_give_members_names_optional_members_and_empty_ones() {
    let union = shape();
    assert_eq!((union.owner.as_str(), union.origin), ("example.com/api/v1.Shape", Origin::Kep));
    let members: Vec<_> = union.members.iter().map(|of| (of.name.as_str(), of.value.as_str(), of.optional)).collect();
    assert_eq!(members, [("circle", "Circle", false), ("side", "SQUARE", true)]);
    let discriminator = union.discriminator.as_ref().unwrap();
    assert_eq!(discriminator.values, ["Circle", "SQUARE", "Point", ""]);
    assert_eq!(union.none_value(), Some(""));
}

#[test]
fn the_extension_has_every_value_and_is_read_again() {
    let union = shape();
    let extension = written(&union).unwrap();
    let circle = json!({"name": "circle", "optional": false});
    let side = json!({"name": "side", "optional": true});
    assert_eq!(extension, json!({"fieldMembers": {"": null, "Circle": circle, "Point": null, "SQUARE": side}}));
    let schema = json!({"type": "object", "properties": {
        "kind": {"type": "string", "x-kubernetes-unions": extension}, "circle": {"type": "integer"}, "side": {"type": "integer"},
    }});
    let again = &unions_of_schema("Shape", &schema)[0].union;
    assert_eq!(again.origin, Origin::Extension);
    assert_eq!(written(again), written(&union));
    let fields = json!({"circle": "Circle", "side": "SQUARE"});
    assert_eq!(fields_extension(&union), json!({"discriminator": "kind", "fields-to-discriminateBy": fields}));
}

#[test]
fn two_unions_of_a_struct_are_told_apart_and_one_may_be_embedded() {
    let found = read(
        "type One string\nconst (\n A One = \"A\"\n B One = \"B\"\n)\n\
         type Two string\nconst (\n C Two = \"ALPHA\"\n D Two = \"BETA\"\n)\n\
         type Outer struct {\n Inner `json:\",inline\"`\n}\n\
         type Inner struct {\n\
         // +unionDiscriminator\n One One `json:\"one\"`\n\
         // +unionDiscriminator\n Two Two `json:\"two\"`\n\
         // +unionMember\n// +unionDiscriminatedBy=One\n A *int `json:\"a\"`\n\
         // +unionMember,optional\n// +unionDiscriminatedBy=One\n B *int `json:\"b\"`\n\
         // +unionMember=ALPHA\n// +unionDiscriminatedBy=Two\n C *int `json:\"c\"`\n\
         // +unionMember=BETA,optional\n// +unionDiscriminatedBy=Two\n D *int `json:\"d\"`\n}\n",
    );
    let unions: Vec<_> = found.iter().map(|of| (of.union.name.as_str(), of.union.members.len())).collect();
    assert_eq!(unions, [("One", 2), ("Two", 2)]);
    assert!(found.iter().all(|of| of.faults.is_empty() && of.union.owner.ends_with(".Inner")));
    assert_eq!(found[1].union.members[1].value, "BETA");
}

#[test]
fn what_the_markers_may_not_say_is_a_fault_with_its_names() {
    let faults = |go: &str| read(go).into_iter().flat_map(|of| of.faults).collect::<Vec<_>>().join("; ");
    for (go, fault) in [
        (
            "type U struct {\n // +unionMember\n A *int `json:\"a\"`\n // +unionMember\n B *int `json:\"b\"`\n}",
            "there is no `+unionDiscriminator`",
        ),
        (
            "type U struct {\n // +unionDiscriminator\n T int `json:\"t\"`\n // +unionMember\n A *int `json:\"a\"`\n}",
            "the discriminator `T` is no string",
        ),
        (
            "type E string\nconst X E = \"X\"\ntype U struct {\n // +unionDiscriminator\n T E `json:\"t\"`\n\
             // +unionMember\n A *int `json:\"a\"`\n}",
            "`t` has no value \"A\", by which it would select `a`",
        ),
        (
            "type U struct {\n // +unionDiscriminator\n T string `json:\"t\"`\n // +unionMember=X\n A *int `json:\"a\"`\n\
             // +unionMember=X\n B *int `json:\"b\"`\n}",
            "`a` and `b` have the same value \"X\"",
        ),
        (
            "type U struct {\n // +unionDiscriminator\n T string `json:\"t\"`\n // +unionDiscriminator\n S string `json:\"s\"`\n\
             // +unionMember\n A *int `json:\"a\"`\n}",
            "`T` and `S` are both discriminators; name one with `+unionDiscriminatedBy` at each member",
        ),
        (
            "type U struct {\n // +unionDiscriminator\n // +unionMember\n T string `json:\"t\"`\n // +unionMember\n A *int `json:\"a\"`\n}",
            "`T` is both discriminator and member",
        ),
    ] {
        assert_eq!(faults(go), fault, "{go}");
    }
}

#[test]
fn the_discriminator_decides_only_when_it_was_changed() {
    let union = shape();
    // Before, request, afterwards.
    for (old, new, made) in [
        (
            json!({"kind": "SQUARE", "side": 2}),
            json!({"kind": "Circle", "circle": 1, "side": 2}),
            json!({"kind": "Circle", "circle": 1}),
        ),
        (json!({"kind": "Circle", "circle": 1}), json!({"kind": "", "circle": 1}), json!({"kind": ""})),
        (
            json!({"kind": "Circle", "circle": 1}),
            json!({"kind": "Point", "circle": 1, "side": 3}),
            json!({"kind": "Point"}),
        ),
        (json!({"kind": "Circle", "circle": 1}), json!({"circle": 1, "colour": "red"}), json!({"colour": "red"})),
        (json!({"kind": "Circle", "circle": 1}), json!({"kind": "SQUARE", "circle": 1}), json!({"kind": "SQUARE"})),
        // Unchanged, and unknown.
        (
            json!({"kind": "Circle"}),
            json!({"kind": "Circle", "circle": 1, "side": 2}),
            json!({"kind": "Circle", "circle": 1, "side": 2}),
        ),
        (
            json!({"kind": "Circle"}),
            json!({"kind": "Cube", "circle": 1, "side": 2}),
            json!({"kind": "Cube", "circle": 1, "side": 2}),
        ),
    ] {
        let mut object = new.clone();
        normalise(&union, Some(&old), &mut object);
        assert_eq!(object, made, "{old} {new}");
        let once = object.clone();
        normalise(&union, Some(&old), &mut object);
        assert_eq!(object, once, "normalising twice changes nothing more");
    }
    let mut created = json!({"kind": "Circle", "circle": 1, "side": 2});
    normalise(&union, None, &mut created);
    assert_eq!(created, json!({"kind": "Circle", "circle": 1, "side": 2}));
}

#[test]
fn what_normalisation_leaves_is_validated() {
    let union = shape();
    let said = |old: Option<&Value>, new: &Value| {
        let errors = validate(&union, &Path::ROOT.child("shape"), old, new);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    for (old, new, errors) in [
        (None, json!({"kind": "Circle", "circle": 1}), ""),
        (None, json!({"kind": "SQUARE"}), ""),
        (None, json!({"kind": "SQUARE", "side": 0}), ""),
        (None, json!({"kind": "Point"}), ""),
        (None, json!({}), ""),
        (None, json!({"kind": "Circle"}), "shape.circle: Required value: must be set when `kind` is \"Circle\""),
        (
            Some(json!({"kind": "Circle", "circle": 1})),
            json!({"kind": "Circle", "circle": 1, "side": 2}),
            "shape.side: Invalid value: \"\": `kind` is still \"Circle\"; whoever sets another member must change `kind`",
        ),
        (None, json!({"circle": 1}), "shape.circle: Invalid value: \"\": may not be set when `kind` is \"\""),
        (
            None,
            json!({"kind": "Cube"}),
            "shape.kind: Unsupported value: \"Cube\": supported values: \"Circle\", \"SQUARE\", \"Point\", \"\"",
        ),
    ] {
        assert_eq!(said(old.as_ref(), &new), errors, "{new}");
    }
    let required = Union { may_be_empty: false, discriminator: None, ..union.clone() };
    let errors = validate(&required, &Path::ROOT, None, &json!({}));
    assert_eq!(errors[0].detail, "set one of `circle`, `side`");
    let errors = validate(&required, &Path::ROOT, None, &json!({"circle": 1, "side": 1}));
    assert_eq!(errors[0].detail, "set only one of `circle`, `side`");
}

#[test]
fn a_discriminator_without_a_value_for_none_is_required() {
    let found = read(
        "type E string\nconst (\n A E = \"A\"\n B E = \"B\"\n)\ntype U struct {\n\
         // +unionDiscriminator\n T E `json:\"t\"`\n// +unionMember\n A *int `json:\"a,omitempty\"`\n\
         // +unionMember\n B *int `json:\"b,omitempty\"`\n}",
    );
    let errors = validate(&found[0].union, &Path::ROOT, None, &json!({}));
    assert_eq!(errors[0].to_string(), "t: Required value: choose one of \"A\", \"B\"");
    assert_eq!(found[0].union.none_value(), None);
}
