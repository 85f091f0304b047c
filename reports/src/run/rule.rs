//! One rule in the report of a run: what it is, and what the run knows of it.

use serde::{Deserialize, Serialize};
use std::fmt;
use takeover_harness::error::Stability;
use takeover_harness::evidence::RuleCounts;
use takeover_harness::readiness::{Criterion, Next, Readiness, ReadinessPolicy};
use takeover_harness::rule::{ErrorShape, Law, Rule, RuleRef, Source};

/// What was seen of a rule beside live traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleInProduction {
    /// Counts on create and update together.
    #[serde(flatten)]
    pub counts: RuleCounts,
    /// Comparisons of its subject for requests that the API server had already accepted, where no rejection could be seen.
    #[serde(default)]
    pub accepted_only: u64,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// Which one.
    pub rule: RuleRef,
    /// Its level, and since when.
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// The sorts of errors that it can make; empty for a rule that only steers, such as `optional`.
    #[serde(default)]
    pub reports: Vec<Check>,
    /// Whether a handwritten check reports the same.
    #[serde(default)]
    pub twin: Twin,
    /// The line of the tag, where it is known.
    pub source: Option<Source>,
    /// Counts on create.
    pub create: RuleCounts,
    /// Counts on update.
    pub update: RuleCounts,
    /// What of both was seen beside live traffic; none where nothing was compared there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub production: Option<RuleInProduction>,
    /// May it take over?
    pub verdict: Readiness,
    /// The criteria that the verdict rests on.
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    /// Largest share of disagreeing cases that the evidence does not rule out, at the confidence of the policy.
    #[serde(default = "all")]
    pub upper_bound: f64,
    /// What the evidence allows the rule to become.
    pub next: Option<Next>,
    /// The classes of values that it tells apart, and how often each was shown.
    #[serde(default)]
    pub classes: Vec<ClassReport>,
    /// The classes that no object can show, with the reason.
    #[serde(default)]
    pub unreachable: Vec<Reasoned>,
    /// Updates that keep a value which breaks the rule.
    #[serde(default)]
    pub kept: u64,
    /// The law of defaulting that it stands for; none for a marker or tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
    /// The faults that were planted in it and its handwritten twin.
    #[serde(default)]
    pub controls: ControlsReport,
}

impl RuleReport {
    /// The tag as people read it, with its level in front unless it is stable: `alpha minimum=0`.
    #[must_use]
    pub fn label(&self) -> String {
        self.lifecycle.level.label(&self.rule.chain)
    }

    /// The rule, as findings name it.
    #[must_use]
    pub fn levelled(&self) -> LevelledRule {
        LevelledRule { rule: self.rule.clone(), level: self.lifecycle.level }
    }

    /// Whether a value can break it: it reports errors, and is not known to accept every value that is worth trying.
    #[must_use]
    pub fn can_break(&self) -> bool {
        !self.reports.is_empty() && (self.classes.is_empty() || self.classes.iter().any(|class| class.breaks))
    }

    /// Whether no handwritten check could go for it: it reports nothing that a check could, as `optional`.
    #[must_use]
    pub fn replaces_nothing(&self) -> bool {
        self.twin == Twin::NotNeeded || !self.can_break()
    }

    /// Whether nothing is missing but a few cases: what the evidence does not rule out is at most a tenth above what is asked. A rule
    /// that was ready is no worse for that.
    #[must_use]
    pub fn is_nearly_ready(&self, policy: Option<&ReadinessPolicy>) -> bool {
        let most = policy.map_or(0.0, |policy| policy.max_mismatch_rate) * 1.1;
        let mut unmet = self.criteria.iter().filter(|criterion| !criterion.met).peekable();
        unmet.peek().is_some() && unmet.all(|criterion| criterion.name == "mismatch rate") && self.upper_bound <= most
    }

