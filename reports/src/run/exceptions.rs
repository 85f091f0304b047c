//! Exceptions as reports show them: on the findings that they excuse, and each with how it fares.

use crate::numbers::counted;
use crate::text::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use takeover_harness::compare::Direction;
use takeover_harness::exception::{Exception, Excuse, Excuses, Share, Standing};
use takeover_harness::rule::RuleRef;

/// An exception, as findings show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionReport {
    /// Which side is alone with what it excuses; none if it excuses either, and in reports of programs that did not say so yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Why the two sides may differ.
    pub reason: String,
    /// Who sees to it.
    pub owner: String,
    /// Where it is discussed.
    pub issue: String,
    /// Its last day: `2027-01-31`.
    pub expires: String,
    /// Whether that day was over when the report was made, so that the finding stands against its rule again.
    pub expired: bool,
}

impl ExceptionReport {
    /// The exception on a finding of this direction.
    pub(crate) fn of(excuse: Excuse<'_>, direction: Direction) -> Self {
        let report = Self::new(excuse.exception(), matches!(excuse, Excuse::Expired(_)));
        Self { direction: Some(direction), ..report }
    }

    fn new(exception: &Exception, expired: bool) -> Self {
        Self {
            direction: exception.about.direction(),
            reason: exception.reason.clone(),
            owner: exception.owner.clone(),
            issue: exception.issue.clone(),
            expires: exception.expires.to_string(),
            expired,
        }
    }

    /// All of it in one line that is printable and of bounded length.
    #[must_use]
    pub fn said(&self) -> String {
        let until = if self.expired { "was excused" } else { "excused" };
        let direction = self.direction.map_or_else(String::new, |direction| format!(" ({direction})"));
        // The parts one by one: a long reason does not cut off who sees to it.
        let [expires, owner, reason, issue] =
            [&self.expires, &self.owner, &self.reason, &self.issue].map(|of| shown(of));
        format!("{until}{direction} until {expires} by {owner}: {reason} ({issue})")
    }
}

/// How an exception fares by a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExceptionState {
    /// It excuses what it says.
    Used,
    /// The run did not judge what it is about.
    NotJudged,
    /// Its last day is over.
    Expired,
    /// It is about another number of findings than it says.
    Stale,
    /// Its findings are of classes that it does not list.
    NewClass,
    /// Its findings occur in more than ten times the share of cases that it records.
    Grown,
}

impl ExceptionState {
    /// Whether somebody has to do something about the exception.
    #[must_use]
    pub fn is_due(self) -> bool {
        matches!(self, Self::Expired | Self::Stale | Self::NewClass | Self::Grown)
    }

    /// One word, as in XML and HTML.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::NotJudged => "not-judged",
            Self::Expired => "expired",
            Self::Stale => "stale",
            Self::NewClass => "new-class",
            Self::Grown => "grown",
        }
    }
}

/// An exception of the project, and how it fares by the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionEntry {
    /// What it is about: version, kind and subresource. The version may be `*`.
    pub subject: String,
    /// The signature, or the cause with a pattern of fields: `apps/* Web ratchets in spec.**`.
    pub signature: String,
    /// The rules that the finding has to be attributed to: path and tag without level.
    pub rules: Vec<String>,
    /// How many findings it says that it is about; none if it is about a cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signatures: Option<usize>,
    /// How many findings of the run it is about.
    pub found: usize,
    /// The classes of values that it lists.
    #[serde(default)]
    pub classes: BTreeSet<String>,
    /// The share of the cases that it records; none in reports of programs that did not have it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// The classes of its findings that it does not list.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub new_classes: BTreeSet<String>,
    /// In which share of the cases its findings occur, if that is too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grown_to: Option<Share>,
    /// How it fares.
    pub state: ExceptionState,
    /// Line of the file of exceptions.
    pub line: usize,
    /// What it says about itself.
    #[serde(flatten)]
    pub exception: ExceptionReport,
}

impl ExceptionEntry {
    /// How it fares, in a few words.
    pub(crate) fn fares(&self) -> String {
        match self.state {
            ExceptionState::Used => "in use".to_owned(),
            ExceptionState::NotJudged => "not applicable: its subject was not judged".to_owned(),
            ExceptionState::Expired => format!("expired after {}", shown(&self.exception.expires)),
            ExceptionState::Stale => match self.signatures {
                Some(signatures) if self.found > 0 => {
                    format!("stale: states {}, but the run has {}", counted(signatures as u64, "finding"), self.found)
                }
                _ => "stale: the run has no such finding".to_owned(),
            },
            ExceptionState::NewClass => {
                let classes: Vec<String> = self.new_classes.iter().map(|class| shown(class)).collect();
                format!("excuses nothing: the run has classes of values that it does not list: {}", classes.join(", "))
            }
            ExceptionState::Grown => {
                let [now, before] =
                    [self.grown_to, self.share].map(|of| of.map_or_else(String::new, |of| of.to_string()));
                format!("excuses nothing: {now} of the cases, more than ten times the {before} it records")
            }
        }
    }

    /// What it is about in one line: the signature, and the rules that it is attributed to.
    pub(crate) fn about(&self) -> String {
        let signature = shown(&self.signature);
        if self.rules.is_empty() {
            signature
        } else {
            format!("{signature}, attributed to {}", shown(&self.rules.join(", ")))
        }
    }
}

/// Every exception that evidence was held against, in the order of the file.
pub(crate) fn entries(excuses: &Excuses<'_>) -> Vec<ExceptionEntry> {
    let entry = |(exception, standing): (&Exception, &Standing)| {
        let expired = excuses.is_expired(exception);
        let state = match standing {
            Standing::Miscounted { .. } => ExceptionState::Stale,
            Standing::NewClass { .. } => ExceptionState::NewClass,
            Standing::Grown { .. } => ExceptionState::Grown,
            Standing::Used { .. } | Standing::NotJudged if expired => ExceptionState::Expired,
            Standing::Used { .. } => ExceptionState::Used,
            Standing::NotJudged => ExceptionState::NotJudged,
        };
        let (new_classes, grown_to) = match standing {
            Standing::NewClass { classes, .. } => (classes.clone(), None),
            Standing::Grown { share, .. } => (BTreeSet::new(), Some(*share)),
            _ => (BTreeSet::new(), None),
        };
        let about = &exception.about;
        ExceptionEntry {
            subject: about.pair().to_string(),
            signature: about.to_string(),
            rules: about.rules().map(RuleRef::to_string).collect(),
            signatures: about.signatures(),
            found: standing.found(),
            classes: exception.classes.clone(),
            share: Some(exception.share),
            new_classes,
            grown_to,
            state,
            line: exception.line,
            exception: ExceptionReport::new(exception, expired),
        }
    };
    excuses.standings().map(entry).collect()
}
