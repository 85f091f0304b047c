//! What a server makes up in the words of errors: the time of a request, the random end of a name. What was recorded takes the
//! place of ours where nothing else differs.

use serde_json::Value;
use takeover_harness::error::FieldError;
use takeover_harness::object::Instant;
use takeover_oracles::handwritten::strategy::{GENERATED_END, REQUEST_TIME};

/// Puts what the recorded server made up in the place of what we did, in the words of our `errors`.
pub(super) fn put_recorded_words(errors: &mut [FieldError], recorded: &[FieldError]) {
    let made_up = |ours: &&mut FieldError| ours.detail.contains(REQUEST_TIME) || ours.detail.contains(GENERATED_END);
    for ours in errors.iter_mut().filter(made_up) {
        let alike = recorded.iter().find(|error| {
            error.error_type == ours.error_type
                && error.field == ours.field
                && (same_but_for_the_clock(&error.detail, &ours.detail)
                    || same_but_generated(&error.detail, &ours.detail))
        });
        if let Some(recorded) = alike {
            ours.detail.clone_from(&recorded.detail);
        }
    }
}

/// The words of an error with the members of the struct or list at their start in the order of their names. Go prints them in
/// that of its source.
pub(super) fn sorted_members(words: &str) -> String {
    let mut values = serde_json::Deserializer::from_str(words).into_iter::<Value>();
    match values.next().filter(|_| words.starts_with(['{', '['])) {
        Some(Ok(value)) => format!("{value}{}", words.get(values.byte_offset()..).unwrap_or_default()),
        _ => words.to_owned(),
    }
}

/// Whether two texts are the same when the time of the recorded request stands for the time that our requests have.
fn same_but_for_the_clock(recorded: &str, ours: &str) -> bool {
    let mut rest = recorded;
    let mut parts = ours.split(REQUEST_TIME);
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    for part in parts {
        let after = rest.split_at_checked(REQUEST_TIME.len()).filter(|(time, _)| Instant::parse(time).is_some());
        let Some(after) = after.and_then(|(_, after)| after.strip_prefix(part)) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// Whether two texts differ only in the random end of a generated name.
fn same_but_generated(recorded: &str, ours: &str) -> bool {
    let Some((before, after)) = ours.split_once(GENERATED_END) else { return false };
    let rest = recorded.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    rest.is_some_and(|end| end.len() == GENERATED_END.len() && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::{same_but_for_the_clock, same_but_generated, sorted_members};

    #[test]
    fn a_recorded_time_stands_for_the_time_of_our_requests() {
        for (recorded, ours, same) in [
            ("a", "a", true),
            ("a", "b", false),
            ("ab", "a", false),
            ("at 2026-11-21T01:46:23Z", "at 2026-01-01T00:00:00Z", true),
            ("at 2026-11-21T01:46:23Z.", "at 2026-01-01T00:00:00Z", false),
            ("at noon, local time!", "at 2026-01-01T00:00:00Z", false),
            ("2026-11-21T01:46:23Z", "2025-01-01T00:00:00Z", false),
        ] {
            assert_eq!(same_but_for_the_clock(recorded, ours), same, "{recorded} {ours}");
        }
    }

    #[test]
    fn a_recorded_end_of_a_name_stands_for_ours() {
        for (recorded, same) in
            [("web-abcde.", true), ("web-abcd.", false), ("web-ab-de.", false), ("job-abcde.", false)]
        {
            assert_eq!(same_but_generated(recorded, "web-x7k2p."), same, "{recorded}");
        }
    }

    #[test]
    fn members_are_sorted_and_the_other_words_stay() {
        for (words, sorted) in [
            (r#"{"Z":1,"A":[2]}: too {many}"#, r#"{"A":[2],"Z":1}: too {many}"#),
            ("\"a\": must {be}", "\"a\": must {be}"),
            ("{unclosed", "{unclosed"),
            ("", ""),
        ] {
            assert_eq!(sorted_members(words), sorted);
        }
    }
}
