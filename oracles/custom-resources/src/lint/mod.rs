//! Mistakes in CRDs: what a server rejects, and what it takes although it cannot be meant.

mod absent;
mod bounds;
mod changes;
mod cost;
mod formats;
mod patterns;
mod settled;
mod updated;

pub use changes::changes;
pub use updated::lint_update;

use crate::crd::CrdError;
use crate::refuse::{Before, check_types, refusals};
use crate::rules::NodeLanguage;
use crate::structural::Structural;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use takeover_harness::error::ErrorList;
use takeover_harness::path::Path;

/// Schemas below a node with rules.
const MOST_SCHEMAS: usize = 100_000;

/// The place of a schema that all versions share.
const SHARED: &str = "spec.validation.openAPIV3Schema";

/// A lint of CRDs.
#[derive(Debug)]
pub struct CrdLint {
    /// Its name.
    pub name: &'static str,
    /// Whether its findings are errors; otherwise they are warnings.
    pub is_error: bool,
    /// One sentence.
    pub summary: &'static str,
    /// When exactly it finds something, and why that matters.
    pub explanation: &'static str,
}

/// What a server rejects.
pub static REFUSED: CrdLint = CrdLint {
    name: "crd-refused",
    is_error: true,
    summary: "An API server would reject the CRD.",
    explanation: "Everything that keeps a server of 1.36 from creating the CRD, in the words of the server: schemas that are \
                  not structural, types of lists and maps, names, versions, subresources, columns and selectable fields, and \
                  CEL rules that do not compile or cost too much.",
};

/// Defaults that a server rejects.
pub static DEFAULT: CrdLint = CrdLint {
    name: "crd-default",
    is_error: true,
    summary: "A default is invalid by the schema, or would be pruned.",
    explanation: "What a server rejects in defaults, and the same below `additionalProperties`, where it does not look: \
                  there, every request that leaves out the field would fail. With `--old`, defaults may have unknown fields if one in \
                  the old CRD has, as in an update; invalid values are rejected even if they are unchanged. And elements in the \
                  default of a set or map list that are equal, or have equal keys: servers create the CRD, and reject every request \
                  that gets the default. The same goes for a default of `x-kubernetes-int-or-string` that is neither an integer nor a \
                  string: the structural schema that servers check defaults against names no type for it.",
};

/// Patterns that match parts of a text.
pub static ANCHORS: CrdLint = CrdLint {
    name: "crd-pattern-anchors",
    is_error: false,
    summary: "A pattern is not anchored at both ends.",
    explanation: "Patterns are searched in the text: without `^` and `$`, any text passes that contains a match. Each \
                  alternative needs its own anchors, or a group around all of them.",
};

/// Formats that servers ignore.
pub static UNKNOWN_FORMAT: CrdLint = CrdLint {
    name: "crd-unknown-format",
    is_error: false,
    summary: "A format checks nothing.",
    explanation: "Servers ignore a format that they do not know, or that is one of another type: any value passes. Misspelled formats \
                  stay unnoticed in this way.",
};

/// Bounds that leave nothing.
pub static BOUNDS: CrdLint = CrdLint {
    name: "crd-bounds",
    is_error: true,
    summary: "No value satisfies all constraints of a field.",
    explanation: "A lower bound above the upper one, bounds without a whole number or a multiple of `multipleOf` between them, an \
                  enum whose values are rejected by the other constraints of the field, a set that is to have more elements than \
                  there are, numbers of members that those required or declared contradict, or a required member that the schema does \
                  not declare. No object with such a field can be stored.",
};

/// CEL rules that nothing breaks.
pub static NEVER_FIRES: CrdLint = CrdLint {
    name: "crd-never-fires",
    is_error: false,
    summary: "A CEL rule rejects no object.",
    explanation: "A rule that holds for every value that the schema accepts: bounds, enums or required fields say the same, or the rule \
                  says nothing. Found by trying a value of each sort that the rule tells apart, in each mixture; rules with functions, \
                  arithmetic, maps, other fields or old values on both sides of a comparison are not judged.",
};

/// CEL rules that everything breaks.
pub static ALWAYS_FIRES: CrdLint = CrdLint {
    name: "crd-always-fires",
    is_error: false,
    summary: "A CEL rule rejects every object.",
    explanation: "A rule that fails for every value that the schema accepts, so that no object with the field can be stored. Found as \
                  for `crd-never-fires`.",
};

