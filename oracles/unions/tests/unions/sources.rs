//! Where unions are read from beside the markers of KEP-1027: the tags of today, the list, and schemas.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_declarative::idl::{Loader, Memory};
use takeover_unions::read::{GoUnions, unions_of_go, unions_of_schema};
use takeover_unions::{Origin, Union};

fn of_package(package: &str, go: &str) -> (Vec<Union>, Vec<String>) {
    let source = format!("package v1\n\n{go}");
    let loader = Loader::new().with(Memory::new().file(package, "types.go", &source));
    let idl = loader.load([package]).into_result().unwrap();
    let GoUnions { unions: found, of_items, .. } = unions_of_go(&idl, |_| true);
    (found.into_iter().map(|of| of.union).collect(), of_items)
}

fn members(union: &Union) -> Vec<(&str, &str, bool)> {
    union.members.iter().map(|of| (of.name.as_str(), of.value.as_str(), of.optional)).collect()
}

#[test]
fn tags_of_today_are_read_each_with_its_origin() {
    let (found, of_items) = of_package(
        "example.com/api/v1",
        "type Mode string\nconst (\n Limited Mode = \"Limited\"\n Exempt Mode = \"Exempt\"\n)\n\
         // +union\ntype Level struct {\n // +unionDiscriminator\n Type Mode `json:\"type\"`\n\
         // +optional\n Limited *int `json:\"limited,omitempty\"`\n\
         // +k8s:member(\"Exempt\")=+k8s:optional\n // +k8s:member(\"Limited\")=+k8s:forbidden\n Exempt *int `json:\"exempt,omitempty\"`\n}\n\
         type Attribute struct {\n\
         // +k8s:alpha(since: \"1.36\")=+k8s:unionMember\n // +oneOf=Value\n Int *int `json:\"int,omitempty\"`\n\
         // +k8s:alpha(since: \"1.36\")=+k8s:unionMember\n // +oneOf=Value\n Text *string `json:\"text,omitempty\"`\n}\n\
         type Spec struct {\n // +zeroOrOneOf=Kind\n Devices []int `json:\"devices,omitempty\"`\n\
         // +zeroOrOneOf=Kind\n Counters []int `json:\"counters,omitempty\"`\n\
         // +k8s:item(type: \"A\")=+k8s:zeroOrOneOfMember\n Conditions []Condition `json:\"conditions,omitempty\"`\n}\n\
         type Condition struct {\n Type string `json:\"type\"`\n}\n",
    );
    let shown: Vec<_> = found.iter().map(|of| (of.owner.rsplit('.').next().unwrap(), of.origin)).collect();
    assert_eq!(shown, [("Attribute", Origin::Validation), ("Level", Origin::Type), ("Spec", Origin::Group)]);
    assert_eq!(members(&found[1]), [("limited", "Limited", false), ("exempt", "Exempt", true)]);
    assert!(!found[0].may_be_empty && found[2].may_be_empty && found[2].members[0].zero_is_unset);
    assert_eq!(of_items, ["example.com/api/v1.Spec.conditions"]);
}

#[test]
fn unions_without_tags_are_read_from_the_list_where_the_package_is_that_of_kubernetes() {
    let go = "type Kind string\nconst (\n R Kind = \"Recreate\"\n U Kind = \"RollingUpdate\"\n)\n\
              type DeploymentStrategy struct {\n Type Kind `json:\"type,omitempty\"`\n RollingUpdate *int `json:\"rollingUpdate,omitempty\"`\n}\n";
    let (found, _) = of_package("k8s.io/api/apps/v1", go);
    assert_eq!(found[0].origin, Origin::Listed);
    let discriminator = found[0].discriminator.as_ref().unwrap();
    assert_eq!((discriminator.default.as_deref(), discriminator.values.len()), (Some("RollingUpdate"), 2));
    assert_eq!(found[0].none_value(), Some("Recreate"));
    assert!(of_package("example.com/apps/v1", go).0.is_empty());
}

