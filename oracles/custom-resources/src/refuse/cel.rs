//! Whether the CEL rules of a schema compile, and what they may cost.

use serde_json::{Value, json};
use takeover_cel::rules::{Refusal, RefusalKind, compile_schema};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

const RULES: &str = ".x-kubernetes-validations";

/// What is refused of the rules of a structural schema. `others` is what is refused of it besides: a server does not compile rules at
/// nodes at which, or below which, there is anything else.
pub(super) fn check(schema: &Value, others: &[FieldError], path: &Path<'_>) -> Vec<FieldError> {
    let place = path.to_field();
    let rules = match compile_schema(schema, true, &place) {
        Ok(rules) => rules,
        Err(error) => return vec![FieldError::new(ErrorType::Internal, path, BadValue::Hidden, error.to_string())],
    };
    let counts = |refusal: &Refusal| match refusal.field.rfind(RULES) {
        Some(end) => {
            let node = refusal.field.get(..end).unwrap_or_default();
            !others.iter().any(|other| is_at_or_below(&other.field, node))
        }
        // The cost of all rules is known only if all are compiled.
        None => others.is_empty(),
    };
    rules.refusals.into_iter().filter(counts).map(of_refusal).collect()
}

fn is_at_or_below(field: &str, node: &str) -> bool {
    field.strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn of_refusal(refusal: Refusal) -> FieldError {
    let kind = match refusal.kind {
        RefusalKind::Required => ErrorType::Required,
        RefusalKind::Invalid => ErrorType::Invalid,
        RefusalKind::Forbidden => ErrorType::Forbidden,
        RefusalKind::NotSupported => ErrorType::NotSupported,
        _ => ErrorType::Internal,
    };
    let value = match (kind, &refusal.bad_value) {
        (ErrorType::Required | ErrorType::Forbidden, _) => BadValue::from(""),
        (ErrorType::Internal, _) => BadValue::Hidden,
        (_, rule @ Value::Object(_)) => as_go_shows(rule).into(),
        (_, value) => value.clone().into(),
    };
    let error = FieldError::new(kind, &Path::ROOT, value, refusal.detail);
    FieldError { field: refusal.field, ..error }
}

/// A rule with the names that its members have in Go.
fn as_go_shows(rule: &Value) -> Value {
    let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
    json!({
        "Rule": text("rule"),
        "Message": text("message"),
        "MessageExpression": text("messageExpression"),
        "Reason": rule.get("reason"),
        "FieldPath": text("fieldPath"),
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    })
}
