//! CEL rules that never fire, or always.

use super::{ALWAYS_FIRES, Add, NEVER_FIRES};
use crate::hints::{Settled, settled};
use crate::rules::NodeLanguage;
use crate::structural::Structural;
use takeover_harness::text::plural;

/// Calls `add` where no value that the schema accepts breaks a rule of a node, and where each does. `whole` tells whether it is the schema
/// of a whole object.
pub(super) fn check(language: &NodeLanguage, node: &Structural, whole: bool, add: Add<'_>) {
    for (index, rule) in node.rules.iter().enumerate() {
        let (lint, what, tried, help) = match settled(language, node, rule, whole) {
            None => continue,
            Some(Settled::Holds(tried)) => {
                (&NEVER_FIRES, "holds", tried, "drop the rule, or say in it what the schema does not say already")
            }
            Some(Settled::Fails(tried)) => (&ALWAYS_FIRES, "fails", tried, "correct the rule: the field cannot be set"),
        };
        let values = plural(tried as u64, "value");
        let message = format!("`{}` {what} for all of {values} tried, one of each sort that it tells apart", rule.rule);
        add(lint, &format!("x-kubernetes-validations[{index}].rule"), message, Some(help.into()));
    }
}