fn of_schema(mut schema: Value) -> Vec<Union> {
    schema["type"] = json!("object");
    let around = json!({"type": "object", "properties": {"source": schema}});
    let found = unions_of_schema("gadgets v1", &around);
    assert!(found.iter().all(|of| of.union.owner == "gadgets v1.source"));
    found.into_iter().map(|of| of.union).collect()
}

fn properties() -> Value {
    let part = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"type": {"type": "string", "enum": ["Git", "Http", "None"]}, "git": part, "http": part, "other": {"type": "string"}})
}

#[test]
fn one_of_is_a_union_if_its_branches_require_one_member_each() {
    let require = |name: &str| json!({"required": [name]});
    let plain = of_schema(json!({"properties": properties(), "oneOf": [require("git"), require("http")]}));
    assert_eq!((plain[0].origin, plain[0].may_be_empty), (Origin::OneOf, false));
    assert_eq!(members(&plain[0]), [("git", "Git", false), ("http", "Http", false)]);
    let none = json!({"not": {"anyOf": [require("git"), require("http")]}});
    let optional = of_schema(json!({"properties": properties(), "oneOf": [none, require("git"), require("http")]}));
    assert!(optional[0].may_be_empty);
    let by = |value: &str, names: Value| json!({"properties": {"type": {"enum": [value]}}, "required": names});
    let branches = json!([by("Git", json!(["type", "git"])), by("Http", json!(["http"])), by("None", json!([]))]);
    let chosen = of_schema(json!({"properties": properties(), "required": ["type"], "oneOf": branches}));
    assert_eq!(chosen[0].discriminator.as_ref().unwrap().values, ["Git", "Http", "None"]);
    assert_eq!(chosen[0].none_value(), Some("None"));
    for none in [json!([require("git"), {"required": ["git", "http"]}]), json!([{"minProperties": 1}, require("git")])]
    {
        assert!(of_schema(json!({"properties": properties(), "oneOf": none})).is_empty());
    }
    let single = of_schema(
        json!({"properties": {"git": {"type": "string"}, "http": {"type": "string"}}, "maxProperties": 1, "minProperties": 1}),
    );
    assert_eq!((single[0].origin, single[0].may_be_empty), (Origin::MaxProperties, false));
}

#[test]
fn cel_rules_are_unions_by_what_they_accept_however_they_are_written() {
    let of = |rules: &[&str]| {
        let rules: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
        of_schema(json!({"properties": properties(), "required": ["type"], "x-kubernetes-validations": rules}))
    };
    for (rule, may_be_empty) in [
        ("has(self.git) != has(self.http)", false),
        ("(has(self.git) ? 1 : 0) + (has(self.http) ? 1 : 0) == 1", false),
        ("[has(self.git), has(self.http)].filter(x, x).size() <= 1", true),
        ("!(has(self.git) && has(self.http))", true),
    ] {
        let found = of(&[rule]);
        assert_eq!(found.len(), 1, "{rule}");
        assert_eq!((found[0].origin, found[0].may_be_empty), (Origin::Cel, may_be_empty), "{rule}");
        assert!(found[0].discriminator.is_none());
    }
    for rule in
        ["has(self.git) || has(self.http)", "has(self.git) == has(self.http)", "has(self.git)", "self.other != ''"]
    {
        assert!(of(&[rule]).is_empty(), "{rule}");
    }
    let found = of(&["self.type == 'Git' ? has(self.git) : !has(self.git)", "has(self.http) == (self.type == 'Http')"]);
    assert_eq!(members(&found[0]), [("git", "Git", false), ("http", "Http", false)]);
    assert_eq!(found[0].discriminator.as_ref().unwrap().values, ["Git", "Http", "None"]);
    let found = of(&["!has(self.git) || self.type == 'Git'", "!has(self.http) || self.type == 'Http'"]);
    assert!(found[0].members.iter().all(|member| member.optional));
}

