//! Takes secrets out of what a run keeps of recorded objects.

use crate::corpus::words;
use serde_json::Value;
use std::collections::BTreeSet;
use takeover_corpora::redact::{Hunt, Key, RedactionSettings, Redactor};
use takeover_harness::case::Provenance;
use takeover_harness::evidence::{Evidence, Example, Quote};
use takeover_harness::pair::Pair;

/// The evidence without the secrets of recorded objects. The same objects give the same evidence.
pub(super) fn redacted(mut evidence: Evidence, pairs: &[Pair]) -> Evidence {
    let words = words(pairs);
    evidence.each_quote(&mut |quote| match quote {
        Quote::Example(example) if is_recorded(&example.sighting.provenance) => redact(example, &words),
        Quote::Sighting(sighting) if is_recorded(&sighting.provenance) => redact_text(&mut sighting.message),
        Quote::Message(message) => redact_text(message),
        Quote::Example(_) | Quote::Sighting(_) => {}
    });
    evidence
}

fn is_recorded(provenance: &Provenance) -> bool {
    !matches!(provenance, Provenance::Generated { .. })
}

/// A key that only those who have the text can compute.
fn key(text: &str) -> Key {
    Key::derived(text.as_bytes())
}

fn redact(example: &mut Example, words: &BTreeSet<String>) {
    redact_text(&mut example.sighting.message);
    if example.redacted || example.is_empty() {
        return;
    }
    let key = key(&serde_json::to_string(&example.case).unwrap_or_default());
    let mut case = example.case.clone();
    let mut redactor = Redactor::new(key.clone(), RedactionSettings::default());
    let objects = |case: &mut takeover_harness::evidence::StoredCase, change: &mut dyn FnMut(&mut Value)| {
        std::iter::once(&mut case.object).chain(case.old_object.as_mut()).for_each(change);
    };
    objects(&mut case, &mut |object| redactor.object(object));
    // What was replaced in one place may stand in another.
    if let Ok(hunt) = Hunt::new(key, redactor.into_originals(), &|word| words.contains(word)) {
        objects(&mut case, &mut |object| {
            hunt.object(object);
        });
        hunt.place(&mut example.sighting.message);
    }
    example.redacted = case != example.case;
    example.case = case;
}

/// Replaces what looks like a secret wherever it stands.
fn redact_text(text: &mut String) {
    let mut value = Value::String(text.clone());
    Redactor::new(key(text), RedactionSettings::default()).object(&mut value);
    if let Value::String(redacted) = value {
        *text = redacted;
    }
}

#[cfg(test)]
mod tests {
    use super::redact;
    use serde_json::json;
    use std::collections::BTreeSet;
    use takeover_harness::case::{Case, Operation, Options, Provenance};
    use takeover_harness::evidence::{CasePlace, Example, Sighting, StoredCase};

    #[test]
    fn an_example_keeps_its_shape_and_loses_its_secrets_wherever_they_stand() {
        let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": {"x": "see hunter2-hunter2"}},
            "spec": {"restartPolicy": "Always", "containers": [{"env": [{"name": "DB_PASSWORD", "value": "hunter2-hunter2"}]}]}});
        let provenance = Provenance::File { path: "a.yaml".into(), document: 1, line: 1 };
        let case = Case {
            operation: Operation::Update,
            object: object.clone().into(),
            old: Some(object.into()),
            options: Options::new(),
            provenance: provenance.clone(),
        };
        let message = "spec: Invalid value: \"hunter2-hunter2\": password=correct-horse".to_owned();
        let sighting = Sighting { place: CasePlace::default(), provenance, message };
        let whole = Example { beside: 0, size: 9, sighting, case: StoredCase::from(&case), redacted: false };
        let mut example = whole.clone();
        redact(&mut example, &BTreeSet::new());
        let text = serde_json::to_string(&example).unwrap();
        assert!(!text.contains("hunter2") && !text.contains("correct-horse"), "{text}");
        assert!(
            example.redacted && text.contains("\"restartPolicy\":\"Always\"") && text.contains("DB_PASSWORD"),
            "{text}"
        );
        assert_eq!(example.case.old_object.as_ref(), Some(&example.case.object), "the same stays the same");
        let mut again = whole;
        redact(&mut again, &BTreeSet::new());
        assert_eq!(again, example);
    }
}
