//! Which requests a policy or a binding applies to.

use super::or_default;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `matchConstraints` of a policy, `matchResources` of a binding.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct MatchResources {
    /// Which namespaces.
    pub namespace_selector: Option<Selector>,
    /// Which objects.
    pub object_selector: Option<Selector>,
    /// Which resources and operations.
    #[serde(deserialize_with = "or_default")]
    pub resource_rules: Vec<Rule>,
    /// Which not.
    #[serde(deserialize_with = "or_default")]
    pub exclude_resource_rules: Vec<Rule>,
    /// `Exact` or `Equivalent`.
    pub match_policy: Option<String>,
}

/// Operations on resources.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// Names of objects; none for all.
    #[serde(deserialize_with = "or_default")]
    pub resource_names: Vec<String>,
    /// `CREATE`, `UPDATE`, `DELETE`, `CONNECT` or `*`.
    #[serde(deserialize_with = "or_default")]
    pub operations: Vec<String>,
    /// API groups or `*`.
    #[serde(deserialize_with = "or_default")]
    pub api_groups: Vec<String>,
    /// API versions or `*`.
    #[serde(deserialize_with = "or_default")]
    pub api_versions: Vec<String>,
    /// Resources, with a subresource after a slash.
    #[serde(deserialize_with = "or_default")]
    pub resources: Vec<String>,
    /// `Cluster`, `Namespaced` or `*`.
    pub scope: Option<String>,
}

/// A label selector.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Selector {
    /// Labels with their values.
    #[serde(deserialize_with = "or_default")]
    pub match_labels: BTreeMap<String, String>,
    /// Other requirements.
    #[serde(deserialize_with = "or_default")]
    pub match_expressions: Vec<Requirement>,
}

/// A requirement of a label selector.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct Requirement {
    /// The key of the label.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    #[serde(deserialize_with = "or_default")]
    pub operator: String,
    /// Values.
    #[serde(deserialize_with = "or_default")]
    pub values: Vec<String>,
}

impl MatchResources {
    /// Sets what an API server sets where nothing is given.
    pub(super) fn set_defaults(&mut self) {
        self.namespace_selector.get_or_insert_default();
        self.object_selector.get_or_insert_default();
        self.match_policy.get_or_insert_with(|| "Equivalent".to_owned());
        for rule in self.resource_rules.iter_mut().chain(&mut self.exclude_resource_rules) {
            rule.scope.get_or_insert_with(|| "*".to_owned());
        }
    }
}
