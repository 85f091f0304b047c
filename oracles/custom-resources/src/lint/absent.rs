//! CEL rules that end in an error where an optional field is absent.

use super::{ABSENT_FIELD, Add};
use crate::hints::{Kept, absent};
use crate::rules::{NodeLanguage, RuleTree};
use crate::structural::Structural;
use serde_json::Value;

/// Bytes of an object that a message shows.
const LONGEST: usize = 160;

/// Calls `add` where a rule of a node reads a field of an object that lacks it, although the schema and the other rules accept the object.
pub(super) fn check(language: &NodeLanguage, node: &Structural, whole: bool, add: Add<'_>) {
    let mut tree: Option<Option<RuleTree>> = None;
    for (index, rule) in node.rules.iter().enumerate() {
        let mut is_kept = |field: &str, value: &Value, old: Option<&Value>| {
            let tree = &*tree.get_or_insert_with(|| RuleTree::of_node(node, whole));
            let keeps = |value: &Value, old: Option<&Value>| {
                let Some(tree) = tree.as_ref() else { return Kept::No };
                let judged = tree.judge(value, old);
                let broken = judged.errors.iter().filter(|found| found.broken).map(|found| found.rule);
                // The rules of the node itself are counted first.
                let own = broken.map(|rule| rule.and_then(|rule| node.rules.get(rule)));
                own.map(|rule| match rule {
                    Some(rule) if !rule.rule.contains(field) => Kept::ButElsewhere,
                    _ => Kept::No,
                })
                .fold(Kept::All, Kept::min)
            };
            old.map_or(Kept::All, |old| keeps(old, None)).min(keeps(value, old))
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
            found.value.as_ref().map(|value| shown(", as in ", value)).unwrap_or_default(),
        );
        let help = format!(
            "write `!has({operand}.{field}) || …` before it if the rule holds then, `has({operand}.{field}) && …` if not; or make the \
             field required, or give it a default"
        );
        add(&ABSENT_FIELD, &format!("x-kubernetes-validations[{index}].rule"), message, Some(help.into()));
    }
}
