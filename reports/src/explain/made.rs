//! What both sides make of a field, where they answer with objects.

use crate::numbers::{counted, grouped};
use crate::text::shortened;
use serde::Serialize;
use serde_json::Value;

/// Longest value in a line, in characters.
const LONGEST: usize = 240;

/// What both sides make of a field in objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MadeValues {
    /// Cases in which both give it the same value.
    pub same: u64,
    /// Cases in which they differ.
    pub different: u64,
    /// A small object in which they differ.
    pub example: Option<MadeValue>,
}

/// A value that the two sides set differently.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MadeValue {
    /// The object that is sent.
    pub object: Value,
    /// The path of the value.
    pub path: String,
    /// What the reference makes there; `None` if it leaves it unset.
    pub reference: Option<Value>,
    /// What the candidate makes there; `None` if it leaves it unset.
    pub candidate: Option<Value>,
    /// Why they differ, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl MadeValues {
    /// How often the sides agree.
    pub(super) fn figures(&self) -> String {
        match self.different {
            0 => format!("both sides make the same of this field in all {}", counted(self.same, "case")),
            different => format!(
                "both sides make the same of this field in {}, and differ in {}",
                counted(self.same, "case"),
                grouped(different)
            ),
        }
    }
}

impl MadeValue {
    /// What each side makes, in a line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, String)> {
        let made = |value: &Option<Value>| match value {
            Some(value) => format!("sets {} to {}", self.path, shortened(&value.to_string(), LONGEST)),
            None => format!("leaves {} unset", self.path),
        };
        let sides = [("the reference: ", made(&self.reference)), ("the candidate: ", made(&self.candidate))];
        sides.into_iter().chain(self.because.clone().map(|because| ("", because)))
    }
}

#[cfg(test)]
mod tests {
    use super::{MadeValue, MadeValues};
    use crate::explain::{FIELD_FORMS, FieldExplanation, ObservedIn};
    use crate::form::Form;
    use crate::layout::Look;
    use serde_json::json;

    #[test]
    fn objects_that_sides_make_are_counted_with_a_small_one_where_they_differ() {
        let made = |different: u64, example: Option<MadeValue>| {
            let observed_in = ObservedIn::Cases(4000);
            let mut of = FieldExplanation::new("v1 Widget#a-to-b".to_owned(), "spec.size".to_owned(), observed_in);
            (of.default, of.item_default) = (Some(json!(1)), Some(json!("a")));
            (of.reference, of.candidate) = ("exec ./old".to_owned(), "exec ./new".to_owned());
            of.made = Some(MadeValues { same: 1200, different, example });
            of.commands = vec!["takeover soak --kind Widget".to_owned()];
            of
        };
        let written = |of: &FieldExplanation, name: &str| {
            (Form::find(FIELD_FORMS, name).unwrap().write)(of, Look::plain(80)).unwrap()
        };
        let object = json!({"spec": {}});
        let (path, because) = ("spec.size".to_owned(), None);
        let value = MadeValue { object, path, reference: Some(json!(2)), candidate: None, because };
        let differs = made(34, Some(value));
        insta::assert_snapshot!(written(&differs, "text"), @r#"
        spec.size
          of v1 Widget#a-to-b
          default 1, which it gets where it is unset
          default "a" of each entry, which gets it where it is null
          reference: exec ./old; candidate: exec ./new

        Objects, observed in 4,000 cases, judged just now
          both sides make the same of this field in 1,200 cases, and differ in 34
            new {"spec":{}}
            the reference: sets spec.size to 2
            the candidate: leaves spec.size unset

        Next
          takeover soak --kind Widget
        "#);
        assert!(written(&differs, "markdown").contains("* the reference: `sets spec.size to 2`"));
        assert!(written(&made(0, None), "text").contains("make the same of this field in all 1,200 cases"));
    }
}
