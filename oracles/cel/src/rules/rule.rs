//! A rule as the schema states it, and what is checked of it before it is compiled.

use super::field_path::normalized;
use super::refusal::{Refusal, RefusalKind};
use serde_json::Value as Json;

/// An entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The expression.
    pub rule: String,
    /// The message; may be empty.
    pub message: String,
    /// The expression that makes the message; may be empty.
    pub message_expression: String,
    /// The reason, as it is spelled.
    pub reason: Option<String>,
    /// Where the error points to, below the rule's node; empty if there is nothing.
    pub field_path: String,
    /// Whether `oldSelf` is optional.
    pub optional_old_self: Option<bool>,
}

const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

impl Rule {
    /// Reads the rules of a node.
    #[must_use]
    pub fn of(schema: &Json) -> Vec<Self> {
        let rules = schema.get("x-kubernetes-validations").and_then(Json::as_array);
        rules.into_iter().flatten().map(Self::read).collect()
    }

    fn read(rule: &Json) -> Self {
        let text = |name: &str| rule.get(name).and_then(Json::as_str).map(str::to_owned);
        Self {
            rule: text("rule").unwrap_or_default(),
            message: text("message").unwrap_or_default(),
            message_expression: text("messageExpression").unwrap_or_default(),
            reason: text("reason"),
            field_path: text("fieldPath").unwrap_or_default(),
            optional_old_self: rule.get("optionalOldSelf").and_then(Json::as_bool),
        }
    }

    /// What API servers reject without compiling the rule. `place` is the rule's own path; without a schema, which a node that is
    /// not structural lacks, field paths are not followed.
    pub(super) fn refusals(&self, schema: Option<&Json>, place: &str, refusals: &mut Vec<Refusal>) {
        use RefusalKind::{Invalid, NotSupported, Required};
        let (rule, message) = (self.rule.trim(), self.message.trim());
        let mut refuse = |name: &str, kind: RefusalKind, value: &str, detail: &str| {
            let bad_value = if kind == Required { Json::Null } else { Json::from(value) };
            refusals.push(Refusal {
                field: format!("{place}.{name}"),
                kind,
                bad_value,
                detail: detail.to_owned(),
                cost: None,
            });
        };
        if rule.is_empty() {
            refuse("rule", Required, "", "rule is not specified");
        } else if !self.message.is_empty() && message.is_empty() {
            refuse("message", Invalid, &self.message, "must be non-empty if specified");
        } else if has_line_break(message) {
            refuse("message", Invalid, &self.message, "must not contain line breaks");
        } else if has_line_break(rule) && message.is_empty() {
            refuse("message", Required, "", "message must be specified if rule contains line breaks");
        }
        if !self.message_expression.is_empty() && self.message_expression.trim().is_empty() {
            refuse("messageExpression", Required, "", "messageExpression must be non-empty if specified");
        }
        if let Some(reason) = self.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            let supported = REASONS.map(|reason| format!("\"{reason}\"")).join(", ");
            refuse("reason", NotSupported, reason, &format!("supported values: {supported}"));
        }
        if self.field_path.is_empty() {
            return;
        }
        if self.field_path.trim().is_empty() {
            refuse("fieldPath", Invalid, &self.field_path, "must be non-empty if specified");
        }
        if has_line_break(&self.field_path) {
            refuse("fieldPath", Invalid, &self.field_path, "must not contain line breaks");
        }
        if schema.is_some_and(|schema| normalized(&self.field_path, schema).is_err()) {
            refuse("fieldPath", Invalid, &self.field_path, "must be a valid path");
        }
    }
}

fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
