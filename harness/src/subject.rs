//! Names: subjects, and the pairs of oracles that are compared on them.

use crate::case::Operation;
use crate::object::{Misfit, Node, Undecodable};
use crate::schema::{Schema, TypeId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Names a subject. Printed `v1 ReplicationController`, with subresource `v1 ReplicationController/scale`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectId {
    /// Group and version: `v1`, `apps/v1`.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Subresource without leading slash; empty for the main resource.
    #[serde(default)]
    pub subresource: String,
}

impl SubjectId {
    /// Whether `name` stands for the subject, as flags and settings name subjects: its kind in upper or lower case, or the whole subject
    /// as it is printed.
    ///
    /// ```
    /// use takeover_harness::subject::SubjectId;
    /// let id = SubjectId::new("apps/v1", "Deployment");
    /// assert!(id.is_called("deployment") && id.is_called("apps/v1 Deployment"));
    /// assert!(!id.is_called("apps/v1 deployment") && !id.is_called(""));
    /// ```
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.kind.eq_ignore_ascii_case(name) || self.to_string() == name
    }

    /// The id of a main resource.
    #[must_use]
    pub fn new(api_version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { api_version: api_version.into(), kind: kind.into(), subresource: String::new() }
    }

    /// The id of a subresource of the same kind.
    #[must_use]
    pub fn with_subresource(mut self, subresource: impl Into<String>) -> Self {
        self.subresource = subresource.into();
        self
    }

    /// The label that Kubernetes' metrics use: lower-case kind, subresource, operation, joined by `_`.
    ///
    /// ```
    /// use takeover_harness::{case::Operation, subject::SubjectId};
    /// let id = SubjectId::new("certificates.k8s.io/v1", "CertificateSigningRequest").with_subresource("approval");
    /// assert_eq!(id.validation_identifier(Operation::Update), "certificatesigningrequest_approval_update");
    /// ```
    #[must_use]
    pub fn validation_identifier(&self, operation: Operation) -> String {
        let kind = if self.kind.is_empty() { "unknown_resource".to_owned() } else { self.kind.to_lowercase() };
        let subresource = self.subresource.replace('/', "_");
        if subresource.is_empty() { format!("{kind}_{operation}") } else { format!("{kind}_{subresource}_{operation}") }
    }

    /// Checks that `node`, an object of type `root`, does not say that it is of another version or kind. One that says nothing
    /// is of this subject.
    ///
    /// # Errors
    /// Returns [`Misfit::WrongKind`] when it says otherwise, with the name of the field.
    pub fn check_kind(&self, schema: &Schema, root: TypeId, node: Node<'_>) -> Result<(), Undecodable> {
        let Some((_, fields)) = schema.as_struct(root) else { return Ok(()) };
        for (name, expected) in [("apiVersion", &self.api_version), ("kind", &self.kind)] {
            let found = fields.member(name).map_or("", |member| node.member(&member.slots).text());
            if !found.is_empty() && found != expected {
                return Err(Undecodable {
                    field: name.to_owned(),
                    reason: Misfit::WrongKind,
                    detail: format!("is `{found}`, not `{expected}`"),
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for SubjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version, self.kind)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        Ok(())
    }
}

/// Names a pair: what is judged, and whose answers are compared. Several pairs may share a subject.
///
/// Printed as its subject, with a name after `#`: `v1 Widget#webhook-to-tags`. The pair that a catalogue has for a subject by
/// itself has no name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairId {
    /// What is judged.
    #[serde(flatten)]
    pub subject: SubjectId,
    /// Tells pairs of one subject apart; empty for the pair that has no name.
    #[serde(default, rename = "pair", skip_serializing_if = "PairName::is_empty")]
    pub name: PairName,
}

/// The name of a pair: lower-case letters, digits, `-` and `.`; or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PairName(String);

/// A text that names no pair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a pair name: use lower-case letters, digits, `-` and `.`")]
pub struct PairNameError(String);

impl PairName {
    /// Whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name; empty when there is none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PairName {
    type Error = PairNameError;

    fn try_from(name: String) -> Result<Self, PairNameError> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        if name.bytes().all(fits) { Ok(Self(name)) } else { Err(PairNameError(name)) }
    }
}

impl From<PairName> for String {
    fn from(name: PairName) -> Self {
        name.0
    }
}

impl PairId {
    /// The same subject with the pair of this name.
    ///
    /// # Errors
    /// Returns an error when the text cannot be a name.
    pub fn named(subject: SubjectId, name: impl Into<String>) -> Result<Self, PairNameError> {
        Ok(Self { subject, name: PairName::try_from(name.into())? })
    }

    /// Reads the two words that a pair is printed as: version, and kind with subresource and name.
    pub(crate) fn of_words(api_version: &str, kind: &str) -> Result<Self, PairNameError> {
        let (kind, name) = kind.split_once('#').unwrap_or((kind, ""));
        let (kind, subresource) = kind.split_once('/').unwrap_or((kind, ""));
        Self::named(SubjectId::new(api_version, kind).with_subresource(subresource), name)
    }

    /// The label that metrics use: that of the subject, with the name of the pair after `#`.
    #[must_use]
    pub fn validation_identifier(&self, operation: Operation) -> String {
        let mut identifier = self.subject.validation_identifier(operation);
        if !self.name.is_empty() {
            identifier.push('#');
            identifier.push_str(self.name.as_str());
        }
        identifier
    }
}

/// A text that is not the printed form of a pair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a pair: say version and kind, such as `apps/v1 Deployment`, or `apps/v1 Deployment/scale`")]
pub struct PairIdError(String);

impl FromStr for PairId {
    type Err = PairIdError;

    /// Reads the printed form.
    fn from_str(text: &str) -> Result<Self, PairIdError> {
        let error = || PairIdError(text.to_owned());
        let (api_version, kind) = text.split_once(' ').ok_or_else(error)?;
        let pair = Self::of_words(api_version, kind).map_err(|_| error())?;
        let whole = !api_version.is_empty() && !pair.subject.kind.is_empty() && !kind.contains(' ');
        if whole { Ok(pair) } else { Err(error()) }
    }
}

impl From<SubjectId> for PairId {
    /// The pair of a subject that has no name.
    fn from(subject: SubjectId) -> Self {
        Self { subject, name: PairName::default() }
    }
}

impl fmt::Display for PairId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        if !self.name.is_empty() {
            write!(f, "#{}", self.name.as_str())?;
        }
        Ok(())
    }
}
