//! What evaluating a policy gives.

use serde::Serialize;

/// What a policy gave for one binding and one param.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// Whether its match conditions hold; also where one failed, which is then the only decision.
    pub match_conditions_met: bool,
    /// One for each validation, or one in place of all.
    pub decisions: Vec<Decision>,
    /// One for each audit annotation.
    pub audit_annotations: Vec<AnnotationResult>,
}

/// How a validation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionKind {
    /// It holds.
    Admit,
    /// It does not hold.
    Deny,
    /// It could not be evaluated.
    Error,
}

/// What came of a validation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Whether it is an objection to the request.
    #[serde(rename = "action", serialize_with = "action")]
    pub denies: bool,
    /// How it ended.
    pub evaluation: DecisionKind,
    /// What users are told.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The reason of the denial.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn action<S: serde::Serializer>(denies: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *denies { "deny" } else { "admit" })
}

impl Decision {
    /// A validation that holds.
    pub(super) fn admit() -> Self {
        Self { denies: false, evaluation: DecisionKind::Admit, message: String::new(), reason: String::new() }
    }

    /// One that could not be evaluated.
    pub(super) fn error(ignored: bool, message: String) -> Self {
        Self { denies: !ignored, evaluation: DecisionKind::Error, message, reason: String::new() }
    }
}

/// What came of an audit annotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum AnnotationResult {
    /// It goes into the audit event.
    Publish {
        /// The key, without the name of the policy.
        key: String,
        /// The value.
        value: String,
    },
    /// It does not.
    Exclude {
        /// The key.
        key: String,
        /// Why it could not be evaluated, where the policy ignores that.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// It could not be evaluated, and the request is denied.
    Error {
        /// The key.
        key: String,
        /// Why.
        error: String,
    },
}
