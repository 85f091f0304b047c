//! What a mutating webhook makes of an object.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use json_patch::Patch;
use serde_json::Value;
use takeover_harness::oracle::OracleFailure;

/// Applies a JSON patch in base64.
pub(super) fn apply(object: &mut Value, patch: &str) -> Result<(), OracleFailure> {
    let failure = |why: String| OracleFailure::new(format!("the patch of the webhook {why}"));
    let text = STANDARD.decode(patch).map_err(|error| failure(format!("is not base64: {error}")))?;
    let patch: Patch =
        serde_json::from_slice(&text).map_err(|error| failure(format!("is not a JSON patch: {error}")))?;
    json_patch::patch(object, &patch).map_err(|error| failure(format!("does not apply: {error}")))
}
