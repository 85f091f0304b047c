//! One rule for each constraint.

use super::example::{example, list_of, map_of};
use super::texts;
use crate::structural::{Additional, Checks, ListType, SchemaType, Structural};
use crate::validate::accepts;
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, ErrorShape, Rule, RuleId, Sample, Specificity, Unreachable};

/// Rules of one kind.
const MAX_RULES: usize = 20_000;
/// Schemas that are looked at: one for each place, also of those that are shared.
const MAX_NODES: usize = 100_000;
/// Weight of all samples.
const MAX_WEIGHT: usize = 4_000_000;
/// Characters of a sample.
const LONGEST: i64 = 5_000;
/// Elements or members of a sample.
const LARGEST: i64 = 130;
/// Texts that match a pattern, and texts that do not.
const MOST_TEXTS: usize = 6;

/// The constraints on the members of an object, as rules. Of metadata nothing is said.
pub(crate) fn of_kind(structural: &Structural) -> Vec<Rule> {
    let mut hints = Hints { rules: Vec::new(), left: MAX_WEIGHT, nodes: MAX_NODES };
    hints.node(structural, "", true);
    hints.rules
}

struct Hints {
    rules: Vec<Rule>,
    /// How much samples may still weigh.
    left: usize,
    /// How many schemas may still be looked at.
    nodes: usize,
}

/// About how much memory a value takes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 32,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(|value| 1 + weight(value)).sum::<usize>(),
        _ => 1,
    }
}

/// A class of values.
fn class(class: impl Into<String>, breaks: bool, value: Value) -> Boundary {
    Boundary { class: class.into(), breaks, sample: Sample::Value(value), options: Vec::new() }
}

fn shown(value: &Value) -> String {
    let text: String = value.to_string().chars().take(80).collect();
    text
}

/// A bound without the fraction that it does not have.
fn bound(value: f64) -> String {
    value.to_string()
}

impl Hints {
    fn add(
        &mut self,
        path: &str,
        chain: String,
        reports: ErrorType,
        specificity: Specificity,
        boundaries: Vec<Boundary>,
    ) {
        self.add_with(path, chain, reports, specificity, boundaries, Vec::new());
    }

    fn add_with(
        &mut self,
        path: &str,
        chain: String,
        reports: ErrorType,
        specificity: Specificity,
        mut boundaries: Vec<Boundary>,
        mut unreachable: Vec<Unreachable>,
    ) {
        if self.rules.len() >= MAX_RULES {
            return;
        }
        boundaries.retain(|boundary| {
            let Sample::Value(value) = &boundary.sample else { return true };
            match self.left.checked_sub(weight(value)) {
                Some(left) => self.left = left,
                None => {
                    unreachable
                        .push(Unreachable::new(boundary.class.as_str(), "the kind has more samples than are kept"));
                    return false;
                }
            }
            true
        });
        let id = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        // Alternatives and ranges of numbers are refused at the object, and say where in their text.
        let vague = matches!(chain.split(['=', ' ']).next(), Some("allOf" | "anyOf" | "oneOf" | "not"));
        let field = if vague { String::new() } else { path.to_owned() };
        let reports = vec![ErrorShape { error_type: reports, field, origin: String::new() }];
        self.rules.push(Rule { specificity, boundaries, unreachable, reports, ..Rule::new(id, path, chain) });
    }

    fn node(&mut self, node: &Structural, path: &str, root: bool) {
        let Some(nodes) = self.nodes.checked_sub(1).filter(|_| self.rules.len() < MAX_RULES) else { return };
        self.nodes = nodes;
        self.scalar(node, path);
        self.sizes(node, path);
        self.alternatives(node, path);
        let checks = &node.checks;
        for (name, schema) in &node.properties {
            if root && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                continue;
            }
            // References to rules are paths without spaces.
            if name.contains(char::is_whitespace) {
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if checks.required.contains(name) {
                self.required(schema, &path);
            }
            self.node(schema, &path, false);
        }
        if let Some(Additional::Schema(schema)) = &node.additional {
            self.node(schema, &format!("{path}[*]"), false);
        }
        if let Some(schema) = &node.items {
            self.node(schema, &format!("{path}[*]"), false);
        }
    }

