//! The security context of a whole pod.

use super::local_path::validate_local_path;
use super::windows::validate_windows_options;
use crate::report::{not_supported, text, too_long};
use crate::types::core::v1::{AppArmorProfile, PodSecurityContext, PodSpec, SeccompProfile, Sysctl};
use serde_json::json;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Longest name of a kernel parameter.
const SYSCTL_LIMIT: usize = 253;
/// Kernel parameters of the IPC namespace, without `kernel.`.
const IPC_PARAMETERS: [&str; 10] =
    ["sem", "shm", "shmall", "shmmax", "shmmni", "shm_rmid_forced", "msg", "msgmax", "msgmnb", "msgmni"];
/// Longest path of an AppArmor profile.
const PROFILE_LIMIT: usize = 4095;

/// Checks the pod's security context; `old` is the stored spec on updates.
pub(super) fn validate_security(spec: &PodSpec, old: Option<&PodSpec>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(context) = spec.security_context else { return };
    for (member, id) in
        [("fsGroup", context.fs_group), ("runAsUser", context.run_as_user), ("runAsGroup", context.run_as_group)]
    {
        validate_id(id, &path.child(member), errors);
    }
    let groups = path.child("supplementalGroups");
    for (index, id) in context.supplemental_groups.into_iter().flatten().enumerate() {
        validate_id(Some(*id), &groups.index(index), errors);
    }
    if spec.share_process_namespace == Some(true) && spec.host_pid == Some(true) {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.push(FieldError::invalid(&path.child("shareProcessNamespace"), true, detail));
    }
    validate_sysctls(spec, context, old, &path.child("sysctls"), errors);
    for (member, policy, supported) in [
        ("fsGroupChangePolicy", &context.fs_group_change_policy, &["Always", "OnRootMismatch"] as &[&str]),
        ("supplementalGroupsPolicy", &context.supplemental_groups_policy, &["Merge", "Strict"]),
        ("seLinuxChangePolicy", &context.se_linux_change_policy, label_changes(old)),
    ] {
        if let Some(policy) = policy.as_deref().filter(|policy| !supported.contains(policy)) {
            errors.push(not_supported(&path.child(member), policy, supported));
        }
    }
    if let Some(profile) = context.seccomp_profile {
        validate_seccomp(profile, &path.child("seccompProfile"), errors);
    }
    if let Some(options) = context.windows_options {
        validate_windows_options(options, &path.child("windowsOptions"), errors);
    }
    if let Some(profile) = context.app_armor_profile {
        validate_apparmor(profile, &path.child("appArmorProfile"), errors);
    }
}

/// Reports what a pod for Windows must not set in its security context.
pub(super) fn forbid_on_windows(context: &PodSecurityContext, path: &Path<'_>, errors: &mut ErrorList) {
    for (member, set) in [
        ("appArmorProfile", context.app_armor_profile.is_some()),
        ("seLinuxOptions", context.se_linux_options.is_some()),
        ("seccompProfile", context.seccomp_profile.is_some()),
        ("fsGroup", context.fs_group.is_some()),
        ("fsGroupChangePolicy", context.fs_group_change_policy.is_some()),
        ("sysctls", context.sysctls.is_some_and(|sysctls| !sysctls.is_empty())),
        ("runAsUser", context.run_as_user.is_some()),
        ("runAsGroup", context.run_as_group.is_some()),
        ("supplementalGroups", context.supplemental_groups.is_some()),
        ("supplementalGroupsPolicy", context.supplemental_groups_policy.is_some()),
        ("seLinuxChangePolicy", context.se_linux_change_policy.is_some()),
    ] {
        if set {
            errors.push(FieldError::forbidden(&path.child(member), "cannot be set for a windows pod"));
        }
    }
}

/// How a volume may get its SELinux label: by a mount option only where the stored pod says so, as the gate is off by default.
fn label_changes(old: Option<&PodSpec>) -> &'static [&'static str] {
    let stored = old.and_then(|old| old.security_context).and_then(|old| old.se_linux_change_policy);
    if stored.is_some() { &["MountOption", "Recursive"] } else { &["Recursive"] }
}

