//! CEL rules that end in an error where an optional field is absent.

use super::{ABSENT_FIELD, Add};
use crate::hints::absent;
use crate::rules::{NodeLanguage, RuleTree};
use crate::structural::Structural;
use serde_json::Value;

/// Bytes of an object that a message shows.
const LONGEST: usize = 160;

/// Calls `add` where a rule of a node reads a field of an object that lacks it, although the schema and the other rules accept the object.
pub(super) fn check(language: &NodeLanguage, node: &Structural, whole: bool, add: Add<'_>) {
    let mut tree: Option<Option<RuleTree>> = None;
    for (index, rule) in node.rules.iter().enumerate() {
        let mut is_kept = |value: &Value, old: Option<&Value>| {
            let tree = tree.get_or_insert_with(|| RuleTree::of_node(node, whole));
            let keeps = |value: &Value, old: Option<&Value>| {
                tree.as_ref().is_some_and(|tree| !tree.judge(value, old).errors.iter().any(|found| found.broken))
            };
            keeps(value, old) && old.is_none_or(|old| keeps(old, None))
        };
        let Some(found) = absent(language, node, rule, whole, &mut is_kept) else { continue };
        let (operand, field) = (&found.operand, &found.field);
        let shown = |what: &str, value: &Value| {
            let text = value.to_string();
            if text.len() > LONGEST { String::new() } else { format!("{what}{text}") }
        };
        let old = found.old.as_ref().map(|old| shown(" after ", old)).unwrap_or_default();
        let message = format!(
            "`{}` ends in the error \"no such key\" where `{operand}.{field}` is absent{}{old}",
            rule.rule.trim(),
            shown(", as in ", &found.value),
        );
        let help = format!(
            "write `!has({operand}.{field}) || …` before it if the rule holds then, `has({operand}.{field}) && …` if not; or make the \
             field required, or give it a default"
        );
        add(&ABSENT_FIELD, &format!("x-kubernetes-validations[{index}].rule"), message, Some(help.into()));
    }
}