#[test]
fn members_that_several_cel_rules_exclude_are_one_union() {
    let of = |rules: &[&str]| {
        let rules: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
        let text = json!({"type": "string"});
        let found =
            of_schema(json!({"properties": {"x": text, "y": text, "z": text}, "x-kubernetes-validations": rules}));
        let names = |union: &Union| {
            let names: Vec<&str> = union.members.iter().map(|member| member.name.as_str()).collect();
            format!("{}{}", names.join(" "), if union.may_be_empty { "?" } else { "" })
        };
        found.iter().map(names).collect::<Vec<_>>()
    };
    for (rules, expected) in [
        (
            &["!has(self.x) || !has(self.y)", "!has(self.x) || !has(self.z)", "!has(self.z) || !has(self.y)"][..],
            &["x y z?"][..],
        ),
        (
            &["!(has(self.z) && has(self.y))", "!(has(self.x) && has(self.z))", "!(has(self.x) && has(self.y))"],
            &["x y z?"],
        ),
        (&["has(self.x) ? !has(self.y) && !has(self.z) : true", "has(self.y) ? !has(self.z) : true"], &["x y z?"]),
        // One of them is wanted.
        (&["!(has(self.x) && has(self.y))", "has(self.x) || has(self.y)"], &["x y"]),
        // `y` and `z` go together.
        (&["!has(self.x) || !has(self.y)", "!has(self.x) || !has(self.z)"], &["x y?", "x z?"]),
        // `z` lifts the exclusion.
        (&["!(has(self.x) && has(self.y)) || has(self.z)"], &[]),
    ] {
        assert_eq!(of(rules), expected, "{rules:?}");
    }
}

#[test]
fn members_that_only_unknown_fields_allow_are_undeclared() {
    let schema = json!({"x-kubernetes-preserve-unknown-fields": true, "type": "object",
        "oneOf": [{"required": ["http"]}, {"required": ["tcp"]}]});
    let found = unions_of_schema("v1 Widget", &schema);
    assert_eq!(found[0].undeclared(), ["http", "tcp"]);
}

#[test]
fn members_of_which_no_two_may_be_set_are_a_union() {
    let of = |more: Value| {
        let text = json!({"type": "string"});
        let mut schema =
            json!({"type": "object", "properties": {"git": text, "http": text, "oci": text, "name": text}});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = unions_of_schema("v1 Widget", &schema).into_iter().map(|of| of.union);
        found
            .map(|union| {
                let names: Vec<String> = union.members.iter().map(|member| member.name.clone()).collect();
                (union.origin, names.join(" "), union.may_be_empty)
            })
            .collect::<Vec<_>>()
    };
    let required = |names: &[&str]| json!({"required": names});
    let any = json!([required(&["git"]), required(&["http"])]);
    let two = of(json!({"anyOf": any, "not": required(&["git", "http"])}));
    assert_eq!(two, [(Origin::Not, "git http".to_owned(), false)]);
    let pairs = json!([required(&["git", "http"]), required(&["http", "oci"]), required(&["git", "oci"])]);
    assert_eq!(of(json!({"not": {"anyOf": pairs}})), [(Origin::Not, "git http oci".to_owned(), true)]);
    // Two of them may be set together, or nothing is excluded.
    let some = json!([required(&["git", "http"]), required(&["http", "oci"])]);
    assert_eq!(of(json!({"not": {"anyOf": some}})), []);
    assert_eq!(of(json!({"anyOf": any})), []);
}

#[test]
fn a_tag_of_a_union_that_cannot_be_read_is_named() {
    let source =
        "package v1\n\ntype Source struct {\n // +k8s:unionMember(\n Git *string `json:\"git,omitempty\"`\n}\n";
    let loader = Loader::new().with(Memory::new().file("example.com/api/v1", "types.go", source));
    let found = unions_of_go(&loader.load(["example.com/api/v1"]).into_result().unwrap(), |_| true);
    let [unreadable] = found.unreadable.as_slice() else { panic!("{found:?}") };
    assert!(unreadable.starts_with("example.com/api/v1.Source.git: `+k8s:unionMember(`: "), "{unreadable}");
}
