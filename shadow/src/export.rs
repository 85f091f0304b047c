//! What a server knows as one file: what leaves a server whose disk cannot be reached.

use crate::ledger::Production;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takeover_harness::evidence::{Evidence, EvidenceError};

/// Version of the form.
const FORMAT_VERSION: u32 = 1;

/// What it is.
const KIND: &str = "shadow-evidence";

/// The file. What is small comes first, for people who look into it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    format_version: u32,
    kind: String,
    /// Version of the program.
    takeover: String,
    replica: String,
    production: Production,
    evidence: Value,
}

/// A file that no evidence is in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Not JSON, or of another shape.
    #[error("no evidence of a server: {0}")]
    Json(serde_json::Error),
    /// Something else.
    #[error("`{kind}` of version {version} is not evidence of a server as this program reads it")]
    Other {
        /// What it is.
        kind: String,
        /// Version of the form.
        version: u32,
    },
    /// Evidence that does not add up.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
}

/// What the replica of this name knows, as a file.
///
/// # Errors
/// When the counters do not add up: a fault of this program.
pub fn to_json(replica: &str, evidence: &Evidence, production: &Production) -> Result<String, ExportError> {
    let file = File {
        format_version: FORMAT_VERSION,
        kind: KIND.to_owned(),
        takeover: env!("CARGO_PKG_VERSION").to_owned(),
        replica: replica.to_owned(),
        production: production.clone(),
        evidence: serde_json::from_str(&evidence.to_json()?).map_err(ExportError::Json)?,
    };
    serde_json::to_string(&file).map(|text| text + "\n").map_err(ExportError::Json)
}

/// What is in such a file.
///
/// # Errors
/// When it is none, or damaged.
pub fn from_json(text: &str) -> Result<(Evidence, Production), ExportError> {
    let File { format_version, kind, production, evidence, .. } =
        serde_json::from_str(text).map_err(ExportError::Json)?;
    if (format_version, kind.as_str()) != (FORMAT_VERSION, KIND) {
        let kind = takeover_reports::shortened(&kind, 100).into_owned();
        return Err(ExportError::Other { kind, version: format_version });
    }
    Ok((Evidence::from_json(&evidence.to_string())?, production))
}
