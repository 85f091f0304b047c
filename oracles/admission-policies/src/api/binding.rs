//! `ValidatingAdmissionPolicyBinding`

use super::{MatchResources, Selector, or_default};
use crate::error::ManifestError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A binding.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// The manifest, for its metadata.
    pub manifest: Value,
    /// What it says.
    pub spec: BindingSpec,
}

/// `spec` of a binding.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct BindingSpec {
    /// The policy.
    #[serde(deserialize_with = "or_default")]
    pub policy_name: String,
    /// Which params.
    pub param_ref: Option<ParamRef>,
    /// Which of the policy's requests.
    pub match_resources: Option<MatchResources>,
    /// `Deny`, `Warn` and `Audit`.
    #[serde(deserialize_with = "or_default")]
    pub validation_actions: Vec<String>,
}

/// Which params a binding takes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct ParamRef {
    /// Their name.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// Their namespace; empty for that of the request.
    #[serde(deserialize_with = "or_default")]
    pub namespace: String,
    /// Their labels.
    pub selector: Option<Selector>,
    /// What happens without params: `Allow` or `Deny`.
    pub parameter_not_found_action: Option<String>,
}

impl Binding {
    /// Reads a manifest and sets defaults.
    ///
    /// # Errors
    /// Returns an error that names the binding when its `spec` has not the form of one.
    pub fn read(manifest: &Value) -> Result<Self, ManifestError> {
        let mut spec: BindingSpec = spec_of(manifest, "ValidatingAdmissionPolicyBinding")?;
        if let Some(resources) = &mut spec.match_resources {
            resources.set_defaults();
        }
        Ok(Self { name: name_of(manifest), manifest: manifest.clone(), spec })
    }
}

pub(super) fn name_of(manifest: &Value) -> String {
    manifest.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn spec_of<T: Default + DeserializeOwned>(manifest: &Value, kind: &'static str) -> Result<T, ManifestError> {
    match manifest.get("spec") {
        None | Some(Value::Null) => Ok(T::default()),
        Some(spec) => T::deserialize(spec).map_err(|error| ManifestError {
            kind,
            name: name_of(manifest),
            reason: error.to_string(),
        }),
    }
}
