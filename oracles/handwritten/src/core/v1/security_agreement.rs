//! Profiles that annotations and members of a pod give twice, and alike.

use super::pod_spec::containers_of;
use crate::labels::Labels;
use crate::types::core::v1::PodSpec;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APPARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";

/// What the members say, and the sort of profile that errors speak of.
struct Profile<'a> {
    sort: &'a str,
    kind: &'a str,
    file: Option<&'a str>,
    runtime: &'a [&'a str],
}

impl Profile<'_> {
    /// Compares the profile at `path` with an annotation.
    fn compare(&self, annotation: &str, path: &Path<'_>, errors: &mut ErrorList) {
        let file = annotation.strip_prefix("localhost/");
        let same_kind = match self.kind {
            "Unconfined" => annotation == "unconfined",
            "RuntimeDefault" => self.runtime.contains(&annotation),
            "Localhost" => file.is_some(),
            _ => true,
        };
        if !same_kind {
            let detail = format!("{} type in annotation and field must match", self.sort);
            errors.push(FieldError::forbidden(&path.child("type"), detail));
        } else if self.kind == "Localhost" && self.file != file {
            let detail = format!("{} profile in annotation and field must match", self.sort);
            errors.push(FieldError::forbidden(&path.child("localhostProfile"), detail));
        }
    }
}

/// Checks seccomp profiles of the pod and of its containers; `path` is that of the pod spec.
pub(super) fn validate_seccomp_agreement(
    annotations: &Labels,
    spec: &PodSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let runtime = &["runtime/default", "docker/default"];
    let of_pod = spec.security_context.and_then(|context| context.seccomp_profile);
    if let (Some(profile), Some(annotation)) = (of_pod, annotations.get(SECCOMP_POD)) {
        let (kind, file) = (profile.type_, profile.localhost_profile);
        let at = path.child("securityContext");
        Profile { sort: "seccomp", kind, file, runtime }.compare(annotation, &at.child("seccompProfile"), errors);
    }
    for (list, index, container) in containers_of(spec) {
        let profile = container.security_context.and_then(|context| context.seccomp_profile);
        let Some(profile) = profile else { continue };
        if let Some(annotation) = annotations.get(&format!("{SECCOMP_CONTAINER}{}", container.name)) {
            let (kind, file) = (profile.type_, profile.localhost_profile);
            let list = path.child(list);
            let at = list.index(index);
            let at = at.child("securityContext");
            Profile { sort: "seccomp", kind, file, runtime }.compare(annotation, &at.child("seccompProfile"), errors);
        }
    }
}

/// Checks AppArmor profiles of containers, which have that of the pod when they give none; `path` is that of the pod spec. On
/// Windows there are none.
pub(super) fn validate_apparmor_agreement(
    annotations: &Labels,
    spec: &PodSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if spec.os.is_some_and(|os| os.name == "windows") {
        return;
    }
    let of_pod = spec.security_context.and_then(|context| context.app_armor_profile);
    for (list, index, container) in containers_of(spec) {
        let own = container.security_context.and_then(|context| context.app_armor_profile);
        let Some(profile) = own.or(of_pod) else { continue };
        if let Some(annotation) = annotations.get(&format!("{APPARMOR_CONTAINER}{}", container.name)) {
            let (kind, file) = (profile.type_, profile.localhost_profile);
            let list = path.child(list);
            let at = list.index(index);
            let at = at.child("securityContext");
            let runtime = &["runtime/default"];
            Profile { sort: "apparmor", kind, file, runtime }.compare(annotation, &at.child("appArmorProfile"), errors);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::core::v1::{PodSecurityContext, SeccompProfile};

    #[test]
    fn annotation_and_field_agree_on_seccomp() {
        for (annotation, kind, file, expected) in [
            ("unconfined", "Unconfined", None, ""),
            ("docker/default", "RuntimeDefault", None, ""),
            ("localhost/a", "Localhost", Some("a"), ""),
            ("localhost/a", "Localhost", Some("b"), "securityContext.seccompProfile.localhostProfile"),
            ("localhost/a", "Unconfined", None, "securityContext.seccompProfile.type"),
            ("unconfined", "Localhost", Some("a"), "securityContext.seccompProfile.type"),
        ] {
            let annotations = [(SECCOMP_POD, annotation)];
            let profile = SeccompProfile { type_: kind, localhost_profile: file };
            let context = PodSecurityContext { seccomp_profile: Some(&profile), ..PodSecurityContext::default() };
            let spec = PodSpec { security_context: Some(&context), ..PodSpec::default() };
            let mut errors = ErrorList::new();
            validate_seccomp_agreement(&Labels::new(&annotations), &spec, &Path::ROOT, &mut errors);
            let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
            assert_eq!(found.join(" "), expected, "{annotation} {kind}");
        }
    }
}