/// CEL rules that end in an error.
pub static ABSENT_FIELD: CrdLint = CrdLint {
    name: "crd-absent-field",
    is_error: false,
    summary: "A CEL rule reads an optional field that may be absent.",
    explanation: "Without `has` before it, a rule that reads an absent field ends in the error \"no such key\", and the object is rejected \
                  with that text instead of the rule's message. Found by evaluating objects that the schema and the other rules below the \
                  node accept; rules of the objects around it are not considered.",
};

/// Changes that refuse stored objects.
pub static CHANGES: CrdLint = CrdLint {
    name: "crd-change",
    is_error: true,
    summary: "A new version of the CRD rejects what the old one accepted.",
    explanation: "Only with `--old`: another type, a new or tighter constraint, a newly required field without a default, a \
                  required field that lost its default, a value removed from an enum, a list that became a set or a map or has other \
                  keys, a value that became an embedded resource, a new CEL rule or bound that neither the old schema nor an old rule \
                  implies as far as that can be told, and a removed field or version. Stored objects may be rejected on their next \
                  update, and removed fields are dropped. Also another group, scope or name of the kind, which servers do not change.",
};

/// Patterns that changed.
pub static CHANGED_PATTERN: CrdLint = CrdLint {
    name: "crd-changed-pattern",
    is_error: false,
    summary: "A pattern changed, and may reject what the old one accepted.",
    explanation: "Only with `--old`: texts that the old schema accepts were tried, and the new pattern matches all of them. Whether it \
                  matches every such text cannot be told by trying. Where a text is found that it does not match, this is a `crd-change`.",
};

/// Every lint of CRDs.
#[must_use]
pub fn lints() -> [&'static CrdLint; 10] {
    [
        &REFUSED,
        &DEFAULT,
        &ANCHORS,
        &UNKNOWN_FORMAT,
        &BOUNDS,
        &NEVER_FIRES,
        &ALWAYS_FIRES,
        &ABSENT_FIELD,
        &CHANGES,
        &CHANGED_PATTERN,
    ]
}

/// A mistake.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which lint found it.
    pub lint: &'static CrdLint,
    /// Where, as a server names it: `spec.versions[0].schema.openAPIV3Schema.properties[a].pattern`.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to do, if anything is to be said.
    pub help: Option<Cow<'static, str>>,
}

/// Takes a mistake: the lint, the member of the node that it is about, what is wrong, and what to do.
type Add<'a> = &'a mut dyn FnMut(&'static CrdLint, &str, String, Option<Cow<'static, str>>);

/// The mistakes in a manifest of `apiextensions.k8s.io/v1`.
#[must_use]
pub fn lint(document: &Value) -> Vec<Finding> {
    findings(document, || refusals(document, Before::Defaults))
}

