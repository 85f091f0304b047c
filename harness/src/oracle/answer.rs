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
    /// It may not; the reason for people, which no comparison looks at.
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
    /// The rules that looked at a value, of an oracle that knows.
    pub reached: Reached,
    /// The decision of an oracle that says no errors, or more than they do; see [`Answer::rejects`].
    pub decision: Option<Decision>,
    /// The object as an oracle makes it that changes objects.
    pub object: Option<Value>,
}

impl Answer {
    /// Nothing said yet.
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

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.errors.clear();
        self.reached.clear();
        self.decision = None;
        self.object = None;
    }
}
