//! `ValidatingAdmissionPolicy`

use super::or_default;
use crate::error::ManifestError;
use serde::Deserialize;
use serde_json::Value;

use super::MatchResources;

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// The manifest, for its metadata.
    pub manifest: Value,
    /// What it says.
    pub spec: PolicySpec,
}

/// `spec` of a policy.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicySpec {
    /// The kind of its params.
    pub param_kind: Option<ParamKind>,
    /// Which requests it applies to.
    pub match_constraints: Option<MatchResources>,
    /// What has to hold.
    #[serde(deserialize_with = "or_default")]
    pub validations: Vec<Validation>,
    /// `Fail` or `Ignore`.
    pub failure_policy: Option<String>,
    /// What goes into audit events.
    #[serde(deserialize_with = "or_default")]
    pub audit_annotations: Vec<AuditAnnotation>,
    /// Conditions under which it is looked at.
    #[serde(deserialize_with = "or_default")]
    pub match_conditions: Vec<MatchCondition>,
    /// Named expressions.
    #[serde(deserialize_with = "or_default")]
    pub variables: Vec<Variable>,
}

/// The kind of params.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct ParamKind {
    /// Group and version.
    #[serde(deserialize_with = "or_default")]
    pub api_version: String,
    /// The kind.
    #[serde(deserialize_with = "or_default")]
    pub kind: String,
}

/// An expression that has to hold.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Validation {
    /// The expression.
    #[serde(deserialize_with = "or_default")]
    pub expression: String,
    /// What users are told, empty if nothing is given.
    #[serde(deserialize_with = "or_default")]
    pub message: String,
    /// The reason of the denial.
    pub reason: Option<String>,
    /// The expression that makes the message; may be empty.
    #[serde(deserialize_with = "or_default")]
    pub message_expression: String,
}

/// A value for audit events.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditAnnotation {
    /// The key, without the name of the policy.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
    /// The expression of the value.
    #[serde(deserialize_with = "or_default")]
    pub value_expression: String,
}

/// A condition under which a policy is looked at.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct MatchCondition {
    /// Its name.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// The expression.
    #[serde(deserialize_with = "or_default")]
    pub expression: String,
}

/// A named expression.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct Variable {
    /// Its name, as in `variables.name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// The expression.
    #[serde(deserialize_with = "or_default")]
    pub expression: String,
}

impl Policy {
    /// Reads a manifest and sets defaults.
    ///
    /// # Errors
    /// Returns an error that names the policy when its `spec` has not the form of one.
    pub fn read(manifest: &Value) -> Result<Self, ManifestError> {
        let name = super::binding::name_of(manifest);
        let mut spec: PolicySpec = super::binding::spec_of(manifest, "ValidatingAdmissionPolicy")?;
        spec.failure_policy.get_or_insert_with(|| "Fail".to_owned());
        if let Some(constraints) = &mut spec.match_constraints {
            constraints.set_defaults();
        }
        Ok(Self { name, manifest: manifest.clone(), spec })
    }

    /// Whether errors of its expressions admit.
    #[must_use]
    pub fn ignores_failures(&self) -> bool {
        self.spec.failure_policy.as_deref() == Some("Ignore")
    }
}
