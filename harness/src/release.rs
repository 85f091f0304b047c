//! Releases of Kubernetes.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A minor release of Kubernetes: `1.36`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Release {
    major: u32,
    minor: u32,
}

impl Release {
    /// Kubernetes 1.35.
    pub const V1_35: Self = Self::of_minor(35);
    /// Kubernetes 1.36.
    pub const V1_36: Self = Self::of_minor(36);
    /// Kubernetes 1.37.
    pub const V1_37: Self = Self::of_minor(37);

    /// The release `1.minor`.
    #[must_use]
    pub const fn of_minor(minor: u32) -> Self {
        Self { major: 1, minor }
    }

    /// The release that a version such as `1.36.2` belongs to.
    ///
    /// # Errors
    /// Returns an error when `version` does not start with two numbers and a dot between them.
    pub fn of_version(version: &str) -> Result<Self, NotARelease> {
        let end = version.match_indices('.').nth(1).map_or(version.len(), |(end, _)| end);
        version.get(..end).unwrap_or(version).parse()
    }

    /// The release after it.
    #[must_use]
    pub fn following(self) -> Self {
        Self { minor: self.minor.saturating_add(1), ..self }
    }
}

/// Text that is not a release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a release such as 1.36")]
pub struct NotARelease(String);

impl FromStr for Release {
    type Err = NotARelease;

    fn from_str(text: &str) -> Result<Self, NotARelease> {
        let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        text.split_once('.')
            .and_then(|(major, minor)| Some(Self { major: number(major)?, minor: number(minor)? }))
            .ok_or_else(|| NotARelease(text.to_owned()))
    }
}

impl TryFrom<String> for Release {
    type Error = NotARelease;

    fn try_from(text: String) -> Result<Self, NotARelease> {
        text.parse()
    }
}

impl From<Release> for String {
    fn from(release: Release) -> Self {
        release.to_string()
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::Release;

    #[test]
    fn releases_are_two_numbers_and_ordered_as_such() {
        for (text, release) in
            [("1.36", true), ("1.9", true), ("v1.36", false), ("1", false), ("1.", false), ("1.+3", false)]
        {
            assert_eq!(text.parse::<Release>().is_ok(), release, "{text}");
        }
        assert_eq!(Release::of_version("1.36.2"), Ok(Release::V1_36));
        assert_eq!(Release::of_version("1.36"), Ok(Release::V1_36));
        assert!(Release::of_version("36").is_err());
        assert!("1.9".parse::<Release>().unwrap() < "1.36".parse::<Release>().unwrap());
    }
}