    fn required(&mut self, node: &Structural, path: &str) {
        let unset = Boundary { class: "unset".to_owned(), breaks: true, sample: Sample::Absent, options: Vec::new() };
        let mut boundaries = vec![unset, class("set", false, example(node, 0))];
        let zero = match node.ty {
            Some(SchemaType::String) => Some(Value::from("")),
            Some(SchemaType::Array) => Some(Value::Array(Vec::new())),
            Some(SchemaType::Object) if node.properties.is_empty() => Some(Value::Object(Map::new())),
            _ => None,
        };
        // Empty counts as given.
        boundaries.extend(zero.map(|zero| class("zero", false, zero)));
        self.add(path, "required".to_owned(), ErrorType::Required, Specificity::Presence, boundaries);
        if let (Some(rule), Some(_)) = (self.rules.last_mut(), &node.default) {
            rule.after_default = true;
        }
    }

    fn scalar(&mut self, node: &Structural, path: &str) {
        let checks = &node.checks;
        if !checks.enumeration.is_empty() {
            let allowed = &checks.enumeration;
            let mut boundaries: Vec<Boundary> =
                allowed.iter().map(|value| class(format!("value {}", shown(value)), false, value.clone())).collect();
            let unknown = match node.ty {
                Some(SchemaType::Integer | SchemaType::Number) => vec![Value::from(987_654_321)],
                _ => vec![Value::from("Unknown"), Value::from("")],
            };
            for (name, value) in ["unknown value", "empty value"].into_iter().zip(unknown) {
                if !allowed.contains(&value) {
                    boundaries.push(class(name, true, value));
                }
            }
            let listed: Vec<String> = allowed.iter().map(shown).collect();
            let chain = format!("enum of {}", listed.join(", "));
            self.add(path, chain, ErrorType::NotSupported, Specificity::Whole, boundaries);
        }
        if node.int_or_string {
            let text = texts::keeping(checks, "10%".to_owned());
            let boundaries = vec![class("integer", false, Value::from(1)), class("text", false, Value::from(text))];
            self.add(path, "int-or-string".to_owned(), ErrorType::TypeInvalid, Specificity::Form, boundaries);
        }
        if let Some(minimum) = checks.minimum {
            self.limit(node, path, minimum, checks.exclusive_minimum, false);
        }
        if let Some(maximum) = checks.maximum {
            self.limit(node, path, maximum, checks.exclusive_maximum, true);
        }
        if let Some(factor) = checks.multiple_of {
            let integer = node.ty == Some(SchemaType::Integer);
            let boundaries =
                [("multiple", 3.0), ("zero", 0.0), ("no multiple", 1.5)].into_iter().filter_map(|(name, times)| {
                    let value = number(factor * times, integer)?;
                    let breaks =
                        !accepts(&only(node, Checks { multiple_of: Some(factor), ..Checks::default() }), &value);
                    Some(class(name, breaks, value))
                });
            let chain = format!("multipleOf={}", bound(factor));
            self.add(path, chain, ErrorType::Invalid, Specificity::Bound, boundaries.collect());
        }
        if let Some(pattern) = &checks.pattern {
            let candidates = texts::candidates(pattern);
            let fits = |text: &str| {
                let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
                checks.min_length.is_none_or(|least| length >= least)
                    && checks.max_length.is_none_or(|most| length <= most)
            };
            let matching = candidates.iter().filter(|text| fits(text) && pattern.is_match(text)).take(MOST_TEXTS);
            let other = candidates.iter().filter(|text| !pattern.is_match(text)).take(MOST_TEXTS);
            let class = |name: &str, breaks, text: &String| {
                class(format!("{name} {text:?}"), breaks, Value::from(text.as_str()))
            };
            let boundaries: Vec<Boundary> = matching
                .map(|text| class("matching", false, text))
                .chain(other.map(|text| class("other", true, text)))
                .collect();
            let unreachable = [("matching", false), ("other", true)]
                .into_iter()
                .filter(|(_, breaks)| boundaries.iter().all(|boundary| boundary.breaks != *breaks))
                .map(|(name, _)| Unreachable::new(name, "no such text is known"));
            let unreachable = unreachable.collect();
            let chain = format!("pattern={}", pattern.as_str());
            self.add_with(path, chain, ErrorType::Invalid, Specificity::Form, boundaries, unreachable);
        }
        if let Some((format, (good, bad))) =
            crate::validate::kept_format(node).and_then(|format| Some((format, texts::of_format(format)?)))
        {
            let boundaries =
                vec![class("of the format", false, Value::from(good)), class("other", true, Value::from(bad))];
            self.add(path, format!("format={format}"), ErrorType::TypeInvalid, Specificity::Form, boundaries);
        }
    }

