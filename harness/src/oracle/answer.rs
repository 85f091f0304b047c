//! What an oracle answers.

use crate::error::{ErrorList, FieldError};
use crate::reach::{Reached, RuleId};
use serde_json::Value;
use std::borrow::Cow;

/// Whether an object may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Accept,
    /// It may not. The reason is for people; no comparison looks at it.
    Reject(Cow<'static, str>),
}

impl Decision {
    /// Whether the object may not be stored.
    #[must_use]
    pub fn rejects(&self) -> bool {
        matches!(self, Self::Reject(_))
    }
}

/// What an oracle says of one case. Reused from case to case, so that silence costs no allocation.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Field errors.
    pub errors: ErrorList,
    /// The rules that looked at a value, if the oracle knows.
    pub reached: Reached,
    /// The decision, from an oracle that reports no errors or decides independently of them; see [`Answer::rejects`].
    pub decision: Option<Decision>,
    /// The changed object, from an oracle that changes objects.
    pub object: Option<Value>,
}

impl Answer {
    /// An empty answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error.
    pub fn push(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    /// Notes that `rule` looked at a value of this case.
    #[inline]
    pub fn reach(&mut self, rule: RuleId) {
        self.reached.insert(rule);
    }

    /// Whether the answer is that the object may not be stored: it says so, or it has errors.
    #[must_use]
    pub fn rejects(&self) -> bool {
        match &self.decision {
            Some(decision) => decision.rejects(),
            None => !self.errors.is_empty(),
        }
    }

    /// Why the object may not be stored, for people: the reason that is given, or the errors as text.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.decision {
            Some(Decision::Reject(reason)) => reason.as_ref().to_owned(),
            _ => self.errors.iter().map(FieldError::to_string).collect::<Vec<_>>().join("; "),
        }
    }

    /// Empties the answer and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.errors.clear();
        self.reached.clear();
        self.decision = None;
        self.object = None;
    }
}
