//! Which kinds a run compares, and which are judged alone.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

use serde_json::json;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{ComparedBy, Semantics};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::release::Release;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_harness::wiring::Running;
use takeover_oracles::registry::Registry;
use takeover_oracles::wiring::wiring;

/// Those of the subjects with this many rules in the built-in types: some or none.
fn with_rules(registry: &Registry, subjects: impl Iterator<Item = SubjectId>, some: bool) -> Vec<String> {
    let rules = |id: &SubjectId| registry.pair(&id.clone().into()).unwrap().rules.len();
    subjects.filter(|id| (rules(id) > 0) == some).map(|id| id.to_string()).collect()
}

#[test]
fn what_a_run_compares_has_rules() {
    let registry = Registry::of_builtin().unwrap();
    assert_eq!(with_rules(&registry, registry.subjects(), false), [""; 0]);
    assert!(registry.subjects().count() > 50);
}

#[test]
fn what_is_listed_without_rules_has_none() {
    let registry = Registry::of_builtin().unwrap();
    assert_eq!(with_rules(&registry, registry.without_rules(), true), [""; 0]);
    assert!(registry.without_rules().any(|id| id == SubjectId::new("v1", "ConfigMap")));
}

/// How the releases serve and run a subject, and why 1.36 shows none of its rules.
fn wired(name: &str) -> (Vec<String>, Option<String>) {
    let registry = Registry::of_builtin().unwrap();
    let id = registry.find_any(name).unwrap().remove(0);
    let of = |release| wiring(&id, release).unwrap();
    let said =
        [Release::V1_35, Release::V1_36, Release::V1_37].map(of).map(|of| format!("{}, {}", of.serving, of.running));
    (said.to_vec(), Registry::obstacle(&id))
}

#[test]
fn every_reference_says_which_releases_serve_it_and_run_its_rules() {
    let registry = Registry::of_builtin().unwrap();
    for id in registry.subjects().chain(registry.without_rules()) {
        for release in [Release::V1_35, Release::V1_36, Release::V1_37] {
            assert!(wiring(&id, release).is_some(), "{id} {release}");
        }
    }
    for id in registry.subjects() {
        assert!(wiring(&id, Release::V1_36).unwrap().running != Running::Unknown, "{id}");
    }
    assert!(wiring(&SubjectId::new("batch/v2", "CronJob"), Release::V1_36).is_none());
}

#[test]
fn what_no_server_shows_is_told_from_what_one_shows() {
    for (name, said, obstacle) in [
        ("v1 ReplicationController/scale", ["by default, yes", "by default, yes", "by default, yes"], None),
        (
            "networking.k8s.io/v1beta1 IPAddress",
            ["when enabled, unknown", "when enabled, yes", "not since 1.37, yes"],
            None,
        ),
        (
            "certificates.k8s.io/v1beta1 CertificateSigningRequest/status",
            ["not since 1.22, yes", "not since 1.22, yes", "not since 1.22, yes"],
            Some("no longer served since 1.22"),
        ),
        (
            "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
            ["by default, no", "by default, no", "by default, yes"],
            Some("the strategy of 1.36 runs no declarative rules"),
        ),
    ] {
        assert_eq!(wired(name), (said.map(str::to_owned).to_vec(), obstacle.map(str::to_owned)), "{name}");
    }
    let registry = Registry::of_builtin().unwrap();
    let shown: Vec<String> = registry.shown().map(|id| id.to_string()).collect();
    assert!(shown.contains(&"resource.k8s.io/v1beta2 ResourceClaim".to_owned()), "{shown:?}");
    assert_eq!(shown.len(), 35, "{shown:?}");
    assert_eq!(Registry::left_out().count() + shown.len(), registry.subjects().count());
    assert!(shown.iter().all(|name| !name.contains("ClaimTemplate") && !name.contains("alpha")), "{shown:?}");
}

/// A pair of `v1 ReplicationController`, and what its reference says of a host alias whose address has a leading zero.
fn loose_address(registry: &Registry, name: &str) -> (Option<ComparedBy>, Vec<String>) {
    let id = PairId::named(SubjectId::new("v1", "ReplicationController"), name).unwrap();
    let pair = registry.pair(&id).unwrap();
    assert_eq!(pair.id, id);
    let object = json!({
        "apiVersion": "v1", "kind": "ReplicationController",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"selector": {"a": "b"}, "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}], "hostAliases": [{"ip": "10.0.0.01"}]},
        }},
    });
    let case = Case {
        operation: Operation::Create,
        object: Payload::from(object),
        old: None,
        options: Options::new(),
        provenance: Provenance::Fixture { path: String::new(), id: String::new() },
    };
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let _ = Judge::new(&pair).case(&case, &mut arena, &mut record);
    (Some(pair.comparator.name()), record.reference.errors.iter().map(ToString::to_string).collect())
}

#[test]
fn references_of_several_releases_stand_side_by_side() {
    let registry = Registry::of_builtin().unwrap();
    let compared = |name: &str| match loose_address(&registry, name).0 {
        Some(ComparedBy::Kubernetes { semantics, .. }) => Some(semantics),
        _ => None,
    };
    assert_eq!(["1.35", "1.36", "1.37"].map(compared), Semantics::ALL.map(Some));
    let refused = ["", "1.35", "1.36", "1.37"].map(|name| !loose_address(&registry, name).1.is_empty());
    assert_eq!(refused, [true, false, true, true]);
}

#[test]
fn a_pair_that_is_not_built_in_is_refused_by_name() {
    let registry = Registry::of_builtin().unwrap();
    for name in ["1.34", "webhook"] {
        let id = PairId::named(SubjectId::new("v1", "ReplicationController"), name).unwrap();
        let message = registry.pair(&id).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(&format!("`v1 ReplicationController#{name}`")), "{message}");
    }
}

#[test]
fn an_autoscaler_without_pods_switches_its_option_on() {
    let registry = Registry::of_builtin().unwrap();
    for (version, kept) in [("v1", 0), ("v2", 0), ("v2", 1)] {
        let id = SubjectId::new(format!("autoscaling/{version}"), "HorizontalPodAutoscaler");
        let pair = registry.pair(&id.clone().into()).unwrap();
        let autoscaler = |least: i32| {
            Payload::from(json!({"apiVersion": id.api_version, "kind": id.kind,
                "metadata": {"name": "a", "namespace": "n", "resourceVersion": "1"},
                "spec": {"minReplicas": least, "maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d"}}}))
        };
        let mut case = Case {
            operation: Operation::Update,
            object: autoscaler(-1),
            old: Some(autoscaler(kept)),
            options: Options::new(),
            provenance: Provenance::Fixture { path: String::new(), id: String::new() },
        };
        pair.define_options(&mut case.options);
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let _ = Judge::new(&pair).case(&case, &mut arena, &mut record);
        for answer in [&record.reference, &record.candidate] {
            let words: Vec<String> = answer.errors.iter().map(|error| error.detail.to_string()).collect();
            assert_eq!(
                words,
                [format!("must be greater than or equal to {}", 1 - i32::from(kept == 0))],
                "{version} {kept}"
            );
        }
    }
}
