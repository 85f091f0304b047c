//! The next level of a rule's life (KEP-5073).

use super::stand::Stand;
use super::verdict::Readiness;
use super::view::RuleView;
use crate::compare::Matter;
use crate::error::Stability;
use crate::rule::TagStability;
use serde::{Deserialize, Serialize};

/// What the evidence allows a rule to become.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Next {
    /// The next level: `beta` after alpha, `stable` after beta; none for a rule that is stable already.
    pub level: Option<String>,
    /// Whether the rule may move there.
    pub allowed: bool,
    /// What keeps it, or what else to do.
    pub because: Vec<String>,
}

impl Next {
    /// The next level of the rule, whose evidence has this verdict.
    ///
    /// A chained tag gates the step: its own meaning must be as settled as the level. At stable nothing is compared any more,
    /// so that no exception could end: a rule that rests on one stays at beta.
    pub(super) fn of(view: &RuleView<'_>, verdict: &Readiness) -> Self {
        let rule = view.rule;
        if rule.law.is_some() || !view.matter.is_of_errors() {
            return Self::without_level(view, verdict);
        }
        let (level, wanted) = match rule.stability {
            Some(Stability::Alpha) => ("beta", TagStability::Beta),
            Some(Stability::Beta) => ("stable", TagStability::Stable),
            None => {
                let said = match verdict {
                    Readiness::Ready(_) => "stable and enforced: delete the check that it replaces, if there is one",
                    _ => "stable and enforced: keep the check that it replaces, if there is one",
                };
                return Self { level: None, allowed: false, because: vec![said.to_owned()] };
            }
        };
        let mut because = Vec::new();
        if !matches!(verdict, Readiness::Ready(_)) {
            because.push(format!("the evidence says {verdict}"));
        }
        if let Some((tag, settled)) = rule.least_settled.as_ref().filter(|(_, settled)| *settled < wanted) {
            because.push(format!("`{tag}` is itself {settled}, and {level} needs {wanted}"));
        }
        let rests = view.disagreements.iter().any(|of| of.stand == Stand::Excused);
        if rests && rule.stability == Some(Stability::Beta) {
            because.push("it rests on exceptions".to_owned());
        }
        let allowed = because.is_empty();
        if allowed {
            let since = rule.since.as_ref().map_or_else(String::new, |since| format!(", where it is since {since}"));
            let now = rule.stability.map_or_else(String::new, |level| level.to_string());
            because.push(format!("after at least one release at {now}{since}"));
            if rests {
                because.push("it rests on exceptions".to_owned());
            }
        }
        Self { level: Some(level.to_owned()), allowed, because }
    }

    /// What is next for a marker or a law, which have no levels.
    fn without_level(view: &RuleView<'_>, verdict: &Readiness) -> Self {
        let said = match (view.matter, verdict) {
            _ if view.rule.law.is_some() => "a law has no level",
            (Matter::Defaults, Readiness::Ready(_)) => "delete the line of SetDefaults, if there is one",
            (Matter::Defaults, _) => "keep the line of SetDefaults, if there is one",
            (Matter::Objects, _) => "rules of a pair that compares objects have no level",
            _ => "a marker has no level",
        };
        Self { level: None, allowed: false, because: vec![said.to_owned()] }
    }
}
