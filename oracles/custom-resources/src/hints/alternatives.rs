//! `allOf`, `anyOf`, `oneOf` and `not` as rules.

use super::example::example;
use super::row::{Constraint, Junctor};
use super::rules::{Hints, class, only};
use crate::structural::{Checks, Structural};
use crate::validate::accepts;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, Sample, Specificity};

impl Hints {
    /// Each of `allOf` and its like as one rule, whose samples are values that fit the alternatives.
    pub(super) fn alternatives(&mut self, node: &Structural, path: &str) {
        let checks = &node.checks;
        let not: Vec<_> = checks.not.iter().map(Arc::clone).collect();
        for (junctor, alternatives) in [
            (Junctor::AllOf, &checks.all_of),
            (Junctor::AnyOf, &checks.any_of),
            (Junctor::OneOf, &checks.one_of),
            (Junctor::Not, &not),
        ] {
            if alternatives.is_empty() || node.int_or_string {
                continue;
            }
            let alone = match junctor {
                Junctor::AllOf => Checks { all_of: alternatives.clone(), ..Checks::default() },
                Junctor::AnyOf => Checks { any_of: alternatives.clone(), ..Checks::default() },
                Junctor::OneOf => Checks { one_of: alternatives.clone(), ..Checks::default() },
                Junctor::Not => Checks { not: alternatives.first().cloned(), ..Checks::default() },
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
            let name = junctor.name();
            let chain = match junctor {
                Junctor::Not => name.to_owned(),
                _ => format!("{name} of {}", alternatives.len()),
            };
            self.add(path, Constraint::Alternatives(junctor), chain, ErrorType::Invalid, Specificity::Form, boundaries);
        }
    }
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
