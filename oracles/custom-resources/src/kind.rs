//! A custom kind in one of its versions.

use crate::structural::Structural;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use takeover_harness::rule::{Rule, Source};
use takeover_harness::schema::{Schema, TypeId};

/// One version of a custom kind, with everything that is read from its schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CustomKind {
    /// API group: `cert-manager.io`.
    pub group: String,
    /// Version: `v1`.
    pub version: String,
    /// Kind: `Certificate`.
    pub kind: String,
    /// Name in URLs: `certificates`. Empty where an OpenAPI document has no path of the kind.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// Whether servers serve the version.
    pub served: bool,
    /// Whether objects are stored in the version.
    pub storage: bool,
    /// Whether `status` has its own subresource.
    pub status_subresource: bool,
    /// Paths of the scale subresource, if the version serves it.
    pub scale: Option<ScalePaths>,
    /// Types of the kind.
    pub schema: Arc<Schema>,
    /// Type of the whole object.
    pub root: TypeId,
    /// What the schema says of values.
    pub structural: Arc<Structural>,
    /// The schema as the manifest has it; null where the manifest has none.
    pub written: Arc<Value>,
    /// JSON pointer of the schema in the manifest; empty where the types do not come from a CRD.
    pub place: String,
    /// File and line where the manifest begins, where somebody noted them.
    pub manifest: Option<Source>,
    /// See [`CustomKind::rules`] and [`CustomKind::places`].
    pub(crate) named: Arc<OnceLock<Hinted>>,
    /// See [`CustomKind::hints`].
    pub(crate) hinted: Arc<OnceLock<Vec<Rule>>>,
    /// Where fields stand in the manifest, by their path patterns; empty where nobody noted it.
    pub fields: BTreeMap<String, Source>,
    /// Constructs that are not read, or that the types cannot hold.
    pub unread: Vec<Unread>,
}

impl CustomKind {
    /// Group and version as objects say them in `apiVersion`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Number of CEL rules in the schema.
    #[must_use]
    pub fn cel_rules(&self) -> usize {
        self.structural.cel_rules()
    }
}

/// What a schema says of values, as rules. Copies of a kind share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hinted {
    pub(crate) rules: Vec<Rule>,
    /// JSON pointer of each.
    pub(crate) places: Vec<String>,
}

/// Where objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        })
    }
}

/// Where the scale subresource finds its numbers, as JSON paths with a leading dot: `.spec.replicas`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalePaths {
    /// Path of the wanted number of replicas.
    pub spec_replicas: String,
    /// Path of the counted number of replicas.
    pub status_replicas: String,
    /// Path of the label selector, as text.
    pub label_selector: Option<String>,
}

/// A construct of a schema that is not read, or not in full.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unread {
    /// Where it stands: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
    pub path: String,
    /// What it is, and what becomes of it.
    pub what: String,
}

impl Unread {
    pub(crate) fn new(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into() }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}