    fn limit(&mut self, node: &Structural, path: &str, limit: f64, exclusive: bool, upper: bool) {
        let integer = node.ty == Some(SchemaType::Integer) || node.int_or_string;
        let name = match (upper, exclusive) {
            (true, false) => "maximum",
            (true, true) => "exclusiveMaximum",
            (false, false) => "minimum",
            (false, true) => "exclusiveMinimum",
        };
        let steps = [("below", limit - 1.0), ("on", limit), ("above", limit + 1.0)];
        let far = if upper {
            ("far above", limit.abs() * 2.0 + 1_000.0)
        } else {
            ("far below", -limit.abs() * 2.0 - 1_000.0)
        };
        let between =
            (!integer).then_some(if upper { ("just above", limit + 0.25) } else { ("just below", limit - 0.25) });
        let mut boundaries = Vec::new();
        let mut unreachable = Vec::new();
        for (class_name, value) in steps.into_iter().chain([far]).chain(between) {
            let breaks = match (upper, exclusive) {
                (true, false) => value > limit,
                (true, true) => value >= limit,
                (false, false) => value < limit,
                (false, true) => value <= limit,
            };
            match number(value, integer) {
                Some(value) => boundaries.push(class(class_name, breaks, value)),
                None => {
                    unreachable.push(Unreachable::new(class_name, format!("the type does not hold {}", bound(value))))
                }
            }
        }
        let chain = format!("{name}={}", bound(limit));
        self.add_with(path, chain, ErrorType::Invalid, Specificity::Bound, boundaries, unreachable);
    }

    fn sizes(&mut self, node: &Structural, path: &str) {
        let checks = &node.checks;
        let text = |size: i64| usize::try_from(size).ok().map(|size| Value::from("a".repeat(size)));
        let list = |size: i64| usize::try_from(size).ok().map(|size| list_of(node, size));
        let map = |size: i64| usize::try_from(size).ok().and_then(|size| map_of(node, size));
        self.size(path, "minLength", checks.min_length, false, ErrorType::Invalid, LONGEST, &text);
        self.size(path, "maxLength", checks.max_length, true, ErrorType::TooLong, LONGEST, &text);
        self.size(path, "minItems", checks.min_items, false, ErrorType::Invalid, LARGEST, &list);
        self.size(path, "maxItems", checks.max_items, true, ErrorType::TooMany, LARGEST, &list);
        self.size(path, "minProperties", checks.min_properties, false, ErrorType::Invalid, LARGEST, &map);
        self.size(path, "maxProperties", checks.max_properties, true, ErrorType::TooMany, LARGEST, &map);
        let chain = match node.list_type {
            ListType::Atomic => return,
            ListType::Set => "listType=set".to_owned(),
            ListType::Map => format!("listType=map by {}", node.list_map_keys.join(", ")),
        };
        let two = list_of(node, 2);
        let Some([first, second]) = two.as_array().map(Vec::as_slice) else { return };
        let mut boundaries = vec![
            class("one", false, Value::from(vec![first.clone()])),
            class("duplicate", true, Value::from(vec![first.clone(), first.clone()])),
        ];
        if first != second {
            boundaries.push(class("distinct", false, two.clone()));
            boundaries.push(class(
                "duplicate apart",
                true,
                Value::from(vec![first.clone(), second.clone(), first.clone()]),
            ));
        }
        let before = self.rules.len();
        self.add(path, chain, ErrorType::Duplicate, Specificity::Bound, boundaries);
        // The list is judged, and its elements are at fault.
        let reports = self.rules.iter_mut().skip(before).flat_map(|rule| &mut rule.reports);
        reports.for_each(|shape| shape.field.push_str("[*]"));
    }

    #[expect(clippy::too_many_arguments, reason = "one row of a table")]
    fn size(
        &mut self,
        path: &str,
        name: &str,
        limit: Option<i64>,
        upper: bool,
        reports: ErrorType,
        largest: i64,
        sample: &dyn Fn(i64) -> Option<Value>,
    ) {
        let Some(limit) = limit else { return };
        let classes = if upper {
            vec![("inside", (limit > 1).then_some(1)), ("on", Some(limit)), ("above", limit.checked_add(1))]
        } else {
            vec![
                ("inside", limit.checked_add(1)),
                ("below", limit.checked_sub(1)),
                ("on", Some(limit)),
                ("empty", (limit > 1).then_some(0)),
            ]
        };
        let mut boundaries = Vec::new();
        let mut unreachable = Vec::new();
        for (class_name, size) in classes {
            let Some(size) = size.filter(|size| *size >= 0) else { continue };
            let breaks = if upper { size > limit } else { size < limit };
            match (size <= largest).then(|| sample(size)) {
                Some(Some(value)) => boundaries.push(class(class_name, breaks, value)),
                Some(None) => unreachable.push(Unreachable::new(class_name, format!("no object has {size} members"))),
                None => {
                    let reason = format!("of size {size}, and samples are no larger than {largest}");
                    unreachable.push(Unreachable::new(class_name, reason));
                }
            }
        }
        self.add_with(path, format!("{name}={limit}"), reports, Specificity::Bound, boundaries, unreachable);
    }

