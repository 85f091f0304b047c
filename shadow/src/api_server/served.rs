//! Which subjects an API server shows the rules of: those that it serves, and whose strategies run them.

use super::runs_rules;
use crate::resources::{GroupList, ResourceList};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::subject::{PairId, SubjectId};

/// Group of a version; empty for the core group.
fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// What the server serves of the groups of `ids`. `get` asks for a path below its root and returns the body; none for what is not there.
///
/// # Errors
/// Returns the reason why there is no answer, or none that lists anything.
pub(super) fn served(
    ids: &[PairId],
    get: impl Fn(&str) -> Result<Option<Vec<u8>>, String>,
) -> Result<BTreeSet<SubjectId>, String> {
    fn read<T: DeserializeOwned>(path: &str, body: &[u8]) -> Result<T, String> {
        serde_json::from_slice(body).map_err(|_| format!("{path} lists nothing"))
    }
    let groups = get("/apis")?.ok_or("/apis is not there")?;
    let mut versions = read::<GroupList>("/apis", &groups)?.versions();
    versions.insert(String::new(), vec!["v1".to_owned()]);
    let mut served = BTreeSet::new();
    let groups: BTreeSet<&str> = ids.iter().map(|id| group_of(&id.subject.api_version)).collect();
    for api_version in groups.into_iter().filter_map(|group| versions.get(group)).flatten() {
        let path =
            if api_version.contains('/') { format!("/apis/{api_version}") } else { format!("/api/{api_version}") };
        // A version may go away in between.
        let Some(body) = get(&path)? else { continue };
        let list = read::<ResourceList>(&path, &body)?;
        served.extend(list.resources.iter().map(|resource| resource.subject(api_version)));
    }
    Ok(served)
}

/// The pairs whose rules a server of this version (`v1.36.2`; empty if it is unknown) shows nothing of, and why. Types of one's own have
/// rules that no server runs: `own_types` says that nothing is to be made of that.
pub(super) fn unshown(
    ids: &[PairId],
    version: &str,
    served: &BTreeSet<SubjectId>,
    own_types: bool,
) -> BTreeMap<String, String> {
    let server = if version.is_empty() { String::new() } else { format!(" {version}") };
    let why = |id: &PairId| {
        let SubjectId { api_version, kind, subresource } = &id.subject;
        if served.contains(&id.subject) {
            // A pair that has a name is about something else than the rules that servers run.
            let runs = own_types || !id.name.is_empty() || runs_rules(version, &id.subject);
            return (!runs).then(|| format!("the API server{server} runs no declarative rules of this kind"));
        }
        let is_same = |of: &&SubjectId| {
            of.kind == *kind && of.subresource == *subresource && group_of(&of.api_version) == group_of(api_version)
        };
        let others: Vec<&str> = served.iter().filter(is_same).map(|of| of.api_version.as_str()).collect();
        let others = if others.is_empty() { String::new() } else { format!(", which serves {}", others.join(", ")) };
        Some(format!("not served by the API server{server}{others}"))
    };
    ids.iter().filter_map(|id| Some((id.to_string(), why(id)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::{served, unshown};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use takeover_harness::subject::PairId;

    fn ids(names: &[&str]) -> Vec<PairId> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn answers() -> BTreeMap<&'static str, Value> {
        let version = |text: &str| json!({"groupVersion": text, "version": text});
        let groups = json!([
            {"name": "rbac.authorization.k8s.io", "versions": [version("rbac.authorization.k8s.io/v1")]},
            {"name": "resource.k8s.io", "versions": [version("resource.k8s.io/v1")]},
            {"name": "unasked.example", "versions": [version("unasked.example/v1")]},
        ]);
        let listed = |names: &[(&str, &str)]| {
            let of = |(name, kind): &(&str, &str)| json!({"name": name, "kind": kind, "namespaced": true});
            json!({"resources": names.iter().map(of).collect::<Vec<Value>>()})
        };
        [
            ("/apis", json!({"groups": groups})),
            ("/api/v1", listed(&[("replicationcontrollers", "ReplicationController")])),
            (
                "/apis/rbac.authorization.k8s.io/v1",
                listed(&[("roles", "Role"), ("clusterrolebindings", "ClusterRoleBinding")]),
            ),
            (
                "/apis/resource.k8s.io/v1",
                listed(&[("resourceclaims", "ResourceClaim"), ("resourceclaims/status", "ResourceClaim")]),
            ),
        ]
        .into()
    }

    #[test]
    fn what_is_not_served_or_not_run_is_named_with_the_reason() {
        let answers = answers();
        let get = |path: &str| Ok(answers.get(path).map(|value| value.to_string().into_bytes()));
        let ids = ids(&[
            "v1 ReplicationController",
            "resource.k8s.io/v1 ResourceClaim/status",
            "resource.k8s.io/v1 ResourceClaim/scale",
            "rbac.authorization.k8s.io/v1 Role",
            "rbac.authorization.k8s.io/v1beta1 Role",
            "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
            "gone.example/v1 Gone",
        ]);
        let served = served(&ids, get).unwrap();
        let because = |version: &str| unshown(&ids, version, &served, false).into_iter().collect::<Vec<_>>();
        let said = |of: &str, why: &str| (of.to_owned(), why.to_owned());
        assert_eq!(
            because("v1.36.2"),
            [
                said("gone.example/v1 Gone", "not served by the API server v1.36.2"),
                said(
                    "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
                    "the API server v1.36.2 runs no declarative rules of this kind"
                ),
                said(
                    "rbac.authorization.k8s.io/v1beta1 Role",
                    "not served by the API server v1.36.2, which serves rbac.authorization.k8s.io/v1"
                ),
                said("resource.k8s.io/v1 ResourceClaim/scale", "not served by the API server v1.36.2"),
            ]
        );
        assert_eq!(because("v1.37.0").len(), 3, "1.37 runs the rules of every kind");
        assert_eq!(because("").len(), 3, "an unknown version is not held against a kind");
        assert_eq!(unshown(&ids, "v1.36.2", &served, true).len(), 3, "no server runs rules of one's own types");
    }

    #[test]
    fn a_server_that_does_not_tell_is_not_one_that_serves_nothing() {
        let ids = ids(&["v1 ReplicationController"]);
        assert_eq!(served(&ids, |_| Ok(None)).unwrap_err(), "/apis is not there");
        assert_eq!(served(&ids, |_| Err("HTTP status 403".to_owned())).unwrap_err(), "HTTP status 403");
        assert_eq!(served(&ids, |_| Ok(Some(b"<html>".to_vec()))).unwrap_err(), "/apis lists nothing");
        let answers = answers();
        let broken = |path: &str| match path {
            "/apis" => Ok(answers.get(path).map(|value| value.to_string().into_bytes())),
            _ => Err("HTTP status 503".to_owned()),
        };
        assert_eq!(served(&ids, broken).unwrap_err(), "HTTP status 503");
    }
}