/// Checks the number of a user or group.
pub(super) fn validate_id(id: Option<i64>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(id) = id.filter(|id| !(0..=i64::from(i32::MAX)).contains(id)) {
        errors.push(FieldError::invalid(path, id, "must be between 0 and 2147483647, inclusive"));
    }
}

fn validate_sysctls(
    spec: &PodSpec,
    context: &PodSecurityContext,
    old: Option<&PodSpec>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let sysctls = context.sysctls.unwrap_or_default();
    let stored = old.is_some_and(|old| {
        let context = old.security_context;
        context
            .and_then(|context| context.sysctls)
            .into_iter()
            .flatten()
            .any(|sysctl| host_conflict(sysctl, old).is_some())
    });
    for (index, sysctl) in sysctls.iter().enumerate() {
        let at = path.index(index);
        let (at, name) = (at.child("name"), sysctl.name);
        if name.is_empty() {
            errors.push(FieldError::required(&at, ""));
        } else if !is_sysctl(name) {
            let detail = "must have at most 253 characters and match regex \
                          ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            errors.push(FieldError::invalid(&at, name, detail));
        } else if sysctls.iter().take(index).any(|earlier| earlier.name == name) {
            errors.push(FieldError::duplicate(&at, name));
        }
        if let Some(detail) = host_conflict(sysctl, spec).filter(|_| !stored) {
            errors.push(FieldError::invalid(&at, name, detail));
        }
    }
}

/// Segments of lower-case letters, digits and inner `-` or `_`, parted by dots or slashes.
fn is_sysctl(name: &str) -> bool {
    let letter = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= SYSCTL_LIMIT
        && name.split(['.', '/']).all(|segment| {
            letter(segment.bytes().next())
                && letter(segment.bytes().next_back())
                && segment.bytes().all(|byte| letter(Some(byte)) || matches!(byte, b'-' | b'_'))
        })
}

/// A parameter of a namespace that the pod shares with its host.
fn host_conflict(sysctl: &Sysctl, spec: &PodSpec) -> Option<&'static str> {
    // A name may be written with slashes; the first separator tells which way round it is.
    let name = sysctl.name;
    let first = name.find(['.', '/']).and_then(|at| name.as_bytes().get(at));
    let separator = if first == Some(&b'/') { '/' } else { '.' };
    // A star stands for all parameters that go on from there.
    let known = name.split_once('*').map_or(name, |(known, _)| known);
    let (area, rest) = known.split_once(separator)?;
    let of_ipc = match area {
        "kernel" => IPC_PARAMETERS.contains(&rest),
        "fs" => rest.strip_prefix("mqueue").is_some_and(|rest| rest.starts_with(separator)),
        _ => false,
    };
    if area == "net" && spec.host_network == Some(true) {
        Some("may not be specified when 'hostNetwork' is true")
    } else if of_ipc && spec.host_ipc == Some(true) {
        Some("may not be specified when 'hostIPC' is true")
    } else {
        None
    }
}

/// Checks a seccomp profile.
pub(super) fn validate_seccomp(profile: &SeccompProfile, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("type");
    match profile.type_ {
        "Localhost" | "RuntimeDefault" | "Unconfined" => {}
        "" => errors.push(FieldError::required(&at, "type is required when seccompProfile is set")),
        other => errors.push(not_supported(&at, other, &["Localhost", "RuntimeDefault", "Unconfined"])),
    }
    let at = path.child("localhostProfile");
    match (&profile.localhost_profile, profile.type_ == "Localhost") {
        (None, true) => errors.push(FieldError::required(&at, "must be set when seccomp type is Localhost")),
        (Some(file), true) => validate_local_path(file, &at, errors),
        (Some(file), false) => {
            let value = BadValue::json(json!({"Type": profile.type_, "LocalhostProfile": file}));
            errors.push(FieldError::invalid(&at, value, "can only be set when seccomp type is Localhost"));
        }
        (None, false) => {}
    }
}

