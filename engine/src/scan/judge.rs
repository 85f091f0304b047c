//! One stored object.

use crate::target::Target;
use serde_json::Value;
use std::collections::HashSet;
use takeover_harness::case::Operation;
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::judge::{NoAnswer, consult};
use takeover_harness::object::{Arena, FieldValidation, Node};
use takeover_harness::oracle::{Objects, Question};
use takeover_harness::rule::RuleId;
use takeover_reports::LevelledRule;
use takeover_reports::scan::StoredObject;

/// What rules report of a stored object. They are asked twice: as if it were created now, and for an update that changes nothing. Errors
/// that the second reports too are not covered by ratcheting. The steps of a strategy are skipped, because they would drop a stored status.
///
/// # Errors
/// Returns the reason why nothing is known of it.
pub(super) fn judge(
    target: &Target,
    object: &Value,
    values: bool,
) -> Result<Vec<(Option<LevelledRule>, StoredObject)>, String> {
    let arena = Arena::new();
    let node = target
        .decode_with(object, FieldValidation::Warn, &arena)
        .map_err(|refused| format!("not of this kind: {}: {}", refused.field, refused.reason))?;
    let node = target.defaulted(node, &arena);
    let created = errors(target, node, None)?;
    if created.is_empty() {
        return Ok(Vec::new());
    }
    let stays: HashSet<(Option<RuleId>, String)> = errors(target, node, Some(node))?.iter().map(key).collect();
    let text = |name: &str| object.pointer(&format!("/metadata/{name}")).and_then(Value::as_str).unwrap_or_default();
    let name = match text("namespace") {
        "" => text("name").to_owned(),
        namespace => format!("{namespace}/{}", text("name")),
    };
    let found = created.into_iter().map(|mut error| {
        let rule = error.rule.and_then(|rule| target.rules.get(rule.index())).map(LevelledRule::of);
        if !values {
            error.bad_value = BadValue::Hidden;
        }
        let said = error.to_string();
        let said = said.strip_prefix(&format!("{}: ", error.field)).unwrap_or(&said).to_owned();
        let stuck = stays.contains(&key(&error));
        (rule, StoredObject { name: name.clone(), field: error.field, error: said, stuck })
    });
    Ok(found.collect())
}

fn key(error: &FieldError) -> (Option<RuleId>, String) {
    (error.rule, error.field.clone())
}

fn errors(target: &Target, new: Node<'_>, old: Option<Node<'_>>) -> Result<Vec<FieldError>, String> {
    let options = target.options_off();
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let objects = Objects { schema: target.schema(), root: target.root, new, old, sent: None };
    let question = Question { operation, objects, options: &options, subresource: "" };
    match consult(target.candidate.as_ref(), &question) {
        Ok(answer) => Ok(answer.errors.into_vec()),
        Err(NoAnswer::Panicked(panic)) => Err(format!("the declarative side panicked: {}", panic.message)),
        Err(failure) => Err(failure.to_string()),
    }
}