/// The mistakes in a manifest. `refused` says what a server rejects of it, if it can decode it.
fn findings(document: &Value, refused: impl FnOnce() -> ErrorList) -> Vec<Finding> {
    if let Err(error) = check_types(document) {
        let field = match &error {
            CrdError::Unexpected { field, .. } => field.clone(),
            _ => "spec".to_owned(),
        };
        let message = format!("a server cannot decode it: {error}");
        return vec![Finding { lint: &REFUSED, field, message, help: None }];
    }
    let schemas: Vec<(String, Arc<Structural>)> =
        schemas(document).into_iter().map(|(path, schema)| (path, crate::crd::structural_of(schema, "").0)).collect();
    let mut estimates: HashMap<String, HashMap<String, u64>> = HashMap::new();
    let mut found: Vec<Finding> = refused()
        .into_vec()
        .into_iter()
        .map(|error| {
            let of_default = error.field.contains(".default");
            let lint = if of_default { &DEFAULT } else { &REFUSED };
            let shown = error.to_string();
            let message = shown.strip_prefix(&format!("{}: ", error.field)).unwrap_or(&shown).to_owned();
            let help = schemas.iter().filter(|_| cost::is_estimate(&message)).find_map(|(path, schema)| {
                // What versions share, servers name apart.
                let field = [path.as_str(), SHARED].iter().find_map(|path| error.field.strip_prefix(path))?;
                let of_schema = estimates.entry(path.clone()).or_insert_with(|| {
                    let written = self::schemas(document).into_iter().find(|(known, _)| known == path);
                    written.map(|(_, schema)| cost::estimates(schema)).unwrap_or_default()
                });
                Some(cost::help(schema, field, *of_schema.get(field)?))
            });
            Finding { lint, field: error.field, message, help: help.map(Cow::Owned) }
        })
        .collect();
    for (path, structural) in schemas {
        nodes(&structural, &Path::ROOT, false, &mut |node, at, in_others| {
            let mut add = |lint: &'static CrdLint, member: &str, message: String, help: Option<Cow<'static, str>>| {
                let at = if at.is_root() { String::new() } else { format!(".{at}") };
                found.push(Finding { lint, field: format!("{path}{at}.{member}"), message, help });
            };
            patterns::check(node, &mut add);
            formats::check(node, &mut add);
            let whole = at.is_root() || node.embedded;
            bounds::check(node, whole, &mut add);
            let has_rules = !node.rules.is_empty();
            let language = has_rules.then(|| NodeLanguage::of(node, whole, MOST_SCHEMAS)).flatten();
            if let Some(language) = &language {
                settled::check(language, node, whole, &mut add);
                absent::check(language, node, whole, &mut add);
            }
            bounds::default(language.as_ref(), node, !in_others, &mut add);
        });
    }
    found
}

/// The schemas of a manifest with their paths.
fn schemas(document: &Value) -> Vec<(String, &Value)> {
    let versions = document.pointer("/spec/versions").and_then(Value::as_array);
    let each = versions.into_iter().flatten().enumerate();
    each.filter_map(|(index, version)| {
        let schema = version.pointer("/schema/openAPIV3Schema").filter(|schema| schema.is_object())?;
        Some((format!("spec.versions[{index}].schema.openAPIV3Schema"), schema))
    })
    .collect()
}

