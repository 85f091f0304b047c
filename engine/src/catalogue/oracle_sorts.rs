//! What is known of each sort of oracle.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// A process that speaks the oracle protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecDescription {
    /// Program and arguments.
    pub command: Vec<String>,
    /// The folder in which it runs.
    pub folder: Option<PathBuf>,
    /// Environment variables added to those of this program.
    pub environment: BTreeMap<String, String>,
    /// How many run at once.
    pub processes: Option<NonZeroUsize>,
    /// Seconds that an answer may take.
    pub timeout: Option<NonZeroU32>,
    /// MiB that a process may use.
    pub memory: Option<NonZeroU32>,
}

/// A webhook that takes AdmissionReviews.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookDescription {
    /// Where it listens, with the path of the service.
    pub url: String,
    /// PEM file with the certificate authorities to trust. Without it, only a webhook on loopback is trusted.
    pub ca: Option<PathBuf>,
    /// PEM file with the client certificate.
    pub client_certificate: Option<PathBuf>,
    /// PEM file with the key of the client certificate.
    pub client_key: Option<PathBuf>,
    /// The plural of the kind, where it is not the usual one.
    pub resource: Option<String>,
    /// What its answers say.
    pub answers: Option<AnswersLevel>,
    /// How many requests are under way at once.
    pub concurrency: Option<NonZeroUsize>,
    /// Seconds that an answer may take.
    pub timeout: Option<NonZeroU32>,
}

/// A live API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerDescription {
    /// The kubeconfig.
    pub kubeconfig: PathBuf,
    /// The context in it; there is no default.
    pub context: String,
    /// At most this many requests a second.
    pub rate: Option<NonZeroU32>,
    /// Seconds that an answer may take.
    pub timeout: Option<NonZeroU32>,
    /// What its answers say: field errors, or the object that it would store.
    pub answers: Option<AnswersLevel>,
}

/// What sets defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DefaultsSource {
    /// The code and markers of a built-in kind, as an API server has them.
    #[default]
    Builtin,
    /// The `+default` markers of Go types.
    Markers,
    /// The schema of a CRD.
    Crd,
}

impl DefaultsSource {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Markers => "markers",
            Self::Crd => "crd",
        }
    }
}

/// The laws that transformations of objects keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LawsOf {
    /// Those of server-side apply.
    Apply,
    /// Those of defaulting.
    Defaults,
}

impl LawsOf {
    /// The word for them.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Defaults => "defaults",
        }
    }
}

/// What the answers of a webhook or server say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswersLevel {
    /// Field errors.
    Errors,
    /// Accepted or rejected.
    Decision,
    /// The changed object.
    Object,
}
