//! A schema together with one of its alternatives.

use super::row::Junctor;
use crate::structural::{Checks, Structural};
use crate::validate::accepts;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The alternatives of a node: the schemas of `oneOf`, `anyOf`, `allOf` and `not`.
pub(crate) fn alternatives(node: &Structural, junctor: Junctor) -> &[Arc<Structural>] {
    match junctor {
        Junctor::AllOf => &node.checks.all_of,
        Junctor::AnyOf => &node.checks.any_of,
        Junctor::OneOf => &node.checks.one_of,
        Junctor::Not => node.checks.not.as_slice(),
    }
}

/// The node without its alternatives.
pub(super) fn plain(node: &Structural) -> Structural {
    let mut plain = node.clone();
    plain.checks = Checks { all_of: Vec::new(), any_of: Vec::new(), one_of: Vec::new(), not: None, ..plain.checks };
    plain
}

/// Whether a value is one that the alternatives of a node accept.
pub(super) fn keeps(node: &Structural, value: &Value) -> bool {
    let Checks { all_of, any_of, one_of, not, .. } = &node.checks;
    if node.int_or_string || all_of.is_empty() && any_of.is_empty() && one_of.is_empty() && not.is_none() {
        return true;
    }
    let (all_of, any_of, one_of, not) = (all_of.clone(), any_of.clone(), one_of.clone(), not.clone());
    let alone = Checks { all_of, any_of, one_of, not, ..Checks::default() };
    accepts(&only(node, alone), value)
}

/// A schema that says nothing but these constraints.
pub(super) fn only(node: &Structural, checks: Checks) -> Structural {
    Structural { checks, ty: node.ty, nullable: node.nullable, ..Structural::default() }
}

/// The schema of values that keep `node` and are for an alternative of it, which is no longer one.
pub(super) fn joined(node: &Structural, junctor: Junctor, alternative: &Structural) -> Structural {
    let mut joined = both(node, alternative);
    match junctor {
        Junctor::AllOf => joined.checks.all_of.clone_from(&alternative.checks.all_of),
        Junctor::AnyOf => joined.checks.any_of.clone_from(&alternative.checks.any_of),
        Junctor::OneOf => joined.checks.one_of.clone_from(&alternative.checks.one_of),
        Junctor::Not => joined.checks.not = None,
    }
    joined
}

fn both(node: &Structural, alternative: &Structural) -> Structural {
    let mut both = node.clone();
    let (checks, more) = (&mut both.checks, &alternative.checks);
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
    checks.max_items = more.max_items.or(checks.max_items);
    checks.min_properties = more.min_properties.or(checks.min_properties);
    checks.max_properties = more.max_properties.or(checks.max_properties);
    checks.pattern = more.pattern.clone().or(checks.pattern.take());
    checks.format = more.format.clone().or(checks.format.take());
    checks.all_of.extend(more.all_of.iter().cloned());
    checks.any_of.extend(more.any_of.iter().cloned());
    checks.one_of.extend(more.one_of.iter().cloned());
    checks.not = more.not.clone().or(checks.not.take());
    both.ty = both.ty.or(alternative.ty);
    let properties: BTreeMap<String, Arc<Structural>> = alternative
        .properties
        .iter()
        .map(|(name, schema)| match node.properties.get(name) {
            Some(known) => (name.clone(), Arc::new(self::both(known, schema))),
            None => (name.clone(), Arc::clone(schema)),
        })
        .collect();
    for (name, schema) in properties {
        // A value that the alternative speaks of is to be there, if it may be.
        if !both.checks.required.contains(&name) && !is_forbidden(&schema) {
            both.checks.required.push(name.clone());
        }
        both.properties.insert(name, schema);
    }
    if let Some(schema) = &alternative.items {
        both.items = Some(match &both.items {
            Some(known) => Arc::new(self::both(known, schema)),
            None => Arc::clone(schema),
        });
    }
    both.default = None;
    both
}

/// Whether a schema accepts nothing: `not: {}`.
fn is_forbidden(schema: &Structural) -> bool {
    schema
        .checks
        .not
        .as_ref()
        .is_some_and(|not| [Value::Bool(true), Value::from(""), Value::Null].iter().all(|value| accepts(not, value)))
}
