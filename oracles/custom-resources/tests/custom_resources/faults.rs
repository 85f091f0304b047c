//! Faults planted in the constraints and rules of a kind, and which requests show them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_custom_resources::faults::{Fault, Faults};
use takeover_custom_resources::validate::Request;
use takeover_custom_resources::{CustomKind, kinds_of_crd};
use takeover_harness::control::Controls as _;
use takeover_harness::control::Exposure;
use takeover_harness::rule::{Rule, Sample};

fn kind(spec: &Value) -> CustomKind {
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"},
        "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}});
    kinds_of_crd(&crd).unwrap().remove(0)
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a", "resourceVersion": "1"}, "spec": spec})
}

/// The names of the faults that a request shows, by what both ways of judging say.
fn shown(faults: &Faults, new: &Value, old: Option<&Value>) -> Vec<String> {
    let (new, old) = (object(new), old.map(object));
    let request = old.as_ref().map_or(Request::Create, Request::Update);
    let mut exposure: Exposure = faults.exposure();
    faults.expose(&new, request, &mut exposure);
    let exposed: Vec<usize> = exposure.fresh().collect();
    let of = |index: &usize| &faults.faults()[*index];
    // Whoever judges the whole object sees the same.
    for (index, fault) in faults.faults().iter().enumerate() {
        let by_text = fault.name == "another message";
        let errors = |judged: takeover_custom_resources::faults::Judged| {
            let mut errors: Vec<String> = judged
                .judge(&new, request)
                .into_iter()
                .map(|(_, error)| {
                    let text = if by_text { error.detail.to_string() } else { String::new() };
                    format!("{:?} {} {text}", error.error_type, error.field)
                })
                .collect();
            errors.sort();
            errors.dedup();
            errors
        };
        let differs = errors(faults.sound().clone()) != errors(faults.faulty(fault));
        assert_eq!(differs, exposed.contains(&index), "{fault:?} on {new}");
    }
    exposed.iter().map(of).map(|fault: &Fault| fault.name.clone()).collect()
}

#[test]
fn bounds_and_values_are_told_on_their_limits_only() {
    let faults = Faults::of(&kind(&json!({"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 5}, "mode": {"type": "string", "enum": ["A", "B"]}}})));
    let shown = |spec: Value| shown(&faults, &spec, None);
    assert_eq!(shown(json!({"size": 3, "mode": "A"})), ["value \"A\" dropped"]);
    assert_eq!(shown(json!({"size": 1})), ["bound one higher", "bound itself decided the other way"]);
    assert_eq!(shown(json!({"size": 0})), ["dropped", "bound one lower"]);
    assert_eq!(shown(json!({"size": 6})), ["dropped", "bound one higher"]);
    assert_eq!(shown(json!({"mode": "Unknown"})), ["dropped", "value \"Unknown\" added"]);
}

#[test]
fn what_is_below_an_object_with_too_many_members_is_told_as_well() {
    let faults = Faults::of(&kind(&json!({"type": "object", "maxProperties": 1, "properties": {
        "size": {"type": "integer", "minimum": 1}, "deep": {"type": "object", "properties": {
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 1}}}}}})));
    let shown = |spec: Value| shown(&faults, &spec, None);
    assert_eq!(shown(json!({"size": 0})), ["bound one lower", "dropped", "bound one lower"]);
    assert_eq!(shown(json!({"size": 0, "deep": {}})), ["dropped", "bound one higher", "dropped", "bound one lower"]);
    let below = ["dropped", "dropped", "bound one higher", "bound one higher", "bound itself decided the other way"];
    assert_eq!(
        shown(json!({"size": 1, "deep": {"set": ["aa", "aa"]}})),
        [&["dropped", "bound one higher"][..], &below].concat()
    );
}

#[test]
fn required_sizes_lists_and_alternatives_are_told() {
    let faults = Faults::of(&kind(&json!({"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "string", "maxLength": 2}, "b": {"type": "string", "default": "x"},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "one": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
            "oneOf": [{"required": ["x"]}, {"required": ["y"]}]}}})));
    let shown = |spec: Value| shown(&faults, &spec, None);
    assert_eq!(shown(json!({"b": "x"})), ["dropped"]);
    assert_eq!(shown(json!({"a": "aaa", "b": "x"})), ["dropped", "bound one higher"]);
    assert_eq!(shown(json!({"a": "", "b": "x", "set": ["s", "s"]})), ["dropped"]);
    assert_eq!(
        shown(json!({"a": "", "b": "x", "one": {"x": "", "y": ""}})),
        ["dropped", "several alternatives may hold", "alternative 1 dropped", "alternative 2 dropped"]
    );
    let equivalent: Vec<&Fault> = faults.faults().iter().filter(|fault| fault.equivalent.is_some()).collect();
    assert_eq!(equivalent.iter().map(|fault| fault.equivalent).collect::<Vec<_>>(), [Some("the default is set first")]);
}

