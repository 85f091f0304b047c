//! Rules as evidence names them.

use crate::error::Stability;
use crate::rule::{Rule, RuleRef, label};
use serde::{Deserialize, Serialize};

/// A rule as evidence names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleName {
    /// What the rule says, and where.
    #[serde(flatten)]
    pub rule: RuleRef,
    /// Its lifecycle level, which may change while the rule stays the same; a standard rule has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Stability>,
    /// The classes of values that it tells apart.
    #[serde(default)]
    pub classes: Vec<String>,
}

impl RuleName {
    /// The name of a rule.
    #[must_use]
    pub fn of(rule: &Rule) -> Self {
        let classes = rule.boundaries.iter().map(|boundary| boundary.class.clone()).collect();
        Self { rule: rule.reference(), level: rule.stability, classes }
    }

    /// The rule as people read it: `minimum=0`, with its level in front: `alpha minimum=0`.
    #[must_use]
    pub fn label(&self) -> String {
        label(self.level, &self.rule.chain)
    }
}