/// Calls `visit` for every node, with whether it is below `additionalProperties`.
fn nodes(
    node: &Arc<Structural>,
    path: &Path<'_>,
    in_others: bool,
    visit: &mut dyn FnMut(&Structural, &Path<'_>, bool),
) {
    visit(node, path, in_others);
    if let Some(items) = &node.items {
        nodes(items, &path.child("items"), in_others, visit);
    }
    let properties = path.child("properties");
    for (name, property) in &node.properties {
        nodes(property, &properties.key(name), in_others, visit);
    }
    if let Some(crate::structural::Additional::Schema(schema)) = &node.additional {
        nodes(schema, &path.child("additionalProperties"), true, visit);
    }
    let checks = &node.checks;
    for (name, schemas) in [("allOf", &checks.all_of), ("anyOf", &checks.any_of), ("oneOf", &checks.one_of)] {
        let path = path.child(name);
        schemas.iter().enumerate().for_each(|(index, schema)| nodes(schema, &path.index(index), in_others, visit));
    }
    if let Some(schema) = &checks.not {
        nodes(schema, &path.child("not"), in_others, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, changes, lint};
    use serde_json::{Value, json};

    fn crd(properties: Value) -> Value {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "gadgets.example.com"}, "spec": {"group": "example.com", "scope": "Cluster",
            "names": {"kind": "Gadget", "plural": "gadgets"}, "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]}})
    }

    fn found(properties: Value) -> Vec<String> {
        let short = |finding: Finding| {
            let field = finding.field.rsplit("properties[").next().unwrap_or_default().to_owned();
            format!("{} {field}", finding.lint.name)
        };
        lint(&crd(properties)).into_iter().map(short).collect()
    }

    #[test]
    fn every_lint_finds_its_mistake_and_nothing_else() {
        let rows = [
            (json!({"a": {"type": "string", "pattern": "^[a-z]+$"}}), vec![]),
            (json!({"a": {"type": "string", "pattern": "[a-z]+$"}}), vec!["crd-pattern-anchors a].pattern"]),
            (json!({"a": {"type": "string", "pattern": "^a|b$"}}), vec!["crd-pattern-anchors a].pattern"]),
            (json!({"a": {"type": "string", "pattern": "^(a|b)$"}}), vec![]),
            (
                json!({"a": {"type": "string", "format": "date-time"}, "b": {"type": "integer", "format": "int32"}}),
                vec![],
            ),
            (json!({"a": {"type": "string", "format": "emial"}}), vec!["crd-unknown-format a].format"]),
            (json!({"a": {"type": "string", "format": "int32"}}), vec!["crd-unknown-format a].format"]),
            (json!({"a": {"type": "array"}}), vec!["crd-refused a].items"]),
            (json!({"a": {"type": "integer", "minimum": "one"}}), vec!["crd-refused a].minimum"]),
            (json!({"a": {"type": "integer", "default": "x"}}), vec!["crd-default a].default"]),
            (
                json!({"a": {"type": "object", "additionalProperties": {"type": "object", "properties": {
                    "b": {"type": "integer", "default": 3, "maximum": 2}}}}}),
                vec!["crd-default b].default"],
            ),
            (json!({"a": {"type": "integer", "minimum": 3, "maximum": 2}}), vec!["crd-bounds a].maximum"]),
            (
                json!({"a": {"type": "integer", "minimum": 2, "maximum": 2, "exclusiveMaximum": true}}),
                vec!["crd-bounds a].maximum"],
            ),
            (json!({"a": {"type": "string", "minLength": 3, "maxLength": 2}}), vec!["crd-bounds a].maxLength"]),
            (json!({"a": {"type": "string", "enum": ["a", "bb"], "maxLength": 1}}), vec!["crd-bounds a].enum[1]"]),
            (
                json!({"a": {"type": "integer", "multipleOf": 5, "minimum": 6, "maximum": 9}}),
                vec!["crd-bounds a].multipleOf"],
            ),
            (json!({"a": {"type": "integer", "multipleOf": 5, "minimum": 6, "maximum": 10}}), vec![]),
            (
                json!({"a": {"type": "integer", "multipleOf": 5, "minimum": 6, "maximum": 10, "exclusiveMaximum": true}}),
                vec!["crd-bounds a].multipleOf"],
            ),
            (
                json!({"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": true}}),
                vec!["crd-bounds a].maximum"],
            ),
            (json!({"a": {"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 1.5}}), vec![]),
            (
                json!({"a": {"type": "array", "x-kubernetes-list-type": "set", "minItems": 3, "items": {"type": "boolean"}}}),
                vec!["crd-bounds a].minItems"],
            ),
            (
                json!({"a": {"type": "object", "required": ["x", "y"], "maxProperties": 1,
                    "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}}),
                vec!["crd-bounds a].maxProperties"],
            ),
            (
                json!({"a": {"type": "object", "minProperties": 2, "properties": {"x": {"type": "string"}}}}),
                vec!["crd-bounds a].minProperties"],
            ),
            (
                json!({"a": {"type": "array", "x-kubernetes-list-type": "set", "default": ["x", "x"],
                    "items": {"type": "string"}}}),
                vec!["crd-default a].default"],
            ),
            (
                json!({"a": {"type": "object", "additionalProperties": {"type": "object", "properties": {
                    "b": {"type": "object", "default": {"c": 1}, "properties": {"d": {"type": "integer"}}}}}}}),
                vec!["crd-default b].default"],
            ),
            (
                json!({"a": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "object", "properties": {
                    "b": {"type": "integer", "default": 3, "x-kubernetes-validations": [{"rule": "self > 3"}]}}}}}),
                vec!["crd-default b].default"],
            ),
            (
                json!({"a": {"type": "array", "x-kubernetes-list-type": "set", "minItems": 3,
                    "items": {"type": "string", "enum": ["x", "y"]}}}),
                vec!["crd-bounds a].minItems"],
            ),
            (
                json!({"a": {"type": "object", "required": ["x", "y"], "properties": {"x": {"type": "string"}}}}),
                vec!["crd-bounds a].required[1]"],
            ),
            (json!({"a": {"type": "object", "required": ["y"], "additionalProperties": {"type": "string"}}}), vec![]),
        ];
        for (properties, expected) in rows {
            assert_eq!(found(properties.clone()), expected, "{properties}");
        }
    }

    #[test]
    fn a_default_that_is_neither_an_integer_nor_a_string_is_found_though_servers_accept_it() {
        let port = |default: Value| json!({"a": {"x-kubernetes-int-or-string": true, "default": default}});
        let inside = |default: Value| {
            let ports = json!({"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}});
            json!({"a": {"type": "object", "default": default, "properties": {"ports": ports}}})
        };
        for (properties, is_valid) in [
            (port(json!(80)), true),
            (port(json!("http")), true),
            (port(json!(5_000_000_000_i64)), true),
            (port(json!(true)), false),
            (port(json!(1.5)), false),
            (port(json!([1])), false),
            (inside(json!({"ports": {"x": 1}})), true),
            (inside(json!({"ports": {"x": true}})), false),
        ] {
            let document = crd(properties);
            assert!(crate::refuse::refusals(&document, crate::refuse::Before::Defaults).is_empty(), "{document}");
            let said: Vec<String> = lint(&document).into_iter().map(|finding| finding.message).collect();
            assert_eq!(said.is_empty(), is_valid, "{document}: {said:?}");
            let accepted = |said: &String| said.ends_with(": servers create the CRD, and reject requests that get it");
            assert!(said.len() <= 1 && said.iter().all(accepted), "{said:?}");
            assert_eq!(super::lint_update(&document, &document).is_empty(), is_valid, "{document}");
        }
        // What a server rejects is said once.
        let mut refused = port(json!(true));
        refused["a"]["enum"] = json!([1, "x"]);
        assert_eq!(found(refused), ["crd-default a].default"]);
    }

    #[test]
    fn rules_that_never_or_always_fire_are_found() {
        let gadget = |rule: &str| {
            json!({"a": {"type": "object", "required": ["size", "mode"],
                "x-kubernetes-validations": [{"rule": rule}],
                "properties": {"size": {"type": "integer", "minimum": 1, "maximum": 9}, "free": {"type": "integer"},
                    "mode": {"type": "string", "enum": ["A", "B"]}, "word": {"type": "string", "maxLength": 4},
                    "code": {"type": "string", "pattern": "^[a-z]+$"},
                    "list": {"type": "array", "maxItems": 3, "items": {"type": "object", "required": ["n"],
                        "properties": {"n": {"type": "integer", "minimum": 0}}}}}}})
        };
        let never = vec!["crd-never-fires a].x-kubernetes-validations[0].rule"];
        let always = vec!["crd-always-fires a].x-kubernetes-validations[0].rule"];
        for (rule, expected) in [
            ("self.size > 0", never.clone()),
            ("self.size > 1", vec![]),
            ("self.size < 10 && has(self.mode)", never.clone()),
            ("self.size > 9", always.clone()),
            ("self.mode in ['A', 'B', 'C']", never.clone()),
            ("self.mode != 'A'", vec![]),
            ("self.mode == 'C'", always.clone()),
            ("self.mode == 'A' || self.mode == 'B' || has(self.free)", never.clone()),
            ("!has(self.free) || self.free > -5", vec![]),
            ("!has(self.free) || self.free > 5 || self.free <= 5", never.clone()),
            ("!has(self.word) || size(self.word) <= 4", never.clone()),
            ("!has(self.word) || size(self.word) <= 3", vec![]),
            ("!has(self.list) || self.list.all(x, x.n >= 0)", never.clone()),
            ("!has(self.list) || self.list.all(x, x.n >= 1)", vec![]),
            ("!has(self.list) || size(self.list) < 4", never.clone()),
            ("has(self.list) || !has(self.list) || self.mode == 'A'", never.clone()),
            ("has(self.free) == has(self.word)", vec![]),
            ("self.free > 0", vec![]),
            // What cannot be told for certain is left alone.
            ("self.mode != string(self.size)", vec![]),
            ("!has(self.code) || self.code.matches('^[a-z]+$')", vec![]),
            ("self.size + 1 > 0", vec![]),
            ("self.size == oldSelf.size", vec![]),
            ("1 > 2", always.clone()),
            ("'a' in ['a', 'b']", never.clone()),
            ("self.size > 3 || 1 > 2", vec![]),
        ] {
            let rules: Vec<String> = found(gadget(rule)).into_iter().filter(|found| found.contains("fires")).collect();
            assert_eq!(rules, expected, "{rule}");
        }
    }

    #[test]
    fn rules_that_end_in_an_error_where_a_field_is_absent_are_found() {
        let gadget = |rule: &str, more: Value| {
            let mut rules = vec![json!({"rule": rule})];
            rules.extend(more.as_array().cloned().unwrap_or_default());
            json!({"a": {"type": "object", "required": ["size"], "x-kubernetes-validations": rules,
                "properties": {"size": {"type": "integer"}, "free": {"type": "integer"}, "mode": {"type": "string"},
                    "set": {"type": "integer", "default": 3}, "part": {"type": "object", "properties": {"n": {"type": "integer"}}},
                    "list": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}}}})
        };
        for (rule, more, expected) in [
            ("self.free > 0", json!([]), Some("self.free")),
            ("self.size > 0 && self.free > 0", json!([]), Some("self.free")),
            ("!has(self.free) || self.free > 0", json!([]), None),
            ("has(self.free) && self.free > 0", json!([]), None),
            ("has(self.free) ? self.free > 0 : true", json!([]), None),
            ("!has(self.mode) || self.free > 0", json!([]), Some("self.free")),
            ("self.?free.orValue(1) > 0", json!([]), None),
            ("self.mode.matches('^[a-z]+$')", json!([]), Some("self.mode")),
            ("self.size > 0", json!([]), None),
            ("self.set > 0", json!([]), None),
            ("!has(self.part.n) || self.part.n > 0", json!([]), Some("self.part")),
            ("!has(self.part) || self.part.n > 0", json!([]), Some("self.part.n")),
            ("!has(self.list) || self.list.all(x, x.n > 0)", json!([]), Some("x.n")),
            ("!has(self.list) || self.list.all(x, !has(x.n) || x.n > 0)", json!([]), None),
            ("self.free == oldSelf.free", json!([]), Some("oldSelf.free")),
            ("has(self.free) == has(oldSelf.free) && (!has(self.free) || self.free == oldSelf.free)", json!([]), None),
            // Another rule rejects what would end in the error.
            ("self.free > 0", json!([{"rule": "has(self.free)"}]), None),
        ] {
            let findings = lint(&crd(gadget(rule, more)));
            let said: Vec<&Finding> =
                findings.iter().filter(|finding| finding.lint.name == "crd-absent-field").collect();
            let place = said.first().map(|finding| finding.message.split("where `").nth(1).unwrap_or_default());
            assert_eq!(place.map(|place| place.split('`').next().unwrap_or_default()), expected, "{rule}");
            assert!(
                said.iter().all(|finding| finding.field.ends_with("properties[a].x-kubernetes-validations[0].rule"))
            );
        }
    }

    #[test]
    fn a_rule_that_may_cost_too_much_says_what_to_bound() {
        let schema = json!({"a": {"type": "array", "items": {"type": "object", "properties": {
            "names": {"type": "array", "items": {"type": "string"}}, "other": {"type": "string"}},
            "x-kubernetes-validations": [{"rule": "!has(self.names) || self.names.all(x, self.names.all(y, x == y))"}]}}});
        let findings = lint(&crd(schema));
        let help = findings.iter().find_map(|finding| finding.help.clone()).unwrap_or_default();
        assert_eq!(
            help,
            "the estimated cost is without bound, the limit is 10,000,000: set maxItems of `a`, maxItems of `a[*].names`, maxLength of `a[*].names[*]`, or write the rule with fewer loops"
        );
        // A bounded rule has a figure: 1,000 elements of a list with 5,000 names each, looked at twice.
        let names = json!({"type": "array", "maxItems": 5000, "items": {"type": "string", "maxLength": 9}});
        let rule = json!([{"rule": "self.all(x, x != '') && self.all(x, x != 'a')"}]);
        let mut names = names;
        names["x-kubernetes-validations"] = rule;
        let findings = lint(&crd(json!({"a": {"type": "array", "maxItems": 1000, "items": names}})));
        let help = findings.iter().find_map(|finding| finding.help.clone()).unwrap_or_default();
        let (cost, limit) = help.split_once(", the limit is 10,000,000").unwrap_or_default();
        let cost: u64 = cost.trim_start_matches("the estimated cost is ").replace(',', "").parse().unwrap_or_default();
        assert!((10_000_000..u64::MAX).contains(&cost), "{help} {limit}");
    }

    #[test]
    fn changes_that_refuse_stored_objects_are_found() {
        let text = json!({"type": "string"});
        let patterned = |pattern: &str| json!({"type": "string", "pattern": pattern});
        let rows = [
            (text.clone(), json!({"type": "integer"}), vec!["type"]),
            (text.clone(), json!({"type": "string", "maxLength": 3}), vec!["maxLength"]),
            (json!({"type": "string", "maxLength": 3}), json!({"type": "string", "maxLength": 4}), vec![]),
            (json!({"type": "string", "maxLength": 3}), json!({"type": "string", "maxLength": 2}), vec!["maxLength"]),
            (
                json!({"type": "string", "enum": ["a", "b"]}),
                json!({"type": "string", "enum": ["b", "c"]}),
                vec!["enum"],
            ),
            (json!({"type": "string", "enum": ["a"]}), text.clone(), vec![]),
            (text.clone(), json!({"type": "string", "pattern": "^a$"}), vec!["pattern"]),
            (patterned("^[a-z]{1,5}$"), patterned("^[a-z]{1,4}$"), vec!["pattern"]),
            (patterned("^[a-z]{1,4}$"), patterned("^[a-z]{1,5}$"), vec!["pattern?"]),
            (patterned("^(a|b)$"), patterned("^(a|b|c)$"), vec!["pattern?"]),
            (patterned("^(a|b|c)$"), patterned("^(a|b)$"), vec!["pattern"]),
            (text.clone(), patterned(".*"), vec!["pattern?"]),
            (patterned("^a$"), text.clone(), vec![]),
            (json!({"type": "string", "nullable": true}), text.clone(), vec!["nullable"]),
            (
                json!({"type": "object", "properties": {"x": text, "y": text}}),
                json!({"type": "object", "properties": {"x": text}, "required": ["x"]}),
                vec!["properties[y]", "required[0]"],
            ),
            (
                json!({"type": "array", "items": text}),
                json!({"type": "array", "items": text, "x-kubernetes-list-type": "set"}),
                vec!["x-kubernetes-list-type"],
            ),
        ];
        let rule = |rule: &str| json!({"type": "integer", "x-kubernetes-validations": [{"rule": rule}]});
        let keyed = |key: &str| {
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key],
                "items": {"type": "object", "required": ["x", "y"], "properties": {"x": text, "y": text}}})
        };
        let with_default = |more: Value| {
            let mut member = text.clone();
            member.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
            json!({"type": "object", "required": ["x"], "properties": {"x": member}})
        };
        let compared = |rule: &str| {
            let numbers = json!({"x": {"type": "integer"}, "y": {"type": "integer"}});
            json!({"type": "object", "required": ["x", "y"], "properties": numbers,
                "x-kubernetes-validations": [{"rule": rule}]})
        };
        let defaulted = |rule: &str| {
            let mut node = compared(rule);
            node["properties"]["x"]["default"] = 100.into();
            node
        };
        let optional = |rule: &str| json!({"type": "integer", "x-kubernetes-validations": [{"rule": rule, "optionalOldSelf": true}]});
        let rows = rows.into_iter().chain([
            (json!({"type": "integer"}), optional("self > 2 || oldSelf.hasValue() || self == 1"), vec![]),
            (json!({"type": "integer"}), optional("oldSelf.hasValue() && self > 2"), vec!["x-kubernetes-validations[0].rule"]),
            (rule("self > 1"), rule("self > 2"), vec!["x-kubernetes-validations[0].rule"]),
            (rule("self > 2"), rule("self > 1"), vec![]),
            (rule("self > 1"), rule("self > 1"), vec![]),
            (json!({"type": "integer", "minimum": 3}), rule("self >= 3"), vec![]),
            (json!({"type": "integer", "minimum": 3}), rule("self >= 4"), vec!["x-kubernetes-validations[0].rule"]),
            (rule("self >= 3"), json!({"type": "integer", "minimum": 3}), vec![]),
            (rule("self >= 3"), json!({"type": "integer", "minimum": 4}), vec!["minimum"]),
            (rule("self in [1, 2]"), json!({"type": "integer", "enum": [1, 2, 3]}), vec![]),
            (rule("self in [1, 2]"), json!({"type": "integer", "enum": [1, 3]}), vec!["enum"]),
            (
                json!({"type": "string", "x-kubernetes-validations": [{"rule": "size(self) <= 5"}]}),
                json!({"type": "string", "maxLength": 5}),
                vec![],
            ),
            (json!({"type": "integer", "multipleOf": 4}), json!({"type": "integer", "multipleOf": 2}), vec![]),
            (json!({"type": "integer", "multipleOf": 2}), json!({"type": "integer", "multipleOf": 4}), vec!["multipleOf"]),
            (
                json!({"type": "integer", "maximum": 4}),
                json!({"type": "integer", "maximum": 4, "exclusiveMaximum": true}),
                vec!["exclusiveMaximum"],
            ),
            (keyed("x"), keyed("y"), vec!["x-kubernetes-list-map-keys"]),
            (keyed("x"), keyed("x"), vec![]),
            (
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true}),
                vec!["x-kubernetes-embedded-resource"],
            ),
            (with_default(json!({"default": "a"})), with_default(json!({})), vec!["properties[x].default"]),
            (with_default(json!({"default": "a"})), with_default(json!({"default": "b"})), vec![]),
            (json!({"type": "string"}), json!({"type": "string", "anyOf": [{"minLength": 1}]}), vec!["anyOf"]),
            (
                json!({"type": "string", "anyOf": [{"minLength": 1}]}),
                json!({"type": "string", "anyOf": [{"minLength": 1}, {"maxLength": 9}]}),
                vec![],
            ),
            (
                json!({"type": "string", "anyOf": [{"minLength": 1}, {"maxLength": 9}]}),
                json!({"type": "string", "anyOf": [{"minLength": 1}]}),
                vec!["anyOf"],
            ),
            (
                json!({"type": "string", "allOf": [{"minLength": 1}]}),
                json!({"type": "string", "allOf": [{"minLength": 1}, {"maxLength": 9}]}),
                vec!["allOf"],
            ),
            (json!({"type": "integer"}), rule("self >= oldSelf"), vec![]),
            (compared("self.x < self.y"), compared("self.y >= self.x"), vec![]),
            // Nobody held what was created against an old value, and equal nulls are not ordered.
            (compared("self.x >= oldSelf.x && self.x < self.y"), compared("self.x < self.y"), vec!["x-kubernetes-validations[0].rule"]),
            (compared("self.x == self.y"), compared("self.x <= self.y"), vec!["x-kubernetes-validations[0].rule"]),
            (compared("self.x < self.y"), defaulted("self.x <= self.y"), vec!["x-kubernetes-validations[0].rule"]),
            (compared("self.x <= self.y"), compared("self.x < self.y"), vec!["x-kubernetes-validations[0].rule"]),
            (json!({"type": "integer", "enum": [1, 3]}), json!({"type": "integer", "minimum": 1, "maximum": 3}), vec![]),
            (json!({"type": "integer", "minimum": 1, "maximum": 2}), json!({"type": "integer", "enum": [2, 1]}), vec![]),
            (json!({"type": "integer", "minimum": 1, "maximum": 3}), json!({"type": "integer", "enum": [2, 1]}), vec!["enum"]),
        ]);
        for (old, new, expected) in rows {
            let found = changes(&crd(json!({"a": old})), &crd(json!({"a": new})));
            let field = |finding: &Finding| {
                let (_, field) = finding.field.split_once("properties[a].").unwrap_or_default();
                format!("{field}{}", if finding.lint.is_error { "" } else { "?" })
            };
            let mut fields: Vec<String> = found.iter().map(field).collect();
            fields.sort_unstable();
            assert_eq!(fields, expected, "{old} {new}");
        }
        let mut moved = crd(json!({}));
        moved["spec"]["scope"] = "Namespaced".into();
        let found = changes(&crd(json!({})), &moved);
        assert_eq!(found.iter().map(|finding| finding.field.as_str()).collect::<Vec<_>>(), ["spec.scope"]);
        let mut without_versions = crd(json!({}));
        without_versions["spec"]["versions"] = json!([]);
        let gone = changes(&crd(json!({})), &without_versions);
        assert_eq!(gone.len(), 1);
    }
}
