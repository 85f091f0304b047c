//! What a recorded object does not tell: which of its lists and maps were there and empty. Go's encoder leaves out most of them, and
//! only the recorded value of an error still shows them.

use serde_json::Value;
use takeover_corpora::fixture::Fixture;
use takeover_harness::error::FieldError;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};

/// Why errors are not compared that show such a list or map.
pub(super) const UNTOLD: &str = "not judged, shows an empty list or map that the recorded object leaves out";

/// Whether the objects of a fixture were written after decoding, and thus without what is empty. One that still has an empty list has
/// only members that are always written: what our errors lack, we lost.
pub(super) fn written_without_empty(fixture: &Fixture) -> bool {
    fixture.expect.defaulted.is_none() && !has_empty_list(&fixture.object)
}

fn has_empty_list(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(has_empty_list),
        Value::Object(members) => members.values().any(has_empty_list),
        _ => false,
    }
}

/// An oracle whose errors show the recorded values where those differ from its own in nothing but empty lists and maps for none.
pub(super) struct WithRecordedLists<O> {
    /// The oracle.
    pub oracle: O,
    /// The errors that were recorded.
    pub recorded: Vec<FieldError>,
}

impl<O: Oracle> Oracle for WithRecordedLists<O> {
    fn precision(&self) -> Precision {
        self.oracle.precision()
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.oracle.answer(question, view, answer)?;
        for ours in answer.errors.as_mut_slice() {
            let shown = ours.bad_value.to_json();
            let alike = |recorded: &&FieldError| {
                recorded.error_type == ours.error_type
                    && recorded.field == ours.field
                    && same_but_for_empty(&recorded.bad_value.to_json(), &shown)
            };
            if let Some(recorded) = self.recorded.iter().find(alike) {
                ours.bad_value = recorded.bad_value.clone();
            }
        }
        Ok(())
    }
}

/// Whether a recorded value is ours with an empty list or map in the place of some nulls.
fn same_but_for_empty(recorded: &Value, ours: &Value) -> bool {
    match (recorded, ours) {
        (Value::Array(items), Value::Null) => items.is_empty(),
        (Value::Object(members), Value::Null) => members.is_empty(),
        (Value::Array(recorded), Value::Array(ours)) => {
            recorded.len() == ours.len()
                && recorded.iter().zip(ours).all(|(recorded, ours)| same_but_for_empty(recorded, ours))
        }
        (Value::Object(recorded), Value::Object(ours)) => {
            recorded.len() == ours.len()
                && recorded
                    .iter()
                    .all(|(name, recorded)| ours.get(name).is_some_and(|ours| same_but_for_empty(recorded, ours)))
        }
        _ => recorded == ours,
    }
}

#[cfg(test)]
mod tests {
    use super::{has_empty_list, same_but_for_empty};
    use serde_json::json;

    #[test]
    fn only_what_is_recorded_as_empty_stands_for_none() {
        for (recorded, ours, same) in [
            (json!({"A": [], "B": {}}), json!({"A": null, "B": null}), true),
            (json!([{"A": []}]), json!([{"A": null}]), true),
            (json!({"A": null}), json!({"A": []}), false),
            (json!({"A": [1]}), json!({"A": null}), false),
            (json!({"A": []}), json!({"B": null}), false),
            (json!({"A": [], "B": 1}), json!({"A": null, "B": 2}), false),
            (json!([[]]), json!([null, null]), false),
            (json!(""), json!(null), false),
        ] {
            assert_eq!(same_but_for_empty(&recorded, &ours), same, "{recorded} {ours}");
        }
    }

    #[test]
    fn empty_lists_are_found_however_deep() {
        for (object, found) in
            [(json!({"a": [{"b": []}]}), true), (json!({"a": [{"b": {}}]}), false), (json!({"a": [""]}), false)]
        {
            assert_eq!(has_empty_list(&object), found, "{object}");
        }
    }
}
