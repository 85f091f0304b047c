//! What a server knows as one file: what leaves a server whose disk cannot be reached.

use crate::ledger::Production;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takeover_harness::evidence::{Evidence, EvidenceError};
use takeover_harness::format::{Format, FormatError, FormatMark};

/// The format of the file.
const FORMAT: Format =
    Format { name: "shadow-evidence", major: 1, minor: 1, remedy: "get it from the page of a server of this version" };

/// The file. What is small comes first, for people who look into it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(alias = "formatVersion")]
    format: FormatMark,
    /// The name of the format as files had it before formats had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
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
    /// The file has a format that this program does not read, or is something else.
    #[error("the evidence of a server cannot be read: {0}")]
    Format(FormatError),
    /// Something else.
    #[error("it is `{0}`, not the evidence of a server")]
    Other(String),
    /// Evidence that does not add up.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
}

impl From<FormatError> for ExportError {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::Damaged(error) => Self::Json(error),
            error => Self::Format(error),
        }
    }
}

/// What the replica of this name knows, as a file.
///
/// # Errors
/// When the counters do not add up: a fault of this program.
pub fn to_json(replica: &str, evidence: &Evidence, production: &Production) -> Result<String, ExportError> {
    let file = File {
        format: FORMAT.mark(),
        kind: None,
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
    FORMAT.check_json(text)?;
    let File { kind, production, evidence, .. } = serde_json::from_str(text).map_err(ExportError::Json)?;
    if let Some(kind) = kind.filter(|kind| kind != FORMAT.name) {
        return Err(ExportError::Other(takeover_reports::shortened(&kind, 100).into_owned()));
    }
    Ok((Evidence::from_json(&evidence.to_string())?, production))
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Production, from_json, to_json};

    const OLD: &str = include_str!("old/export-1.json");

    #[test]
    fn a_file_is_read_as_it_was_written_and_one_with_evidence_without_causes_is_refused_by_name() {
        let refused = from_json(OLD).unwrap_err().to_string();
        assert!(refused.contains("too old: `evidence` of format 1.0"), "{refused}");
        let (evidence, production) = (Evidence::new(), Production::default());
        let now = to_json("one", &evidence, &production).unwrap();
        assert!(now.starts_with("{\"format\":{\"name\":\"shadow-evidence\",\"major\":1,\"minor\":1,"), "{now}");
        assert_eq!(from_json(&now).unwrap(), (evidence, production));
    }

    #[test]
    fn what_cannot_be_read_says_what_it_is() {
        for (text, said) in [
            (
                OLD.replace("\"formatVersion\":1", "\"formatVersion\":2"),
                "cannot be read: too new: `shadow-evidence` of format 2.0",
            ),
            (
                OLD.replace("\"formatVersion\":1", "\"formatVersion\":0"),
                "cannot be read: too old: `shadow-evidence` of format 0.0",
            ),
            (OLD.replace("\"shadow-evidence\"", "\"minutes\""), "it is `minutes`"),
            (OLD.replace("\"formatVersion\":1,", ""), "does not state its format"),
            (
                OLD.replace("\"format\":1", "\"format\":9"),
                "the evidence cannot be read: too new: `evidence` of format 9.0",
            ),
            (OLD[..900].to_owned(), "no evidence of a server: EOF"),
        ] {
            let error = from_json(&text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
