//! How two lists of conditions differ, as errors print it: a unified diff of their JSON.

use crate::report::text;
use crate::time;
use k8s_openapi::api::certificates::v1::CertificateSigningRequestCondition as Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// The unified diff of two lists of equally many conditions, whose lines then correspond one by one.
pub(super) fn diff(old: &[&Condition], new: &[&Condition]) -> String {
    let (old, new) = (lines(old), lines(new));
    let changed: Vec<usize> = (0..old.len()).filter(|at| old.get(*at) != new.get(*at)).collect();
    let mut out = String::new();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        let close = rest.windows(2).take_while(|pair| matches!(pair, [a, b] if b - a <= 2 * CONTEXT + 1)).count() + 1;
        let (hunk, more) = rest.split_at(close);
        let (from, to) =
            (first.saturating_sub(CONTEXT), hunk.last().map_or(0, |last| last + CONTEXT + 1).min(old.len()));
        write_hunk(&mut out, (&old, &new), from, to);
        rest = more;
    }
    out
}

fn write_hunk(out: &mut String, (old, new): (&[String], &[String]), from: usize, to: usize) {
    let range = format!("{},{}", from + 1, to - from);
    let _ = writeln!(out, "@@ -{range} +{range} @@");
    let mut added = String::new();
    for (before, after) in old.iter().zip(new).take(to).skip(from) {
        if before == after {
            out.push_str(&std::mem::take(&mut added));
            let _ = writeln!(out, " {before}");
        } else {
            let _ = writeln!(out, "-{before}");
            let _ = writeln!(added, "+{after}");
        }
    }
    out.push_str(&added);
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
