//! `allOf`, `anyOf`, `oneOf` and `not` as rules.

use super::example::example;
use super::joined::{alternatives, joined, only, plain};
use super::row::{Constraint, Junctor};
use super::rules::{Hints, class};
use crate::structural::{Checks, Structural};
use crate::validate::accepts;
use serde_json::Value;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, Sample, Specificity};

impl Hints {
    /// Each of `allOf` and its like as one rule, whose samples are values that fit the alternatives.
    pub(super) fn alternatives(&mut self, node: &Structural, path: &str) {
        for junctor in [Junctor::AllOf, Junctor::AnyOf, Junctor::OneOf, Junctor::Not] {
            let alternatives = alternatives(node, junctor);
            if alternatives.is_empty() || node.int_or_string {
                continue;
            }
            let alone = match junctor {
                Junctor::AllOf => Checks { all_of: alternatives.to_vec(), ..Checks::default() },
                Junctor::AnyOf => Checks { any_of: alternatives.to_vec(), ..Checks::default() },
                Junctor::OneOf => Checks { one_of: alternatives.to_vec(), ..Checks::default() },
                Junctor::Not => Checks { not: alternatives.first().cloned(), ..Checks::default() },
            };
            let alone = only(node, alone);
            let plain = example(&plain(node), 0);
            let mut samples = vec![("neither in particular".to_owned(), plain.clone())];
            for (index, alternative) in alternatives.iter().enumerate() {
                samples
                    .push((format!("for alternative {}", index + 1), example(&joined(node, junctor, alternative), 0)));
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