#[test]
fn expressions_are_told_where_they_differ() {
    let faults = Faults::of(&kind(
        &json!({"type": "object", "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "!has(self.max) || self.min <= self.max", "fieldPath": ".max"}]}),
    ));
    let shown = |spec: Value| shown(&faults, &spec, None);
    assert_eq!(
        shown(json!({"min": 2, "max": 2})),
        ["`||` is `&&`", "`self.min <= self.max` dropped", "`<=` is `<`", "negated"]
    );
    assert_eq!(
        shown(json!({"min": 2, "max": 1})),
        ["dropped", "`!` dropped", "negated", "another message", "error at its parent", "error of another type"]
    );
    assert!(shown(json!({"min": 2})).contains(&"`!has(self.max)` dropped".to_owned()));
}

#[test]
fn changes_need_an_old_value_and_are_blocked_by_other_errors() {
    let faults = Faults::of(&kind(&json!({"type": "object", "required": ["must"], "properties": {
        "must": {"type": "string"}, "fixed": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}})));
    let changed = shown(&faults, &json!({"must": "", "fixed": "b"}), Some(&json!({"must": "", "fixed": "a"})));
    assert!(changed.contains(&"`oldSelf` is `self`".to_owned()), "{changed:?}");
    // Without the old value the faulty rule judges creates as well, and holds.
    assert_eq!(shown(&faults, &json!({"must": "", "fixed": "b"}), None), [""; 0]);
    assert_eq!(shown(&faults, &json!({"fixed": "b"}), Some(&json!({"must": "", "fixed": "a"}))), ["dropped"]);
}

#[test]
fn faults_that_do_not_compile_are_none() {
    let faults = Faults::of(&kind(&json!({"type": "object", "properties": {"a": {"type": "string"}},
        "x-kubernetes-validations": [{"rule": "self.a == 'x'"}]})));
    let names: Vec<&str> = faults.faults().iter().map(|fault| fault.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "dropped",
            "`==` is `!=`",
            "`'x'` is `'xx'`",
            "negated",
            "another message",
            "error at its parent",
            "error of another type"
        ]
    );
    assert_eq!(faults.catalogue().len(), names.len());
}

/// The value without its nulls, which a sample leaves out.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let set = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(set.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

/// The faults of a member of the spec that no sample of its rules shows.
fn left(schema: &Value) -> Vec<String> {
    let kind = kind(&json!({"type": "object", "properties": {"of": schema}}));
    let faults = Faults::of(&kind);
    let mut exposure: Exposure = faults.exposure();
    let rules: Vec<&Rule> = kind.hints().iter().filter(|rule| rule.path == "spec.of").collect();
    for class in rules.iter().flat_map(|rule| &rule.boundaries) {
        let Sample::Value(sample) = &class.sample else { continue };
        faults.expose(&object(&json!({"of": without_nulls(sample)})), Request::Create, &mut exposure);
    }
    let is_own = |fault: &&Fault| rules.iter().any(|rule| rule.id == fault.rule);
    assert!(faults.telling().filter(is_own).count() > 2);
    faults.survivors(&exposure).filter(is_own).map(|fault| fault.name.clone()).collect()
}

#[test]
fn samples_show_what_is_held_together_nested_or_large() {
    let same = "a.kind == b.kind && a.name == b.name";
    let section = "(has(a.section) ? has(b.section) && a.section == b.section : !has(b.section))";
    let references = json!({"type": "array", "maxItems": 16, "items": {"type": "object", "required": ["kind", "name"],
        "properties": {"kind": {"type": "string"}, "name": {"type": "string"}, "section": {"type": "string"}}},
    "x-kubernetes-validations": [
        {"rule": format!("self.all(a, self.all(b, {same} ? has(a.section) == has(b.section) : true))")},
        {"rule": format!("self.all(a, self.exists_one(b, {same} && {section}))")}]});
    // Where only one of two has a section, the first rule rejects the list as well, in the same place.
    assert_eq!(left(&references), ["`has(b.section)` is `true`", "`has(b.section)` dropped"]);

    let required = |names: &[&str]| names.iter().map(|name| json!({"required": [name]})).collect::<Vec<_>>();
    let one_of = |names: &[&str]| {
        let none = json!({"not": {"anyOf": required(names)}});
        let all = [vec![none], required(names)].concat();
        json!({"oneOf": all})
    };
    let text = json!({"type": "string"});
    let nested = json!({"type": "object", "allOf": [one_of(&["a", "b", "c"]), one_of(&["d", "e"])],
        "properties": {"a": text, "b": text, "c": text, "d": text, "e": text}});
    assert_eq!(left(&nested), [""; 0]);

    for large in [
        json!({"type": "array", "maxItems": 4096, "items": {"type": "string", "maxLength": 9}}),
        json!({"type": "object", "maxProperties": 4096, "additionalProperties": {"type": "string"}, "minProperties": 1}),
    ] {
        assert_eq!(left(&large), [""; 0]);
    }
}

#[test]
fn samples_meet_several_conditions_of_one_text_at_once() {
    let socket = json!({"type": "string", "maxLength": 256, "x-kubernetes-validations": [
        {"rule": "self.startsWith('unix://') ? (self.substring(7, 8) == '/' || self.substring(7, 8) == '@') : true"},
        {"rule": "self.startsWith('unix://') ? !self.endsWith('/') : true"}]});
    assert_eq!(left(&socket), [""; 0]);
    let scheme = json!({"type": "string", "maxLength": 256, "x-kubernetes-validations": [
        {"rule": "isURL(self) && url(self).getScheme() in ['', 'http', 'oci']"}]});
    // What is no URL has no scheme, which is an error as well.
    assert_eq!(left(&scheme), ["`isURL(self)` dropped"]);
    let prefix = json!({"type": "object", "maxProperties": 4, "additionalProperties": {"type": "string"},
        "x-kubernetes-validations": [{"rule": "self.all(key, key.split('/')[0].size() < 253)"},
            {"rule": "self.all(key, key.matches('^([a-z0-9]*/)?[a-z0-9]+$'))"}]});
    assert_eq!(left(&prefix), [""; 0]);
}

#[test]
fn samples_hold_each_part_of_a_list_against_its_own_constant() {
    let target = json!({"type": "object", "required": ["group", "kind"],
        "properties": {"group": {"type": "string", "maxLength": 64}, "kind": {"type": "string", "maxLength": 64}},
        "x-kubernetes-validations": [{"rule": "[self.group, self.kind] in [['', 'Service'], ['net', 'Gateway'], ['net', 'Entry']]"}]});
    assert_eq!(left(&target), [""; 0]);
}

#[test]
fn samples_of_lists_by_keys_differ_in_keys_that_a_pattern_restricts() {
    let listeners = json!({"type": "array", "maxItems": 64, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name", "protocol"], "properties": {
            "name": {"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
            "protocol": {"type": "string", "maxLength": 9}, "host": {"type": "string", "minLength": 1, "maxLength": 9}}},
        "x-kubernetes-validations": [
            {"rule": "self.all(one, self.exists_one(other, one.name == other.name))"},
            {"rule": "self.all(one, one.protocol in ['TCP', 'UDP'] ? (!has(one.host) || one.host == one.name) : true)"}]});
    // Names that are the same break the type of the list and both rules, and one name that is its own does not keep the first.
    assert_eq!(left(&listeners), [""; 0]);
}

