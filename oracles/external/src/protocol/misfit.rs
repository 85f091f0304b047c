//! What is wrong with a hello whose members do not have the form that they need, in words.

use serde_json::Value;

/// What a member has to be.
#[derive(Clone, Copy)]
enum Form {
    Text,
    YesOrNo,
    Count,
    Texts,
    Answers,
}

impl Form {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::YesOrNo => value.is_boolean(),
            Self::Count => value.as_u64().is_some_and(|count| count > 0 && usize::try_from(count).is_ok()),
            Self::Texts => value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string)),
            Self::Answers => value.as_str().is_some_and(|name| ["errors", "decision", "object"].contains(&name)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::YesOrNo => "`true` or `false`",
            Self::Count => "a whole number of at least 1",
            Self::Texts => "a list of texts",
            Self::Answers => "`\"errors\"`, `\"decision\"` or `\"object\"`",
        }
    }
}

/// The members of a hello, and whether each has to be there.
const HELLO: &[(&str, Form, bool)] = &[
    ("name", Form::Text, true),
    ("version", Form::Text, false),
    ("answers", Form::Answers, false),
    ("origins", Form::YesOrNo, false),
    ("marks", Form::YesOrNo, false),
    ("steady", Form::YesOrNo, false),
    ("batch", Form::Count, false),
    ("pending", Form::Count, false),
];

/// The members of an entry of `kinds`.
const ENTRY: &[(&str, Form, bool)] = &[
    ("apiVersion", Form::Text, true),
    ("kind", Form::Text, true),
    ("subresources", Form::Texts, false),
    ("main", Form::YesOrNo, false),
];

/// The first member of a hello that does not have the form that it needs; reads after "a line that". Nothing where all have.
pub(super) fn misfit(hello: &Value) -> Option<String> {
    if !hello.is_object() {
        return Some("is a hello that is not a JSON object".to_owned());
    }
    let kinds = match hello.get("kinds") {
        None | Some(Value::Null) => None,
        Some(Value::Array(entries)) => entries.iter().enumerate().find_map(|(index, entry)| {
            let place = format!("kinds[{index}]");
            if entry.is_object() {
                of_members(entry, &format!("{place}."), ENTRY)
            } else {
                Some(wrong(&place, entry, "an object"))
            }
        }),
        Some(other) => Some(wrong("kinds", other, "a list of objects")),
    };
    of_members(hello, "", HELLO).or(kinds)
}

fn of_members(object: &Value, before: &str, members: &[(&str, Form, bool)]) -> Option<String> {
    members.iter().find_map(|(name, form, is_needed)| {
        let place = format!("{before}{name}");
        match object.get(name) {
            None if *is_needed => Some(format!("is a hello without `{place}`, which must be {}", form.name())),
            Some(value) if !form.fits(value) => Some(wrong(&place, value, form.name())),
            _ => None,
        }
    })
}

/// Longest value that is shown.
const SHOWN: usize = 40;

fn wrong(place: &str, value: &Value, needed: &str) -> String {
    let text = value.to_string();
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("is a hello whose `{place}` is {shown}{more}: it must be {needed}")
}

#[cfg(test)]
mod tests {
    use super::misfit;
    use crate::protocol::Hello;
    use serde::Deserialize as _;
    use serde_json::json;

    #[test]
    fn a_member_of_another_form_is_named_with_what_it_must_be() {
        let count = "it must be a whole number of at least 1";
        let switch = "it must be `true` or `false`";
        for (member, value, says) in [
            ("batch", json!(0), format!("is a hello whose `batch` is 0: {count}")),
            ("batch", json!(-1), format!("is a hello whose `batch` is -1: {count}")),
            ("pending", json!("64"), format!("is a hello whose `pending` is \"64\": {count}")),
            ("pending", json!(1.5), format!("is a hello whose `pending` is 1.5: {count}")),
            ("steady", json!("yes"), format!("is a hello whose `steady` is \"yes\": {switch}")),
            ("marks", json!(1), format!("is a hello whose `marks` is 1: {switch}")),
            ("name", json!(7), "is a hello whose `name` is 7: it must be a text".to_owned()),
            (
                "answers",
                json!("error"),
                "is a hello whose `answers` is \"error\": it must be `\"errors\"`, `\"decision\"` or `\"object\"`"
                    .to_owned(),
            ),
            ("kinds", json!("Pod"), "is a hello whose `kinds` is \"Pod\": it must be a list of objects".to_owned()),
            ("kinds", json!(["Pod"]), "is a hello whose `kinds[0]` is \"Pod\": it must be an object".to_owned()),
            (
                "kinds",
                json!([{"kind": "Pod"}]),
                "is a hello without `kinds[0].apiVersion`, which must be a text".to_owned(),
            ),
            (
                "kinds",
                json!([{"apiVersion": "v1", "kind": "Pod", "subresources": "status"}]),
                "is a hello whose `kinds[0].subresources` is \"status\": it must be a list of texts".to_owned(),
            ),
        ] {
            let mut hello = json!({"protocol": 1, "name": "w"});
            hello[member] = value;
            assert!(Hello::deserialize(&hello).is_err(), "{hello}");
            assert_eq!(misfit(&hello), Some(says), "{hello}");
        }
        assert_eq!(misfit(&json!({"protocol": 1})).unwrap(), "is a hello without `name`, which must be a text");
        let long = misfit(&json!({"protocol": 1, "name": "w", "answers": "e".repeat(500)})).unwrap();
        assert!(long.contains("eee…: it must be") && long.len() < 150, "{long}");
    }

    #[test]
    fn a_hello_that_can_be_read_has_no_misfit() {
        for hello in [
            json!({"protocol": 1, "name": "w"}),
            json!({"protocol": 1, "name": "w", "kinds": null, "more": {}}),
            json!({"protocol": 1, "name": "w", "version": "2", "answers": "object", "origins": true, "marks": false,
                "steady": false, "batch": 1, "pending": 9, "kinds": [
                    {"apiVersion": "v1", "kind": "Pod", "subresources": ["status"], "main": false}]}),
        ] {
            assert!(Hello::deserialize(&hello).is_ok());
            assert_eq!(misfit(&hello), None, "{hello}");
        }
    }
}
