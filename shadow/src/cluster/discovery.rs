//! What of the manifest a cluster serves.

use super::manifest::Resource;
use anyhow::bail;
use serde::Deserialize;
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

/// A resource as a server lists it.
#[derive(Clone, Deserialize)]
struct Listed {
    name: String,
    kind: String,
    #[serde(default)]
    namespaced: bool,
    /// Group and version of the kind, where they are others than those of the list.
    #[serde(default)]
    group: String,
    #[serde(default)]
    version: String,
}

impl Listed {
    /// Version and kind, which are of the list unless the resource says otherwise.
    fn subject(&self, api_version: &str) -> SubjectId {
        match (self.group.as_str(), self.version.as_str()) {
            (_, "") => SubjectId::new(api_version, self.kind.as_str()),
            ("", version) => SubjectId::new(version, self.kind.as_str()),
            (group, version) => SubjectId::new(format!("{group}/{version}"), self.kind.as_str()),
        }
    }
}

#[derive(Deserialize)]
struct List {
    resources: Vec<Listed>,
}

/// What the cluster serves of the resources, and what it does not serve.
///
/// # Errors
/// Returns an error when there is no answer, or none that lists resources.
pub(super) fn discover(
    caller: &ServerCaller,
    resources: &[Resource],
) -> anyhow::Result<(Vec<Endpoint>, Vec<Resource>)> {
    let mut lists: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
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
            subject: own.subject(&api_version).with_subresource(part),
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
fn list(caller: &ServerCaller, root: &str) -> anyhow::Result<Vec<Listed>> {
    let answer = caller.get(root)?;
    if answer.code() == 404 {
        return Ok(Vec::new());
    }
    match serde_json::from_str::<List>(&answer.text()) {
        Ok(list) if answer.is_done() => Ok(list.resources),
        _ => bail!("`{}{root}` lists no resources: {}", caller.server(), answer.refusal()),
    }
}

#[cfg(test)]
mod tests {
    use super::Listed;

    #[test]
    fn a_resource_may_be_of_another_kind_than_its_list() {
        let listed = |group: &str, version: &str| Listed {
            name: "deployments/scale".to_owned(),
            kind: "Scale".to_owned(),
            namespaced: true,
            group: group.to_owned(),
            version: version.to_owned(),
        };
        let of = |group, version| listed(group, version).subject("apps/v1").to_string();
        assert_eq!(of("autoscaling", "v1"), "autoscaling/v1 Scale");
        assert_eq!(of("", "v1"), "v1 Scale");
        assert_eq!(of("", ""), "apps/v1 Scale");
    }
}
