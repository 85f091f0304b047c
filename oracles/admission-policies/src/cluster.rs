//! What is in the cluster beside the request: namespaces, params, equivalent resources, and who may do what.

use crate::authorizer::Grants;
use crate::request::Resource;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use takeover_cel::value::Answerer;

/// What is in the cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    namespaces: BTreeMap<String, Value>,
    objects: Vec<Value>,
    cluster_scoped: Vec<(String, String)>,
    equivalents: Vec<Vec<Resource>>,
    assumes_namespaces: bool,
    answerer: Answerer,
}

impl Default for Cluster {
    /// Without anything, and nobody may do anything.
    fn default() -> Self {
        Self {
            namespaces: BTreeMap::new(),
            objects: Vec::new(),
            cluster_scoped: Vec::new(),
            equivalents: Vec::new(),
            assumes_namespaces: false,
            answerer: Answerer(std::sync::Arc::new(Grants::default())),
        }
    }
}

impl Cluster {
    /// Adds a namespace.
    pub fn add_namespace(&mut self, namespace: Value) {
        let name = namespace.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.namespaces.insert(name, namespace);
    }

    /// Adds an object that may be a param.
    pub fn add_object(&mut self, object: Value) {
        self.objects.push(object);
    }

    /// Says that objects of this version and kind are in no namespace. Others are in one, unless all that are known have none.
    pub fn set_cluster_scoped(&mut self, api_version: &str, kind: &str) {
        self.cluster_scoped.push((api_version.to_owned(), kind.to_owned()));
    }

    /// Says that these resources are the same objects in several versions.
    pub fn add_equivalents(&mut self, resources: Vec<Resource>) {
        self.equivalents.push(resources);
    }

    /// Takes unknown namespaces as existing, with the label that every namespace has.
    pub fn assume_namespaces(&mut self) {
        self.assumes_namespaces = true;
    }

    /// Says who answers what users may do.
    pub fn set_authorizer(&mut self, answerer: Answerer) {
        self.answerer = answerer;
    }

    /// Who answers what users may do.
    pub(crate) fn answerer(&self) -> &Answerer {
        &self.answerer
    }

    /// A namespace by its name.
    pub(crate) fn namespace(&self, name: &str) -> Option<Cow<'_, Value>> {
        let assumed = || {
            let metadata = json!({"name": name, "labels": {"kubernetes.io/metadata.name": name}});
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata, "status": {"phase": "Active"}})
        };
        let known = self.namespaces.get(name).map(Cow::Borrowed);
        known.or_else(|| self.assumes_namespaces.then(|| Cow::Owned(assumed())))
    }

    /// The other resources that are the same objects as these.
    pub(crate) fn equivalents(&self, resource: &Resource) -> Vec<Resource> {
        let is = |other: &Resource| {
            other.group == resource.group && other.version == resource.version && other.resource == resource.resource
        };
        let group = self.equivalents.iter().find(|group| group.iter().any(is));
        group.into_iter().flatten().filter(|other| !is(other)).cloned().collect()
    }

    /// Whether objects of a version and kind are in no namespace.
    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        self.cluster_scoped.iter().any(|(known, of)| known == api_version && of == kind)
    }

    /// The objects of a version and kind.
    pub(crate) fn objects(&self, api_version: &str, kind: &str) -> Vec<&Value> {
        let is = |object: &&Value| {
            let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
            text("apiVersion") == api_version && text("kind") == kind
        };
        self.objects.iter().filter(is).collect()
    }
}
