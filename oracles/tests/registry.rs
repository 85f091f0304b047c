//! Which kinds a run compares, and which are judged alone.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

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
