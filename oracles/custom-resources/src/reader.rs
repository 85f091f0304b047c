//! From the JSON of a schema to its structural form. What is not read is named.

use crate::kind::Unread;
use crate::structural::{Additional, CelRule, Checks, ListType, MapType, Pattern, SchemaType, Structural};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Schemas inside schemas.
pub(crate) const MAX_DEPTH: usize = 100;
/// Nodes of one document.
const MAX_NODES: usize = 100_000;
/// Notes about one document.
const MAX_UNREAD: usize = 1_000;

/// Reads schemas of one document.
pub(crate) struct Reader<'d> {
    /// What schemas refer to by name; none in CRDs.
    definitions: Option<&'d Map<String, Value>>,
    /// Definitions that are read, with the number of their nodes.
    done: HashMap<&'d str, (Arc<Structural>, usize)>,
    /// Patterns that are compiled.
    patterns: HashMap<&'d str, Arc<Pattern>>,
    /// Nodes so far; a definition counts as often as it is referred to.
    nodes: usize,
    /// Definitions that are being read.
    open: Vec<&'d str>,
    /// Whether a definition was cut inside of the one being read.
    cut: bool,
    /// What was not read.
    pub(crate) unread: Vec<Unread>,
}

/// Notes after which definitions that were cut are not read anew.
const MAX_CUT: usize = 50;

/// Where definitions stand in an OpenAPI v3 document.
const REFERENCE: &str = "#/components/schemas/";

impl<'d> Reader<'d> {
    /// For schemas that refer to nothing but `definitions`.
    pub(crate) fn new(definitions: Option<&'d Map<String, Value>>) -> Self {
        Self {
            definitions,
            done: HashMap::new(),
            patterns: HashMap::new(),
            nodes: 0,
            open: Vec::new(),
            cut: false,
            unread: Vec::new(),
        }
    }

