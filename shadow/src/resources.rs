//! Resources as API servers list them.

use serde::Deserialize;
use std::collections::BTreeMap;
use takeover_harness::subject::SubjectId;

/// The answer of `/apis/<group>/<version>` and `/api/<version>`.
#[derive(Deserialize)]
pub(crate) struct ResourceList {
    /// Main resources and their parts.
    pub(crate) resources: Vec<ListedResource>,
}

/// A resource, or a part of one, as a server lists it.
#[derive(Clone, Deserialize)]
pub(crate) struct ListedResource {
    /// Plural, with its subresource after `/`.
    pub(crate) name: String,
    /// Kind.
    pub(crate) kind: String,
    /// Whether its objects are in namespaces.
    #[serde(default)]
    pub(crate) namespaced: bool,
    /// Group and version of the kind, where they are others than those of the list.
    #[serde(default)]
    group: String,
    #[serde(default)]
    version: String,
}

impl ListedResource {
    /// What its reviews are of. Version and kind are of the list unless the resource says otherwise.
    pub(crate) fn subject(&self, api_version: &str) -> SubjectId {
        let kind = self.kind.as_str();
        let main = match (self.group.as_str(), self.version.as_str()) {
            (_, "") => SubjectId::new(api_version, kind),
            ("", version) => SubjectId::new(version, kind),
            (group, version) => SubjectId::new(format!("{group}/{version}"), kind),
        };
        main.with_subresource(self.name.split_once('/').map_or("", |(_, part)| part))
    }
}

/// The answer of `/apis`.
#[derive(Deserialize)]
pub(crate) struct GroupList {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    versions: Vec<GroupVersion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GroupVersion {
    group_version: String,
}

impl GroupList {
    /// The versions of each group, such as `apps/v1` of `apps`.
    pub(crate) fn versions(self) -> BTreeMap<String, Vec<String>> {
        let of = |group: Group| (group.name, group.versions.into_iter().map(|of| of.group_version).collect());
        self.groups.into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupList, ListedResource};
    use serde_json::json;

    #[test]
    fn a_resource_may_be_of_another_kind_than_its_list() {
        let listed = |group: &str, version: &str| ListedResource {
            name: "deployments/scale".to_owned(),
            kind: "Scale".to_owned(),
            namespaced: true,
            group: group.to_owned(),
            version: version.to_owned(),
        };
        let of = |group, version| listed(group, version).subject("apps/v1").to_string();
        assert_eq!(of("autoscaling", "v1"), "autoscaling/v1 Scale/scale");
        assert_eq!(of("", "v1"), "v1 Scale/scale");
        assert_eq!(of("", ""), "apps/v1 Scale/scale");
    }

    #[test]
    fn groups_are_listed_with_their_versions() {
        let version = |text: &str| json!({"groupVersion": text, "version": text});
        let list = json!({"groups": [{"name": "autoscaling", "versions": [version("autoscaling/v2"), version("autoscaling/v1")]}]});
        let list: GroupList = serde_json::from_value(list).unwrap();
        assert_eq!(list.versions()["autoscaling"], ["autoscaling/v2", "autoscaling/v1"]);
    }
}
