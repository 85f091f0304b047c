//! Exceptions as reports show them: on the findings that they excuse, and each with how it fares.

use crate::numbers::counted;
use crate::text::shown;
use serde::{Deserialize, Serialize};
use takeover_harness::compare::Direction;
use takeover_harness::exception::{Exception, Excuse, Excuses, Standing};
use takeover_harness::rule::RuleRef;

/// An exception, as findings show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionReport {
    /// Which side is alone with what it excuses; none in reports of programs that did not say so yet.
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
    pub(crate) fn of(excuse: Excuse<'_>) -> Self {
        Self::new(excuse.exception(), matches!(excuse, Excuse::Expired(_)))
    }

    fn new(exception: &Exception, expired: bool) -> Self {
        Self {
            direction: Some(exception.signature.direction),
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
}

impl ExceptionState {
    /// Whether somebody has to do something about the exception.
    #[must_use]
    pub fn is_due(self) -> bool {
        matches!(self, Self::Expired | Self::Stale)
    }

    /// One word, as in XML and HTML.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::NotJudged => "not-judged",
            Self::Expired => "expired",
            Self::Stale => "stale",
        }
    }
}

/// An exception of the project, and how it fares by the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionEntry {
    /// What it is about: version, kind and subresource. The version may be `*`.
    pub subject: String,
    /// Subject, operation, direction, type, path pattern and origin.
    pub signature: String,
    /// The rules that the finding has to be laid to: path and tag without level.
    pub rules: Vec<String>,
    /// How many findings it says that it is about.
    pub signatures: usize,
    /// How many findings of the run it is about.
    pub found: usize,
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
        match (self.state, self.found) {
            (ExceptionState::Used, _) => "in use".to_owned(),
            (ExceptionState::NotJudged, _) => "about nothing that was judged here".to_owned(),
            (ExceptionState::Expired, _) => format!("expired after {}", shown(&self.exception.expires)),
            (ExceptionState::Stale, 0) => "stale: the run has no such finding".to_owned(),
            (ExceptionState::Stale, found) => {
                format!("stale: says {}, and the run has {found}", counted(self.signatures as u64, "finding"))
            }
        }
    }

    /// What it is about in one line: the signature, and the rules that it is laid to.
    pub(crate) fn about(&self) -> String {
        let signature = shown(&self.signature);
        if self.rules.is_empty() {
            signature
        } else {
            format!("{signature}, laid to {}", shown(&self.rules.join(", ")))
        }
    }
}

/// Every exception that evidence was held against, in the order of the file.
pub(crate) fn entries(excuses: &Excuses<'_>) -> Vec<ExceptionEntry> {
    let entry = |(exception, standing): (&Exception, Standing)| {
        let expired = excuses.is_expired(exception);
        let (state, found) = match standing {
            Standing::Miscounted { found } => (ExceptionState::Stale, found),
            Standing::Used if expired => (ExceptionState::Expired, exception.signatures),
            Standing::Used => (ExceptionState::Used, exception.signatures),
            Standing::NotJudged if expired => (ExceptionState::Expired, 0),
            Standing::NotJudged => (ExceptionState::NotJudged, 0),
        };
        ExceptionEntry {
            subject: exception.signature.pair.to_string(),
            signature: exception.signature.to_string(),
            rules: exception.rules.iter().map(RuleRef::to_string).collect(),
            signatures: exception.signatures,
            found,
            state,
            line: exception.line,
            exception: ExceptionReport::new(exception, expired),
        }
    };
    excuses.standings().map(entry).collect()
}
