//! What API servers count of their own validations.

mod counters;
mod served;
mod watch;

use takeover_harness::release::Release;
use takeover_harness::subject::SubjectId;
use takeover_harness::wiring::Running;
use takeover_oracles::wiring::wiring;

pub(crate) use counters::less;
pub use counters::{ServerCounters, compared};
pub use watch::{ApiServer, ApiServerError, ApiServerSeen, ProcessSeen};

/// Whether an API server of this version (`v1.36.2`) may run the rules of a subject, and count its mismatches. Some strategies do not.
#[must_use]
pub(crate) fn runs_rules(version: &str, subject: &SubjectId) -> bool {
    let release = Release::of_version(version.trim_start_matches('v'));
    let wiring = release.ok().and_then(|release| wiring(subject, release));
    wiring.is_none_or(|wiring| wiring.running != Running::No)
}

#[cfg(test)]
mod tests {
    use super::runs_rules;
    use takeover_harness::subject::SubjectId;

    #[test]
    fn strategies_of_some_kinds_run_no_rules() {
        let binding = SubjectId::new("rbac.authorization.k8s.io/v1", "ClusterRoleBinding");
        let role = SubjectId::new("rbac.authorization.k8s.io/v1", "ClusterRole");
        assert!(!runs_rules("v1.36.2", &binding) && runs_rules("v1.37.0", &binding) && runs_rules("", &binding));
        assert!(runs_rules("v1.36.2+k3s1", &role));
    }
}
