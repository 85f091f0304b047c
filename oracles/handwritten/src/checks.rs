//! The list of the checks that the validators make, which ships with them.
//!
//! It is a file of what the validators were seen to report, written by `cargo xtask docs checks` and reviewed as a diff. A check that
//! nothing made report is added by hand; lines stay until somebody removes them.

use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use std::io::Read as _;
use std::sync::LazyLock;
use takeover_harness::check::Check;
use takeover_harness::release::Release;
use takeover_harness::subject::SubjectId;

static LIST: LazyLock<Result<Vec<ListedCheck>, ListError>> = LazyLock::new(|| {
    let mut text = String::new();
    let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/checks.gz"));
    GzDecoder::new(packed)
        .read_to_string(&mut text)
        .map_err(|error| ListError { line: 0, message: error.to_string() })?;
    read(&text)
});

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedCheck {
    /// The subject, as it is printed.
    pub subject: String,
    /// The releases whose validators make the check; empty for all that are modelled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub releases: Vec<Release>,
    /// The check.
    #[serde(flatten)]
    pub check: Check,
}

/// A list that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the list of handwritten checks cannot be read: {message}")]
pub struct ListError {
    /// The line, from 1.
    line: usize,
    /// What is wrong with it.
    message: String,
}

/// Returns every check of the list, in its order.
///
/// # Errors
/// Returns an error when a line cannot be read, which a test rules out.
pub fn all() -> Result<&'static [ListedCheck], ListError> {
    LIST.as_deref().map_err(ListError::clone)
}

/// Returns the checks of a subject in a release.
///
/// # Errors
/// Returns the errors of [`all`].
pub fn of(subject: &SubjectId, release: Release) -> Result<Vec<Check>, ListError> {
    let subject = subject.to_string();
    let made = |listed: &&ListedCheck| {
        listed.subject == subject && (listed.releases.is_empty() || listed.releases.contains(&release))
    };
    Ok(all()?.iter().filter(made).map(|listed| listed.check.clone()).collect())
}

/// Reads a list.
///
/// # Errors
/// Returns an error when a line cannot be read.
pub fn read(text: &str) -> Result<Vec<ListedCheck>, ListError> {
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| ListError { line: number + 1, message: error.to_string() })
    };
    text.lines().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{all, of, read};
    use takeover_harness::release::Release;
    use takeover_harness::subject::SubjectId;

    #[test]
    fn the_list_is_in_order_and_names_every_check_once() {
        let keys: Vec<_> = all()
            .unwrap()
            .iter()
            .map(|listed| {
                let check = &listed.check;
                let error = (&check.error.field, check.error.error_type, &check.error.origin);
                (&listed.subject, error, check.covered, check.limit, &check.values)
            })
            .collect();
        assert!(keys.len() > 1000, "{}", keys.len());
        assert!(keys.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn a_check_is_found_by_subject_and_release() {
        let id = SubjectId::new("v1", "ReplicationController");
        let checks = of(&id, Release::V1_36).unwrap();
        let replicas = checks.iter().find(|check| check.path() == "spec.replicas" && check.limit == Some(0)).unwrap();
        assert_eq!((replicas.error.origin.as_str(), replicas.covered), ("minimum", true));
        assert_eq!(of(&SubjectId::new("v1", "Nothing"), Release::V1_36).unwrap(), []);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert!(read("{}").unwrap_err().to_string().starts_with("line 1 of the list"));
    }
}
