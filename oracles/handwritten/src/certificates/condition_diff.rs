//! How two lists of conditions differ, as errors print it: a unified diff of their JSON.

use super::line_diff::unified;
use crate::report::text;
use crate::time;
use k8s_openapi::api::certificates::v1::CertificateSigningRequestCondition as Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

/// The unified diff of two lists of conditions.
pub(super) fn diff(old: &[&Condition], new: &[&Condition]) -> String {
    unified(&lines(old), &lines(new))
}

/// The lines of the JSON of conditions, as the server's internal structs print, indented by one blank.
fn lines(conditions: &[&Condition]) -> Vec<String> {
    let mut out = vec!["[".to_owned()];
    for (index, condition) in conditions.iter().enumerate() {
        let time = |time: Option<&Time>| time.map_or(Value::Null, time::json);
        let members = [
            ("Type", json!(condition.type_)),
            ("Status", json!(condition.status)),
            ("Reason", json!(text(condition.reason.as_ref()))),
            ("Message", json!(text(condition.message.as_ref()))),
            ("LastUpdateTime", time(condition.last_update_time.as_ref())),
            ("LastTransitionTime", time(condition.last_transition_time.as_ref())),
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

    fn condition(reason: &str) -> Condition {
        Condition {
            type_: "Approved".to_owned(),
            status: "True".to_owned(),
            reason: Some(reason.to_owned()),
            ..Condition::default()
        }
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