    fn note(&mut self, path: &str, what: impl Into<String>) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.push(Unread::new(path, what));
        }
    }

    /// The schema at `path`, inside of `depth` others.
    pub(crate) fn read(&mut self, value: &'d Value, path: &str, depth: usize) -> Arc<Structural> {
        let members = match value {
            Value::Object(members) => members,
            Value::Bool(true) => return Arc::new(Structural::anything()),
            _ => {
                self.note(path, "not an object; every value is accepted");
                return Arc::new(Structural::anything());
            }
        };
        if depth > MAX_DEPTH {
            self.note(path, format!("nested deeper than {MAX_DEPTH} schemas; every value is accepted"));
            return Arc::new(Structural::anything());
        }
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            self.note(path, format!("more than {MAX_NODES} schemas in one document; every value is accepted"));
            return Arc::new(Structural::anything());
        }
        if let Some(reference) = reference(members) {
            return self.referred(reference, members, path, depth);
        }
        Arc::new(self.node(members, path, depth))
    }

    /// What `$ref` leads to, with what stands beside it.
    fn referred(
        &mut self,
        reference: &'d Value,
        beside: &'d Map<String, Value>,
        path: &str,
        depth: usize,
    ) -> Arc<Structural> {
        let name = reference.as_str().and_then(|reference| reference.strip_prefix(REFERENCE));
        let found = name.and_then(|name| self.definitions?.get_key_value(name));
        let read = if let Some(known) = name.and_then(known_definition) {
            Arc::new(known)
        } else {
            let Some((name, definition)) = found else {
                self.note(path, format!("reference {reference} leads to nothing; every value is accepted"));
                return Arc::new(Structural::anything());
            };
            self.definition(name, definition, path, depth)
        };
        let default = beside.get("default").filter(|default| !is_empty_object(default));
        let nullable = beside.get("nullable").and_then(Value::as_bool).unwrap_or_default();
        if default.is_none() && !nullable {
            return read;
        }
        let mut read = Arc::unwrap_or_clone(read);
        read.default = default.cloned().or(read.default);
        read.nullable |= nullable;
        Arc::new(read)
    }

    /// The schema of a definition, read once.
    fn definition(&mut self, name: &'d str, definition: &'d Value, path: &str, depth: usize) -> Arc<Structural> {
        if let Some((done, nodes)) = self.done.get(name) {
            self.nodes += nodes;
            return Arc::clone(done);
        }
        if self.open.contains(&name) {
            self.cut = true;
            self.note(path, format!("definition `{name}` holds itself; every value is accepted inside of it"));
            return Arc::new(Structural::anything());
        }
        let (outer, before) = (std::mem::replace(&mut self.cut, false), self.nodes);
        self.open.push(name);
        let mut read = Arc::unwrap_or_clone(self.read(definition, path, depth + 1));
        read.name.get_or_insert_with(|| Arc::from(name));
        let read = Arc::new(read);
        self.open.pop();
        // INVARIANT: what was cut because it is being read further up is read anew elsewhere, so that only whole ones are kept. Within
        // one document the number of definitions bounds how often, but it may be many: those are kept cut.
        if !self.cut || self.open.is_empty() || self.unread.len() >= MAX_CUT {
            self.done.insert(name, (Arc::clone(&read), self.nodes - before));
        }
        self.cut |= outer;
        read
    }

    fn node(&mut self, members: &'d Map<String, Value>, path: &str, depth: usize) -> Structural {
        let mut node = Structural::default();
        for (name, value) in members {
            if !self.generic(&mut node, name, value, path)
                && !self.extension(&mut node, name, value, path)
                && !self.below(&mut node, name, value, path, depth)
                && !self.check(&mut node.checks, name, value, path)
            {
                match name.as_str() {
                    "title" | "description" | "example" | "externalDocs" | "$schema" | "deprecated" => {}
                    "x-kubernetes-group-version-kind" | "x-kubernetes-selectable-fields" => {}
                    "id" | "$ref" | "additionalItems" | "patternProperties" | "definitions" | "dependencies" => {
                        self.note(path, format!("keyword `{name}` is left out: structural schemas do not have it"));
                    }
                    _ => self.note(path, format!("unknown keyword `{name}` is left out")),
                }
            }
        }
        if node.int_or_string && node.ty.take().is_some() {
            self.note(path, "`type` beside x-kubernetes-int-or-string is left out");
        }
        node
    }

    /// Reads a value that must be of one form; notes one that is not.
    fn expect<T>(&mut self, read: Option<T>, name: &str, value: &Value, path: &str) -> Option<T> {
        if read.is_none() && !value.is_null() {
            let shown: String = value.to_string().chars().take(60).collect();
            self.note(path, format!("`{name}` is {shown}, which is not allowed, and is left out"));
        }
        read
    }

    fn flag(&mut self, name: &str, value: &Value, path: &str) -> bool {
        self.expect(value.as_bool(), name, value, path).unwrap_or_default()
    }

    fn count(&mut self, name: &str, value: &Value, path: &str) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 9e18).then_some(float as i64);
        self.expect(value.as_i64().or_else(|| value.as_f64().and_then(whole)), name, value, path)
    }

    fn number(&mut self, name: &str, value: &Value, path: &str) -> Option<f64> {
        self.expect(value.as_f64(), name, value, path)
    }

    fn text(&mut self, name: &str, value: &Value, path: &str) -> Option<String> {
        self.expect(value.as_str().map(str::to_owned), name, value, path)
    }

    fn texts(&mut self, name: &str, value: &Value, path: &str) -> Vec<String> {
        let read = value
            .as_array()
            .and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>());
        self.expect(read, name, value, path).unwrap_or_default()
    }

    fn generic(&mut self, node: &mut Structural, name: &str, value: &Value, path: &str) -> bool {
        match name {
            "type" => {
                let ty = self.expect(value.as_str(), name, value, path);
                node.ty =
                    ty.and_then(|ty| self.expect(SchemaType::of(ty), name, value, path).filter(|_| !ty.is_empty()));
            }
            "nullable" => node.nullable = self.flag(name, value, path),
            "default" => node.default = Some(value.clone()).filter(|value| !value.is_null()),
            _ => return false,
        }
        true
    }

    fn extension(&mut self, node: &mut Structural, name: &str, value: &Value, path: &str) -> bool {
        match name {
            "x-kubernetes-preserve-unknown-fields" => node.preserve_unknown = self.flag(name, value, path),
            "x-kubernetes-embedded-resource" => node.embedded = self.flag(name, value, path),
            "x-kubernetes-int-or-string" => node.int_or_string = self.flag(name, value, path),
            "x-kubernetes-list-type" => {
                let read = match value.as_str() {
                    Some("atomic") => Some(ListType::Atomic),
                    Some("set") => Some(ListType::Set),
                    Some("map") => Some(ListType::Map),
                    _ => None,
                };
                node.list_type = self.expect(read, name, value, path).unwrap_or_default();
            }
            "x-kubernetes-map-type" => {
                let read = match value.as_str() {
                    Some("atomic") => Some(MapType::Atomic),
                    Some("granular") => Some(MapType::Granular),
                    _ => None,
                };
                node.map_type = self.expect(read, name, value, path).unwrap_or_default();
            }
            "x-kubernetes-list-map-keys" => node.list_map_keys = self.texts(name, value, path),
            // How clients merge; says nothing of values.
            "x-kubernetes-patch-strategy" | "x-kubernetes-patch-merge-key" | "x-kubernetes-unions" => {}
            "x-kubernetes-validations" => {
                let rules = self.expect(value.as_array(), name, value, path);
                for (index, rule) in rules.into_iter().flatten().enumerate() {
                    let path = format!("{path}.{name}[{index}]");
                    if let Some(rule) = self.expect(rule.as_object(), name, rule, &path) {
                        node.rules.push(self.rule(rule, &path));
                    }
                }
            }
            _ => return false,
        }
        true
    }

    fn rule(&mut self, members: &Map<String, Value>, path: &str) -> CelRule {
        let mut rule = CelRule::default();
        for (name, value) in members {
            match name.as_str() {
                "rule" => rule.rule = self.text(name, value, path).unwrap_or_default(),
                "message" => rule.message = self.text(name, value, path),
                "messageExpression" => rule.message_expression = self.text(name, value, path),
                "reason" => rule.reason = self.text(name, value, path),
                "fieldPath" => rule.field_path = self.text(name, value, path),
                "optionalOldSelf" => rule.optional_old_self = Some(self.flag(name, value, path)),
                _ => self.note(path, format!("unknown member `{name}` of a CEL rule is left out")),
            }
        }
        rule
    }

    fn below(&mut self, node: &mut Structural, name: &str, value: &'d Value, path: &str, depth: usize) -> bool {
        let depth = depth + 1;
        match name {
            "properties" => {
                let properties = self.expect(value.as_object(), name, value, path);
                node.properties = properties
                    .into_iter()
                    .flatten()
                    .map(|(key, value)| (key.clone(), self.read(value, &format!("{path}.properties[{key}]"), depth)))
                    .collect::<BTreeMap<_, _>>();
            }
            "additionalProperties" => {
                node.additional = match value {
                    Value::Bool(true) => Some(Additional::Any),
                    Value::Bool(false) => Some(Additional::Forbidden),
                    Value::Null => None,
                    _ => Some(Additional::Schema(self.read(value, &format!("{path}.additionalProperties"), depth))),
                };
            }
            "items" => match value {
                Value::Null => {}
                Value::Array(_) => self.note(path, "`items` as a list, one schema for each element, is left out"),
                _ => node.items = Some(self.read(value, &format!("{path}.items"), depth)),
            },
            "not" if !value.is_null() => node.checks.not = Some(self.read(value, &format!("{path}.not"), depth)),
            "allOf" => node.checks.all_of = self.alternatives(name, value, path, depth),
            "anyOf" => node.checks.any_of = self.alternatives(name, value, path, depth),
            "oneOf" => node.checks.one_of = self.alternatives(name, value, path, depth),
            "not" => {}
            _ => return false,
        }
        true
    }

    /// A pattern, compiled once.
    fn pattern(&mut self, text: &'d str, path: &str) -> Option<Arc<Pattern>> {
        if let Some(known) = self.patterns.get(text) {
            return Some(Arc::clone(known));
        }
        match Pattern::new(text) {
            Ok(pattern) => Some(Arc::clone(self.patterns.entry(text).or_insert_with(|| Arc::new(pattern)))),
            Err(error) => {
                self.note(path, format!("{error}; it is left out"));
                None
            }
        }
    }

    fn alternatives(&mut self, name: &str, value: &'d Value, path: &str, depth: usize) -> Vec<Arc<Structural>> {
        let schemas = self.expect(value.as_array(), name, value, path);
        let each = schemas.into_iter().flatten().enumerate();
        each.map(|(index, schema)| self.read(schema, &format!("{path}.{name}[{index}]"), depth)).collect()
    }

    fn check(&mut self, checks: &mut Checks, name: &str, value: &'d Value, path: &str) -> bool {
        match name {
            "format" => checks.format = self.text(name, value, path).filter(|format| !format.is_empty()),
            "minimum" => checks.minimum = self.number(name, value, path),
            "exclusiveMinimum" => checks.exclusive_minimum = self.flag(name, value, path),
            "maximum" => checks.maximum = self.number(name, value, path),
            "exclusiveMaximum" => checks.exclusive_maximum = self.flag(name, value, path),
            "multipleOf" => checks.multiple_of = self.number(name, value, path),
            "minLength" => checks.min_length = self.count(name, value, path),
            "maxLength" => checks.max_length = self.count(name, value, path),
            "minItems" => checks.min_items = self.count(name, value, path),
            "maxItems" => checks.max_items = self.count(name, value, path),
            "minProperties" => checks.min_properties = self.count(name, value, path),
            "maxProperties" => checks.max_properties = self.count(name, value, path),
            "uniqueItems" => checks.unique_items = self.flag(name, value, path),
            "required" => checks.required = self.texts(name, value, path),
            "enum" => {
                checks.enumeration = self.expect(value.as_array(), name, value, path).cloned().unwrap_or_default()
            }
            "pattern" => {
                let text = self.expect(value.as_str(), name, value, path).filter(|text| !text.is_empty());
                checks.pattern = text.and_then(|text| self.pattern(text, path));
            }
            _ => return false,
        }
        true
    }
}

