//! `allOf`, `anyOf`, `oneOf` and `not` as rules.

use super::example::example;
use super::joined::{alternatives, joined, only, plain};
use super::row::{Constraint, Junctor};
use super::rules::{Hints, class};
use super::ways::ways;
use crate::structural::{Checks, Structural};
use crate::validate::accepts;
use serde_json::Value;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, Sample, Specificity};

/// Nested alternatives.
const DEPTH: usize = 3;
/// Samples of nested alternatives, which are also tried in pairs.
const MOST_NESTED: usize = 10;
/// Samples of one rule.
const MOST_SAMPLES: usize = 64;
/// Samples beside them that take other ways through the alternatives.
const MOST_WAYS: usize = 24;
const JUNCTORS: [Junctor; 4] = [Junctor::AllOf, Junctor::AnyOf, Junctor::OneOf, Junctor::Not];

fn has_alternatives(node: &Structural) -> bool {
    JUNCTORS.into_iter().any(|junctor| !alternatives(node, junctor).is_empty())
}

/// Values for each alternative of a schema, and for each nested one.
fn of_nested(node: &Structural, name: &str, depth: usize, samples: &mut Vec<(String, Value)>) {
    for junctor in JUNCTORS {
        for (index, alternative) in alternatives(node, junctor).iter().enumerate() {
            if samples.len() >= MOST_NESTED {
                return;
            }
            let joined = joined(node, junctor, alternative);
            let name = format!("{name}, {} {}", junctor.name(), index + 1);
            let sample = without_alternatives(&joined);
            if !samples.iter().any(|(_, known)| *known == sample) {
                samples.push((name.clone(), sample));
            }
            if depth > 1 {
                of_nested(&joined, &name, depth - 1, samples);
            }
        }
    }
}

/// Merges the objects in pairs.
fn pairs(samples: &[(String, Value)]) -> Vec<(String, Value)> {
    let mut pairs = Vec::new();
    for (at, (name, one)) in samples.iter().enumerate() {
        for (other_name, other) in samples.iter().skip(at + 1) {
            let (Value::Object(one), Value::Object(other)) = (one, other) else { continue };
            let mut both = one.clone();
            both.extend(other.clone());
            if both.len() > one.len().max(other.len()) {
                pairs.push((format!("{name}, and {other_name}"), Value::Object(both)));
            }
        }
    }
    pairs
}

/// An ordinary value for the part of a schema outside its alternatives.
fn without_alternatives(node: &Structural) -> Value {
    example(&plain(node), 0)
}

/// Values that fit the alternatives, each with whether it breaks what they ask for together.
fn samples(node: &Structural, junctor: Junctor) -> Vec<Boundary> {
    let alternatives = alternatives(node, junctor);
    let alone = match junctor {
        Junctor::AllOf => Checks { all_of: alternatives.to_vec(), ..Checks::default() },
        Junctor::AnyOf => Checks { any_of: alternatives.to_vec(), ..Checks::default() },
        Junctor::OneOf => Checks { one_of: alternatives.to_vec(), ..Checks::default() },
        Junctor::Not => Checks { not: alternatives.first().cloned(), ..Checks::default() },
    };
    let alone = only(node, alone);
    let plain = without_alternatives(node);
    let mut samples = vec![("neither in particular".to_owned(), plain.clone())];
    let mut nested = Vec::new();
    for (index, alternative) in alternatives.iter().enumerate() {
        let joined = joined(node, junctor, alternative);
        let name = format!("for alternative {}", index + 1);
        if has_alternatives(alternative) {
            of_nested(&joined, &name, DEPTH, &mut nested);
        }
        samples.push((name, example(&joined, 0)));
    }
    if let Value::Object(all) = &plain {
        let mut all = all.clone();
        for (_, sample) in samples.iter().skip(1) {
            all.extend(sample.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        }
        samples.push(("for all alternatives".to_owned(), Value::Object(all)));
    }
    let pairs = pairs(&nested);
    samples.extend(nested);
    samples.extend(pairs);
    samples.truncate(MOST_SAMPLES);
    let more = ways(node, samples.iter().map(|(_, sample)| sample), MOST_WAYS);
    samples.extend((1..).map(|number| format!("way {number}")).zip(more));
    let mut boundaries: Vec<Boundary> = Vec::new();
    for (name, sample) in samples {
        if !boundaries.iter().any(|other| matches!(&other.sample, Sample::Value(value) if *value == sample)) {
            boundaries.push(class(name, !accepts(&alone, &sample), sample));
        }
    }
    boundaries
}

impl Hints {
    /// Each of `allOf` and its like as one rule, whose samples are values that fit the alternatives.
    pub(super) fn alternatives(&mut self, node: &Structural, path: &str) {
        for junctor in JUNCTORS {
            let alternatives = alternatives(node, junctor);
            if alternatives.is_empty() || node.int_or_string {
                continue;
            }
            let boundaries = if self.sampled { samples(node, junctor) } else { Vec::new() };
            let name = junctor.name();
            let chain = match junctor {
                Junctor::Not => name.to_owned(),
                _ => format!("{name} of {}", alternatives.len()),
            };
            self.add(path, Constraint::Alternatives(junctor), chain, ErrorType::Invalid, Specificity::Form, boundaries);
        }
    }
}
