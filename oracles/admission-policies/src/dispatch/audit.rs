//! Audit annotations.

use crate::api::Binding;
use crate::names::qualified_name;
use serde::Serialize;
use std::collections::BTreeMap;

/// Longest value of an annotation, in bytes.
const LONGEST: usize = 10_240;

/// The key under which the failure of a validation is recorded.
const FAILURE: &str = "validation.policy.admission.k8s.io/validation_failure";

/// A failed validation as audit events have it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failed<'f> {
    message: &'f str,
    policy: &'f str,
    binding: &'f str,
    expression_index: usize,
    validation_actions: &'f [String],
}

/// Records that a validation failed, unless one is recorded.
pub(super) fn record_failure(
    annotations: &mut BTreeMap<String, String>,
    binding: &Binding,
    index: usize,
    message: &str,
) {
    let failed = Failed {
        message,
        policy: &binding.spec.policy_name,
        binding: &binding.name,
        expression_index: index,
        validation_actions: &binding.spec.validation_actions,
    };
    let text = serde_json::to_string(&[failed]).unwrap_or_default();
    // As Go writes JSON.
    let text = text
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    annotations.entry(FAILURE.to_owned()).or_insert(text);
}

/// What one policy publishes: values by key, in the order in which they came.
#[derive(Default)]
pub(super) struct Published(BTreeMap<String, Vec<String>>);

impl Published {
    /// Adds a value; the same one only once.
    pub(super) fn add(&mut self, key: &str, value: &str) {
        let cut = String::from_utf8_lossy(value.as_bytes().get(..LONGEST).unwrap_or(value.as_bytes())).into_owned();
        let values = self.0.entry(key.to_owned()).or_default();
        if !values.contains(&cut) {
            values.push(cut);
        }
    }

    /// Adds everything to the annotations of the request, where the first value of a key stays.
    pub(super) fn publish(self, policy: &str, annotations: &mut BTreeMap<String, String>) {
        for (key, values) in self.0 {
            let key = format!("{policy}/{key}");
            // Others are only logged.
            if key.split('/').count() == 2 && qualified_name(&key).is_empty() {
                annotations.entry(key).or_insert_with(|| values.join(", "));
            }
        }
    }
}