/// What a schema refers to: `$ref`, also as the only one of `allOf`, as API servers write it where something stands beside it.
fn reference(members: &Map<String, Value>) -> Option<&Value> {
    if let Some(reference) = members.get("$ref") {
        return Some(reference);
    }
    match members.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::Object(only)]) if !members.contains_key("type") && !members.contains_key("properties") => {
            only.get("$ref")
        }
        _ => None,
    }
}

fn is_empty_object(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

/// Definitions of the API machinery that OpenAPI describes more loosely than servers decode them.
fn known_definition(name: &str) -> Option<Structural> {
    let (_, short) =
        name.split_once(".apimachinery.pkg.").or_else(|| name.split_once(".apiextensions-apiserver.pkg."))?;
    let text = |format: &str| Structural {
        ty: Some(SchemaType::String),
        checks: Checks { format: Some(format.to_owned()).filter(|format| !format.is_empty()), ..Checks::default() },
        ..Structural::default()
    };
    let known = match short {
        "apis.meta.v1.ObjectMeta" => Structural { ty: Some(SchemaType::Object), ..Structural::anything() },
        "apis.meta.v1.FieldsV1" | "runtime.RawExtension" => {
            Structural { ty: Some(SchemaType::Object), nullable: false, ..Structural::anything() }
        }
        "apis.apiextensions.v1.JSON" => Structural::anything(),
        "apis.meta.v1.Time" | "apis.meta.v1.MicroTime" => text("date-time"),
        "apis.meta.v1.Duration" => text(""),
        "util.intstr.IntOrString" => Structural { int_or_string: true, ..Structural::default() },
        "api.resource.Quantity" => {
            let number = Structural { ty: Some(SchemaType::Number), ..Structural::default() };
            let either = vec![Arc::new(text("")), Arc::new(number)];
            Structural { checks: Checks { any_of: either, ..Checks::default() }, ..Structural::default() }
        }
        _ => return None,
    };
    Some(Structural { name: Some(Arc::from(name)), ..known })
}