#[test]
fn samples_of_lists_by_several_keys_differ_in_each_key_alone() {
    let ports = json!({"type": "array", "maxItems": 9, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": {"type": "object", "required": ["port"], "properties": {
            "port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}}}});
    assert_eq!(left(&ports), [""; 0]);
}

#[test]
fn samples_take_every_way_through_alternatives_of_members() {
    let address = json!({"type": "object", "required": ["value"], "properties": {
            "type": {"type": "string", "default": "IP", "pattern": "^(IP|Host|[a-z]+/[a-z]+)$"},
            "value": {"type": "string", "minLength": 1, "maxLength": 253}},
        "oneOf": [{"properties": {"type": {"enum": ["IP"]}, "value": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}}},
            {"properties": {"type": {"not": {"enum": ["IP"]}}}}]});
    assert_eq!(left(&address), [""; 0]);
}

#[test]
fn for_how_many_elements_a_rule_holds_makes_no_difference_where_there_is_one() {
    let of = |most: u64, reason: &str| {
        let faults = Faults::of(&kind(
            &json!({"type": "array", "minItems": 1, "maxItems": most, "items": {"type": "string"},
            "x-kubernetes-validations": [{"rule": "self.all(of, isURL(of)) && self.exists(of, of.startsWith('h'))", "reason": reason}]}),
        ));
        let equivalent = faults.faults().iter().filter(|fault| fault.equivalent == Some("the list has one element"));
        equivalent.map(|fault| fault.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(1, "FieldValueInvalid"), ["`all` is `exists`", "`exists` is `all`"]);
    assert_eq!([of(2, "FieldValueInvalid"), of(1, "FieldValueForbidden")], [[""; 0]; 2]);
}