    /// Whether it is the one that a finding names.
    pub(super) fn is(&self, of: &LevelledRule) -> bool {
        self.rule == of.rule && self.lifecycle.level == of.level
    }

    /// Where it is written, unless the name of the file is longer than names can be.
    pub(crate) fn place(&self) -> Option<&Source> {
        self.source.as_ref().filter(|source| source.file.len() <= LONGEST_PATH)
    }
}

/// Longest path that a system takes, in bytes.
const LONGEST_PATH: usize = 4096;

/// A rule at its lifecycle level, as findings name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LevelledRule {
    /// Which rule.
    #[serde(flatten)]
    pub rule: RuleRef,
    /// Its level.
    pub level: Level,
}

impl LevelledRule {
    /// The name of a rule.
    #[must_use]
    pub fn of(rule: &Rule) -> Self {
        let name = RuleRef { path: rule.path.clone(), chain: rule.chain.clone() };
        Self { rule: name, level: rule.stability.into() }
    }
}

impl fmt::Display for LevelledRule {
    /// `spec.replicas alpha minimum=0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleRef { path, chain } = &self.rule;
        RuleRef { path: path.clone(), chain: self.level.label(chain) }.fmt(f)
    }
}

/// Where a rule stands in its life.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// Its level.
    pub level: Level,
    /// The release since which it stands there, as its wrapper says.
    pub since: Option<String>,
}

/// Lifecycle level of a rule, the lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// In shadow.
    Alpha,
    /// Enforced, can be switched off.
    Beta,
    /// Enforced.
    #[default]
    Stable,
}

impl From<Option<Stability>> for Level {
    /// The level that a wrapper says; a rule without one is stable.
    fn from(wrapper: Option<Stability>) -> Self {
        match wrapper {
            Some(Stability::Alpha) => Self::Alpha,
            Some(Stability::Beta) => Self::Beta,
            None => Self::Stable,
        }
    }
}

impl Level {
    /// A tag as people read it, with its level in front unless it is stable: `alpha minimum=0`.
    #[must_use]
    pub fn label(self, chain: &str) -> String {
        match self {
            Self::Stable => chain.to_owned(),
            level => format!("{} {chain}", level.name()),
        }
    }

    /// The level as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        }
    }
}

/// Whether a rule has a twin: a handwritten check that reports the same type, path and origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Twin {
    /// Both sides reported the same in at least one case.
    Seen,
    /// They never did: the rule may be new, or was never exercised.
    #[default]
    Unseen,
    /// The rule makes no error that could have one.
    NotNeeded,
}

/// A sort of error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// API name of the error type.
    pub error_type: String,
    /// Path pattern.
    pub field: String,
    /// Origin; may be empty.
    pub origin: String,
}

impl From<&ErrorShape> for Check {
    fn from(report: &ErrorShape) -> Self {
        Self {
            error_type: report.error_type.api_name().to_owned(),
            field: report.field.clone(),
            origin: report.origin.clone(),
        }
    }
}

fn all() -> f64 {
    1.0
}

/// A class of values of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassReport {
    /// Name: `below`, `on`, `unset`.
    pub class: String,
    /// Whether a value of the class breaks the rule.
    pub breaks: bool,
    /// How often a create showed it.
    pub create: u64,
    /// How often an update showed it as a new value.
    pub update: u64,
}

/// The planted faults of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlsReport {
    /// Faults that a case can tell from the rule.
    pub telling: u64,
    /// Those that the cases exposed.
    pub exposed: u64,
    /// Those that no case exposed; faults of the handwritten side begin with `reference`.
    pub survivors: Vec<String>,
    /// Faults that nobody can tell from the rule, with the reason.
    pub equivalent: Vec<Reasoned>,
    /// Faults that no case of this run could expose, with the reason: the endpoint drops the field, or findings cover them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Reasoned>,
}

/// A name with a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoned {
    /// What.
    pub name: String,
    /// Why.
    pub reason: String,
}
