//! What a server rejects of a CustomResourceDefinition when it is created (`ValidateCustomResourceDefinition` of 1.36), its CEL rules
//! included.

mod cel;
mod columns;
mod conversion;
mod decode;
mod defaults;
mod field_path;
mod frame;
mod names;
mod props;
mod schema;
mod structural;
mod walk;

pub(crate) use decode::check as check_types;
pub(crate) use defaults::{UnknownFields, is_accepted_default, is_sound_default};

use crate::crd::{CrdError, kinds_of_crd};
use crate::kind::CustomKind;
use serde_json::Value;
use takeover_harness::error::ErrorList;

/// What happens to a manifest before it is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Before {
    /// What a server does: missing names and ports are set, the status is dropped.
    #[default]
    Defaults,
    /// Nothing but that the version of storage becomes a stored version where none is said.
    Nothing,
}

/// What a server rejects of a manifest of `apiextensions.k8s.io/v1`, in the types, at the paths and in the texts of a server. Those of
/// schemas that all versions share are at `spec.validation`, as in a server.
///
/// ```
/// use takeover_custom_resources::refuse::{Before, refusals};
/// let crd = serde_json::json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.example.com"},
///     "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"}, "versions": [
///         {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
///             "properties": {"sizes": {"type": "array"}}}}}]}
/// });
/// let errors = refusals(&crd, Before::Defaults);
/// assert_eq!(errors.as_slice()[0].to_string(),
///     "spec.validation.openAPIV3Schema.properties[sizes].items: Required value: must be specified");
/// ```
#[must_use]
pub fn refusals(document: &Value, before: Before) -> ErrorList {
    frame::check(document, before, UnknownFields::Refused).into()
}

/// As [`refusals`], of the defaults of a manifest that replaces `old`: if a default of the old one has unknown fields, a server does not
/// look for them. It refuses an invalid default in every update, as when it creates the CRD.
pub(crate) fn refusals_of_update(old: &Value, new: &Value) -> ErrorList {
    frame::check(new, Before::Defaults, UnknownFields::in_update_of(old)).into()
}

/// As [`kinds_of_crd`], of a manifest that a server takes. Those of `apiextensions.k8s.io/v1beta1`, which no server of today takes, are
/// read as they are.
///
/// # Errors
/// Returns an error also when a server rejects the manifest.
pub fn accepted_kinds_of_crd(document: &Value) -> Result<Vec<CustomKind>, CrdError> {
    let kinds = kinds_of_crd(document)?;
    if document.get("apiVersion").and_then(Value::as_str) != Some("apiextensions.k8s.io/v1") {
        return Ok(kinds);
    }
    decode::check(document)?;
    let errors = refusals(document, Before::Defaults);
    match errors.as_slice() {
        [] => Ok(kinds),
        errors => Err(CrdError::Refused { errors: errors.iter().map(ToString::to_string).collect() }),
    }
}
