//! How two lists of conditions differ, as errors print it: a unified diff of their JSON.

use super::line_diff::unified;
use crate::report::text;
use crate::time;
use crate::types::Time;
use crate::types::certificates::v1::CertificateSigningRequestCondition as Condition;
use serde_json::{Value, json};

/// The unified diff of two lists of conditions.
pub(super) fn diff(old: &[&Condition], new: &[&Condition]) -> String {
    unified(&lines(old), &lines(new))
}

/// The lines of the JSON of conditions, as the server's internal structs print, indented by one blank.
fn lines(conditions: &[&Condition]) -> Vec<String> {
    let mut out = vec!["[".to_owned()];
    for (index, condition) in conditions.iter().enumerate() {
        let time = |time: Option<Time>| time.map_or(Value::Null, time::json);
        let members = [
            ("Type", json!(condition.type_)),
            ("Status", json!(condition.status)),
            ("Reason", json!(text(condition.reason))),
            ("Message", json!(text(condition.message))),
            ("LastUpdateTime", time(condition.last_update_time)),
            ("LastTransitionTime", time(condition.last_transition_time)),
        ];
        out.push(" {".to_owned());
        let last = members.len() - 1;
        for (at, (name, value)) in members.iter().enumerate() {
            let comma = if at == last { "" } else { "," };
            out.push(format!("  \"{name}\": {value}{comma}"));
        }
        out.push(if index + 1 == conditions.len() { " }" } else { " }," }.to_owned());
    }
    out.push("]".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(reason: &str) -> Condition<'_> {
        Condition { type_: "Approved", status: "True", reason: Some(reason), ..Condition::default() }
    }

    #[test]
    fn changes_are_shown_among_three_lines() {
        let (a, b) = (condition("A"), condition("B"));
        let near = "   \"Type\": \"Approved\",\n   \"Status\": \"True\",\n";
        let after = "   \"Message\": \"\",\n   \"LastUpdateTime\": null,\n   \"LastTransitionTime\": null\n";
        assert_eq!(
            diff(&[&a], &[&b]),
            format!("@@ -2,7 +2,7 @@\n  {{\n{near}-  \"Reason\": \"A\",\n+  \"Reason\": \"B\",\n{after}")
        );
        let both = diff(&[&a, &a], &[&b, &b]);
        assert_eq!(both.matches("@@ -").count(), 2, "{both}");
        assert_eq!(diff(&[&a], &[&a]), "");
    }
}
