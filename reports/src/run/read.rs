//! Reports that were written earlier.

use super::model::{FORMAT_VERSION, RunReport};
use serde::Deserialize;
use std::cmp::Ordering;

/// What every version says of itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Versioned {
    format_version: u32,
}

/// Why a text is not read as a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is something else, or only a part of a report.
    #[error("not the report of a run")]
    NotAReport(#[source] serde_json::Error),
    /// An older program wrote it.
    #[error("it has format version {found}, and this program reads {FORMAT_VERSION}: run it again")]
    TooOld {
        /// Version of its form.
        found: u32,
    },
    /// A newer program wrote it.
    #[error("it has format version {found}, and this program reads {FORMAT_VERSION}: use the program that wrote it")]
    TooNew {
        /// Version of its form.
        found: u32,
    },
}

impl RunReport {
    /// Reads the JSON form.
    ///
    /// # Errors
    /// Returns an error when it is not the report of a run, or one of another format version.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        let Versioned { format_version: found } = serde_json::from_str(text).map_err(ReadError::NotAReport)?;
        match found.cmp(&FORMAT_VERSION) {
            Ordering::Less => Err(ReadError::TooOld { found }),
            Ordering::Greater => Err(ReadError::TooNew { found }),
            Ordering::Equal => {
                let mut report: Self = serde_json::from_str(text).map_err(ReadError::NotAReport)?;
                // Older programs of this version wrote no summary.
                report.gather();
                Ok(report)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RunReport;

    #[test]
    fn reports_of_other_programs_are_refused_with_what_to_do() {
        for (text, message) in [
            ("{\"formatVersion\": 1}", "it has format version 1, and this program reads 3: run it again"),
            (
                "{\"formatVersion\": 4}",
                "it has format version 4, and this program reads 3: use the program that wrote it",
            ),
            ("{\"formatVersion\": 3}", "not the report of a run"),
            ("{}", "not the report of a run"),
        ] {
            assert_eq!(RunReport::from_json(text).unwrap_err().to_string(), message);
        }
    }
}
