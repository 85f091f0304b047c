//! Answers: what an oracle says of one question.

use serde::de::{Deserialize as _, IgnoredAny};
use serde_json::Value;
use std::borrow::Cow;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::oracle::{self, Decision, Detail, OracleFailure};

/// What an oracle says of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Id of the question.
    pub id: u64,
    /// What it says; an error when that cannot be used, although it is clear which question it belongs to.
    pub said: Result<Said, Unusable>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The content of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Said {
    /// A judgement: field errors, a decision, or both.
    Judged {
        /// Field errors, if it gives any list.
        errors: Option<Vec<FieldError>>,
        /// The decision, if it gives one.
        decision: Option<Decision>,
    },
    /// The object as the oracle changed it.
    Object(Value),
    /// It could not judge the question.
    Failure(String),
    /// The code that it calls panicked.
    Panic(String),
}

/// An answer that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(String);

/// The members of an answer as they stand on the line, and those of a line of several answers.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RawAnswer {
    pub(super) id: Option<u64>,
    errors: Option<Vec<FieldError>>,
    allowed: Option<bool>,
    reason: Option<String>,
    object: Option<Value>,
    failure: Option<String>,
    panic: Option<String>,
    warnings: Option<Vec<String>>,
    pub(super) answers: Option<Vec<RawAnswer>>,
    pub(super) hello: Option<IgnoredAny>,
}

impl RawAnswer {
    /// Whether it is a lone answer: nothing that belongs to other messages.
    pub(super) fn is_answer(&self) -> bool {
        self.answers.is_none() && self.hello.is_none()
    }

    /// The answer to question `id`.
    pub(super) fn into_answer(self, id: u64) -> Answer {
        let judged = [self.errors.is_some().then_some("errors"), self.allowed.is_some().then_some("allowed")];
        let other = [
            self.object.is_some().then_some("object"),
            self.failure.is_some().then_some("failure"),
            self.panic.is_some().then_some("panic"),
        ];
        let judges = judged.iter().flatten().next().is_some();
        let contents = usize::from(judges) + other.iter().flatten().count();
        let said = match contents {
            0 => Err(Unusable(format!(
                "the answer to question {id} has none of `errors`, `allowed`, `object`, `failure`, `panic`"
            ))),
            1 => Ok(match (self.object, self.failure, self.panic) {
                (Some(object), ..) => Said::Object(object),
                (_, Some(failure), _) => Said::Failure(failure),
                (.., Some(panic)) => Said::Panic(panic),
                _ => Said::Judged { errors: self.errors, decision: decision(self.allowed, self.reason) },
            }),
            _ => {
                let names: Vec<_> = judged.iter().chain(&other).flatten().map(|name| format!("`{name}`")).collect();
                Err(Unusable(format!("the answer to question {id} contradicts itself: it has {}", names.join(" and "))))
            }
        };
        Answer { id, said, warnings: self.warnings.unwrap_or_default() }
    }

    /// Reads an answer of which it is known that it is JSON but not well-formed: an unusable answer if it says whose it is.
    pub(super) fn from_value(value: &Value) -> Result<Answer, String> {
        let members = value.as_object().ok_or("is not a JSON object")?;
        let id = match members.get("id") {
            Some(id) => id
                .as_u64()
                .filter(|id| *id > 0)
                .ok_or_else(|| format!("has the id {id}, which is not a positive integer"))?,
            None => return Err("is neither an answer with an `id` nor `answers`".to_owned()),
        };
        Ok(match Self::deserialize(value) {
            Ok(raw) => raw.into_answer(id),
            Err(error) => Answer {
                id,
                said: Err(Unusable(format!("the answer to question {id} cannot be read: {error}"))),
                warnings: Vec::new(),
            },
        })
    }
}

fn decision(allowed: Option<bool>, reason: Option<String>) -> Option<Decision> {
    Some(if allowed? { Decision::Accept } else { Decision::Reject(reason.map_or(Cow::Borrowed(""), Cow::Owned)) })
}

impl Answer {
    /// The answer in the harness's form, from an oracle that says that its answers consist of `detail`.
    ///
    /// # Errors
    /// Returns an error when the oracle could not judge, when it reports a panic, when the answer cannot be used, or when it
    /// lacks what the oracle promised.
    pub fn into_harness(self, detail: Detail) -> Result<oracle::Answer, OracleFailure> {
        let lacks = |what: &str| {
            let id = self.id;
            OracleFailure::new(format!("the answer to question {id} has no {what}, which the hello promised"))
        };
        let mut answer = oracle::Answer::new();
        match self.said.map_err(|unusable| OracleFailure::new(unusable.0))? {
            Said::Failure(why) => return Err(OracleFailure::new(why)),
            Said::Panic(why) => return Err(OracleFailure::panic(why)),
            Said::Object(object) if detail == Detail::Object => answer.object = Some(object),
            Said::Object(_) => {
                return Err(lacks(if detail == Detail::Errors { "`errors`" } else { "`allowed` or `errors`" }));
            }
            Said::Judged { errors: None, .. } if detail == Detail::Errors => return Err(lacks("`errors`")),
            Said::Judged { errors, decision } => {
                answer.errors = ErrorList::from(errors.unwrap_or_default());
                for error in answer.errors.as_mut_slice() {
                    if error.field.is_empty() {
                        "<nil>".clone_into(&mut error.field);
                    }
                }
                answer.decision = decision;
                // An oracle that changes objects has none for what it rejects.
                if detail == Detail::Object && !answer.rejects() {
                    return Err(lacks("`object`"));
                }
            }
        }
        Ok(answer)
    }
}
