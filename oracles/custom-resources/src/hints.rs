//! Constraints as rules.
use crate::structural::Structural;
use takeover_harness::rule::Rule;
pub(crate) fn of_kind(_structural: &Structural) -> Vec<Rule> {
    Vec::new()
}
