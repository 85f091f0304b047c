//! Rules as evidence names them.

use crate::error::Stability;
use crate::rule::{Rule, RuleRef, label};
use serde::{Deserialize, Serialize};

/// A rule as evidence names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "File")]
pub struct RuleName {
    /// What the rule says, and where.
    #[serde(flatten)]
    pub rule: RuleRef,
    /// Its lifecycle level, which may change while the rule stays the same; a standard rule has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Stability>,
    /// The classes of values that it tells apart.
    pub classes: Vec<String>,
}

/// The form in files. In files of the first format, the level stands in front of the chain.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    path: String,
    chain: Option<String>,
    #[serde(rename = "rule")]
    labelled: Option<String>,
    level: Option<Stability>,
    #[serde(default)]
    classes: Vec<String>,
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

impl TryFrom<File> for RuleName {
    type Error = &'static str;

    fn try_from(file: File) -> Result<Self, &'static str> {
        let File { path, chain, labelled, level, classes } = file;
        let (level, chain) = match (chain, labelled) {
            (Some(chain), _) => (level, chain),
            (None, Some(text)) => {
                let levels = [Stability::Alpha, Stability::Beta].into_iter();
                let mut levelled =
                    levels.filter_map(|level| Some((level, text.strip_prefix(&format!("{level} "))?.to_owned())));
                levelled.next().map_or((None, text.clone()), |(level, chain)| (Some(level), chain))
            }
            (None, None) => return Err("a rule has a `chain`"),
        };
        Ok(Self { rule: RuleRef { path, chain }, level, classes })
    }
}