/// Checks an AppArmor profile.
pub(super) fn validate_apparmor(profile: &AppArmorProfile, path: &Path<'_>, errors: &mut ErrorList) {
    const UNSET: &str = "must be set when AppArmor type is Localhost";
    let at = path.child("localhostProfile");
    let file = text(profile.localhost_profile);
    match (profile.type_, profile.localhost_profile) {
        ("Localhost", None) => errors.push(FieldError::required(&at, UNSET)),
        ("Localhost", Some(_)) => {
            if file.trim() != file {
                errors.push(FieldError::invalid(&at, file, "must not be padded with whitespace"));
            } else if file.is_empty() {
                errors.push(FieldError::required(&at, UNSET));
            }
            if file.len() > PROFILE_LIMIT {
                errors.push(too_long(&at, PROFILE_LIMIT));
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(_)) => {
            errors.push(FieldError::invalid(&at, file, "can only be set when AppArmor type is Localhost"));
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => {
            errors.push(FieldError::required(&path.child("type"), "type is required when appArmorProfile is set"));
        }
        (other, _) => {
            let supported = ["Localhost", "RuntimeDefault", "Unconfined"];
            errors.push(not_supported(&path.child("type"), other, &supported));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn lines(spec: &Value, old: Option<&Value>) -> Vec<String> {
        let typed = |value: &Value| crate::types::read_json::<PodSpec<'_>>(value);
        let mut errors = ErrorList::new();
        validate_security(&typed(spec), old.map(typed).as_ref(), &Path::ROOT, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_member_of_a_security_context_has_its_rule() {
        let range = "must be between 0 and 2147483647, inclusive";
        for (context, expected) in [
            (json!({"fsGroup": 0, "runAsUser": 2_147_483_647_i64}), vec![]),
            (json!({"fsGroup": -1}), vec![format!("fsGroup: Invalid value: -1: {range}")]),
            (json!({"supplementalGroups": [1, -1]}), vec![format!("supplementalGroups[1]: Invalid value: -1: {range}")]),
            (
                json!({"fsGroupChangePolicy": "X"}),
                vec!["fsGroupChangePolicy: Unsupported value: \"X\": supported values: \"Always\", \"OnRootMismatch\"".into()],
            ),
            (json!({"sysctls": [{"name": "a.b/c-d", "value": ""}]}), vec![]),
            (json!({"sysctls": [{"name": "", "value": ""}]}), vec!["sysctls[0].name: Required value".into()]),
            (
                json!({"sysctls": [{"name": "a", "value": ""}, {"name": "a", "value": ""}]}),
                vec!["sysctls[1].name: Duplicate value: \"a\"".into()],
            ),
            (json!({"seccompProfile": {"type": "Localhost", "localhostProfile": "a"}}), vec![]),
            (
                json!({"seccompProfile": {"type": "", "localhostProfile": "a"}}),
                vec![
                    "seccompProfile.type: Required value: type is required when seccompProfile is set".into(),
                    "seccompProfile.localhostProfile: Invalid value: {\"LocalhostProfile\":\"a\",\"Type\":\"\"}: can only be \
                     set when seccomp type is Localhost"
                        .into(),
                ],
            ),
            (
                json!({"appArmorProfile": {"type": "Localhost", "localhostProfile": " a"}}),
                vec!["appArmorProfile.localhostProfile: Invalid value: \" a\": must not be padded with whitespace".into()],
            ),
            (
                json!({"appArmorProfile": {"type": "Localhost"}}),
                vec!["appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost".into()],
            ),
        ] {
            assert_eq!(lines(&json!({"securityContext": context}), None), expected, "{context}");
        }
    }

    #[test]
    fn kernel_parameters_of_shared_namespaces_are_refused_unless_stored() {
        let spec = |name: &str| json!({"hostIPC": true, "hostNetwork": true, "securityContext": {"sysctls": [{"name": name, "value": "1"}]}});
        for (name, refused) in [
            ("net.core.somaxconn", true),
            ("net/core/somaxconn", true),
            ("kernel.sem", true),
            ("kernel.shmmax", true),
            ("fs.mqueue.msg_max", true),
            ("kernel.semantics", false),
            ("vm.swappiness", false),
        ] {
            assert_eq!(lines(&spec(name), None).len(), usize::from(refused), "{name}");
            assert_eq!(lines(&spec(name), Some(&spec("kernel.sem"))), [""; 0], "{name}");
        }
    }
}
