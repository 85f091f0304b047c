//! The answer about one handwritten check.

use crate::run::observed::Refuses;
use crate::run::rule::{Level, LevelledRule};
use crate::text::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use takeover_harness::compare::Matter;

/// Whether a check may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It may: its rules decide the same.
    MayGo,
    /// It may not: something speaks against one of its rules.
    MayNot,
    /// Nobody knows: too little was seen of one of its rules.
    NeedsEvidence,
    /// It may not: in one version at least, no rule reports its error.
    NoRule,
    /// Another endpoint of the kind decides.
    Elsewhere,
    /// A default that code sets whatever else the object says, and that has no marker: it may move to one.
    MayMove,
}

impl Answer {
    /// Every answer, in the order in which forms list them.
    pub const ALL: [Self; 6] =
        [Self::MayGo, Self::MayMove, Self::MayNot, Self::NeedsEvidence, Self::NoRule, Self::Elsewhere];

    /// As people read it, of several checks.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::MayGo => "may be deleted",
            Self::MayNot => "may not be deleted",
            Self::NeedsEvidence => "need more evidence",
            Self::NoRule => "have no rule",
            Self::Elsewhere => "are decided elsewhere",
            Self::MayMove => "may move to marker",
        }
    }

    /// As people read it behind the number of defaults.
    #[must_use]
    pub fn label_of_defaults(self, number: &str) -> &'static str {
        match (self, number) {
            (Self::NoRule, _) => "set by code alone",
            _ => self.label_of(number),
        }
    }

    /// As people read it behind the number of defaults of the same types in a custom resource.
    #[must_use]
    pub fn label_of_semantics(self, number: &str) -> &'static str {
        match (self, number) {
            (Self::MayGo, "1") => "means the same",
            (Self::MayGo, _) => "mean the same",
            (Self::MayNot, "1") => "differs",
            (Self::MayNot, _) => "differ",
            (Self::MayMove | Self::NoRule, "1") => "has no marker",
            (Self::MayMove | Self::NoRule, _) => "have no marker",
            _ => self.label_of_defaults(number),
        }
    }

    /// As people read it behind the number of laws.
    #[must_use]
    pub fn label_of_laws(self, number: &str) -> &'static str {
        match (self, number) {
            (Self::MayGo, "1") => "holds",
            (Self::MayGo, _) => "hold",
            (Self::MayNot, "1") => "is broken",
            (Self::MayNot, _) => "are broken",
            _ => self.label_of(number),
        }
    }

    /// As people read it behind the number of checks.
    #[must_use]
    pub fn label_of(self, number: &str) -> &'static str {
        match (self, number) {
            (Self::NeedsEvidence, "1") => "needs more evidence",
            (Self::NoRule, "1") => "has no rule",
            (Self::Elsewhere, "1") => "is decided elsewhere",
            _ => self.label(),
        }
    }

    /// As people read it, of one check.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::MayGo => "yes",
            Self::MayNot | Self::NoRule => "no",
            Self::NeedsEvidence => "not known yet",
            Self::Elsewhere => "decided elsewhere",
            Self::MayMove => "to a marker",
        }
    }

    /// One word, as in the JSON form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MayGo => "may-go",
            Self::MayNot => "may-not",
            Self::NeedsEvidence => "needs-evidence",
            Self::NoRule => "no-rule",
            Self::Elsewhere => "elsewhere",
            Self::MayMove => "may-move",
        }
    }
}

/// What a run says of one handwritten check, over all versions and subresources of its kind, which share the code of the check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckAnswer {
    /// The group of the kind; empty for the core group.
    pub group: String,
    /// The kind, without its version.
    pub kind: String,
    /// The name of the pair; empty for the one that has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pair: String,
    /// Path pattern of the error that the check reports; empty for the object itself.
    pub field: String,
    /// API name of the type of the error.
    pub error_type: String,
    /// Origin of the error; may be empty.
    pub origin: String,
    /// What its errors explain, without the values, where that is how the check is known: nobody lists it, and the run observed it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// For an observed check, how often it rejected; for a default, how many objects it was seen in, with which classes of values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub figures: String,
    /// What the run observed of it; none for a check that somebody lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Refuses>,
    /// Version and subresource of each subject that has the check: `v1 /scale`.
    pub places: BTreeSet<String>,
    /// The answer.
    pub answer: Answer,
    /// Why it may not be deleted, in one word: the cause of most cases that speak against it, or `panic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Why, in a sentence; empty for a check that may go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The rules that report its error, in the order of the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<LevelledRule>,
    /// Whether it is a default that code sets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaults: bool,
    /// Whether it is a default of a custom resource.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub semantics: bool,
    /// Whether its errors say that a rule covers them although none does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost_rule: bool,
}

impl CheckAnswer {
    /// What the answer is about.
    pub(crate) fn matter(&self) -> Matter {
        match (self.defaults, self.semantics) {
            (true, true) => Matter::Semantics,
            (true, false) => Matter::Defaults,
            (false, _) => Matter::Errors,
        }
    }

    /// The lowest level of its rules; none without a rule.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        self.rules.iter().map(|rule| rule.level).min()
    }

    /// Whether a rule reports its error, or should; or it is a default.
    #[must_use]
    pub fn is_about_a_rule(&self) -> bool {
        self.defaults || !self.rules.is_empty() || self.lost_rule || self.observed.is_some()
    }

    /// Its error, as people read it: the type with the origin or the message.
    #[must_use]
    pub fn error(&self) -> String {
        if self.defaults {
            return self.value().map_or_else(|| "by other fields".to_owned(), shown);
        }
        match (self.origin.as_str(), self.message.as_str()) {
            ("", "") => shown(&self.error_type),
            ("", message) => format!("{}: {}", shown(&self.error_type), shown(message)),
            (origin, _) => format!("{} ({})", shown(&self.error_type), shown(origin)),
        }
    }

    /// The value of a default, as JSON; none where it depends on other fields.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.origin.strip_prefix("default=").filter(|_| self.defaults)
    }

    fn next_for_default(&self) -> String {
        match (self.answer, self.value()) {
            (Answer::MayGo, _) if self.semantics => "nothing: a custom resource has the same default".to_owned(),
            (Answer::MayMove | Answer::NoRule, _) if self.semantics => "write a marker on the field".to_owned(),
            (Answer::MayGo, _) => "delete the line of SetDefaults".to_owned(),
            (Answer::MayMove, Some(value)) => {
                format!("write `+default={}` on the field, then delete the line of SetDefaults", shown(value))
            }
            (Answer::NoRule, _) => "keep it in code: it depends on other fields".to_owned(),
            _ => shown(&self.because),
        }
    }

    /// What to do about the check.
    #[must_use]
    pub fn next(&self) -> String {
        if self.defaults {
            return self.next_for_default();
        }
        match (self.answer, self.level()) {
            (Answer::MayGo, _) if self.observed.is_some() => {
                format!("let the candidate decide, then delete the check ({})", self.figures)
            }
            (Answer::MayGo, Some(Level::Stable)) => "delete the check".to_owned(),
            (Answer::MayGo, Some(Level::Beta)) => "promote its rule to stable, then delete the check".to_owned(),
            (Answer::MayGo, _) => "promote its rule to beta, later to stable, then delete the check".to_owned(),
            _ => shown(&self.because),
        }
    }
}
