//! What of the manifest a cluster serves.

use super::manifest::Resource;
use crate::resources::{ListedResource, ResourceList};
use anyhow::bail;
use std::collections::BTreeMap;
use takeover_external::server::ServerCaller;
use takeover_harness::subject::SubjectId;

/// A resource, or a part of one, that the cluster serves and whose requests make reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// `apps/v1 deployments/scale`, for people.
    pub(super) shown: String,
    /// Its main resource, for people, if the manifest names that too.
    pub(super) main: Option<String>,
    /// Of what its reviews are.
    pub(super) subject: SubjectId,
    /// What the objects are that a subresource is part of; the subject itself for a main resource.
    pub(super) parent: SubjectId,
    /// `/apis/apps/v1`.
    root: String,
    /// Plural.
    plural: String,
    /// Subresource; empty for a main resource.
    pub(super) part: String,
    /// Whether its objects are in namespaces.
    pub(super) namespaced: bool,
    /// Whether it has `/status`.
    pub(super) status: bool,
}

impl Endpoint {
    /// The path of all objects, in `namespace` if they have namespaces.
    pub(super) fn objects(&self, namespace: &str) -> String {
        let Self { root, plural, namespaced, .. } = self;
        if *namespaced { format!("{root}/namespaces/{namespace}/{plural}") } else { format!("{root}/{plural}") }
    }

    /// The resource, or this part of it, as roles name it: `deployments.apps`, `deployments/scale.apps`.
    pub(super) fn resource(&self, part: &str) -> String {
        let part = if part.is_empty() { String::new() } else { format!("/{part}") };
        match self.root.strip_prefix("/apis/").and_then(|root| root.split_once('/')) {
            Some((group, _)) => format!("{}{part}.{group}", self.plural),
            None => format!("{}{part}", self.plural),
        }
    }
}

/// What the cluster serves of the resources, and what it does not serve.
///
/// # Errors
/// Returns an error when there is no answer, or none that lists resources.
pub(super) fn discover(
    caller: &ServerCaller,
    resources: &[Resource],
) -> anyhow::Result<(Vec<Endpoint>, Vec<Resource>)> {
    let mut lists: BTreeMap<String, Vec<ListedResource>> = BTreeMap::new();
    let (mut served, mut missing) = (Vec::new(), Vec::new());
    for resource in resources {
        let api_version = resource.api_version();
        if !lists.contains_key(&api_version) {
            lists.insert(api_version.clone(), list(caller, &root(resource))?);
        }
        let list = lists.get(&api_version).map(Vec::as_slice).unwrap_or_default();
        let find = |name: &str| list.iter().find(|listed| listed.name == name);
        let (plural, part) = resource.name.split_once('/').unwrap_or((&resource.name, ""));
        let (Some(main), Some(own)) = (find(plural), find(&resource.name)) else {
            missing.push(resource.clone());
            continue;
        };
        let named = Resource { name: plural.to_owned(), ..resource.clone() };
        served.push(Endpoint {
            shown: resource.shown(),
            main: resources.contains(&named).then(|| named.shown()),
            subject: own.subject(&api_version),
            parent: main.subject(&api_version),
            root: root(resource),
            plural: plural.to_owned(),
            part: part.to_owned(),
            namespaced: main.namespaced,
            status: find(&format!("{plural}/status")).is_some(),
        });
    }
    Ok((served, missing))
}

fn root(resource: &Resource) -> String {
    let Resource { group, version, .. } = resource;
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

/// What is listed at `root`; nothing for a version that is not served.
fn list(caller: &ServerCaller, root: &str) -> anyhow::Result<Vec<ListedResource>> {
    let answer = caller.get(root)?;
    if answer.code() == 404 {
        return Ok(Vec::new());
    }
    match serde_json::from_str::<ResourceList>(&answer.text()) {
        Ok(list) if answer.is_done() => Ok(list.resources),
        _ => bail!("`{}{root}` lists no resources: {}", caller.server(), answer.refusal()),
    }
}