    /// Each of `allOf` and its like as one rule, whose samples are values that fit the alternatives.
    fn alternatives(&mut self, node: &Structural, path: &str) {
        let checks = &node.checks;
        let not: Vec<_> = checks.not.iter().map(Arc::clone).collect();
        for (name, alternatives) in
            [("allOf", &checks.all_of), ("anyOf", &checks.any_of), ("oneOf", &checks.one_of), ("not", &not)]
        {
            if alternatives.is_empty() || node.int_or_string {
                continue;
            }
            let alone = match name {
                "allOf" => Checks { all_of: alternatives.clone(), ..Checks::default() },
                "anyOf" => Checks { any_of: alternatives.clone(), ..Checks::default() },
                "oneOf" => Checks { one_of: alternatives.clone(), ..Checks::default() },
                _ => Checks { not: alternatives.first().cloned(), ..Checks::default() },
            };
            let alone = only(node, alone);
            let plain = example(node, 0);
            let mut samples = vec![("neither in particular".to_owned(), plain.clone())];
            for (index, alternative) in alternatives.iter().enumerate() {
                samples.push((format!("for alternative {}", index + 1), example(&joined(node, alternative), 0)));
            }
            if let Value::Object(all) = &plain {
                let mut all = all.clone();
                for (_, sample) in samples.iter().skip(1) {
                    all.extend(
                        sample.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())),
                    );
                }
                samples.push(("for all alternatives".to_owned(), Value::Object(all)));
            }
            let mut boundaries: Vec<Boundary> = Vec::new();
            for (name, sample) in samples {
                if !boundaries.iter().any(|other| matches!(&other.sample, Sample::Value(value) if *value == sample)) {
                    boundaries.push(class(name, !accepts(&alone, &sample), sample));
                }
            }
            let chain = if name == "not" { name.to_owned() } else { format!("{name} of {}", alternatives.len()) };
            self.add(path, chain, ErrorType::Invalid, Specificity::Form, boundaries);
        }
    }
}

/// A schema that says nothing but these constraints.
fn only(node: &Structural, checks: Checks) -> Structural {
    Structural { checks, ty: node.ty, nullable: node.nullable, ..Structural::default() }
}

/// The schema of values that keep `node` and are for an alternative of it.
fn joined(node: &Structural, alternative: &Structural) -> Structural {
    let mut joined = node.clone();
    let (checks, more) = (&mut joined.checks, &alternative.checks);
    for name in &more.required {
        if !checks.required.contains(name) {
            checks.required.push(name.clone());
        }
    }
    if !more.enumeration.is_empty() {
        checks.enumeration.clone_from(&more.enumeration);
    }
    checks.minimum = more.minimum.or(checks.minimum);
    checks.maximum = more.maximum.or(checks.maximum);
    checks.min_length = more.min_length.or(checks.min_length);
    checks.max_length = more.max_length.or(checks.max_length);
    checks.min_items = more.min_items.or(checks.min_items);
    checks.min_properties = more.min_properties.or(checks.min_properties);
    checks.pattern = more.pattern.clone().or(checks.pattern.take());
    checks.format = more.format.clone().or(checks.format.take());
    joined.ty = joined.ty.or(alternative.ty);
    let properties: BTreeMap<String, Arc<Structural>> = alternative
        .properties
        .iter()
        .map(|(name, schema)| match node.properties.get(name) {
            Some(known) => (name.clone(), Arc::new(self::joined(known, schema))),
            None => (name.clone(), Arc::clone(schema)),
        })
        .collect();
    for (name, schema) in properties {
        // A value that the alternative speaks of is to be there.
        if !joined.checks.required.contains(&name) {
            joined.checks.required.push(name.clone());
        }
        joined.properties.insert(name, schema);
    }
    joined.default = None;
    joined
}

/// A number of the type; none if the type does not hold it.
fn number(value: f64, integer: bool) -> Option<Value> {
    if !integer {
        return Number::from_f64(value).map(Value::Number);
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    let whole = |value: f64| value as i64;
    match value.fract() == 0.0 && value.abs() < 9.2e18 {
        true => Some(Value::from(whole(value))),
        // A fraction of an integer is of no use.
        false => None,
    }
}
