//! The security context of containers, and what it says about Windows.

use super::security::{validate_apparmor, validate_id, validate_seccomp};
use super::windows::validate_windows_options;
use crate::report::{not_supported, text};
use crate::types::core::v1::{PodSpec, SecurityContext};
use serde_json::{Value, json};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks the security context of a container of this pod.
pub(super) fn validate_container_security(
    context: &SecurityContext,
    spec: &PodSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_id(context.run_as_user, &path.child("runAsUser"), errors);
    validate_id(context.run_as_group, &path.child("runAsGroup"), errors);
    validate_proc_mount(context.proc_mount, spec, &path.child("procMount"), errors);
    if let Some(profile) = context.seccomp_profile {
        validate_seccomp(profile, &path.child("seccompProfile"), errors);
    }
    if context.allow_privilege_escalation == Some(false) {
        let mut refuse = |conflict| {
            let detail = format!("cannot set `allowPrivilegeEscalation` to false and {conflict}");
            errors.push(FieldError::invalid(path, BadValue::json(internal(context)), detail));
        };
        if context.privileged == Some(true) {
            refuse("`privileged` to true");
        }
        let added = context.capabilities.iter().flat_map(|capabilities| capabilities.add.into_iter().flatten());
        for _ in added.filter(|capability| **capability == "CAP_SYS_ADMIN") {
            refuse("`capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    if let Some(options) = context.windows_options {
        validate_windows_options(options, &path.child("windowsOptions"), errors);
    }
    if let Some(profile) = context.app_armor_profile {
        validate_apparmor(profile, &path.child("appArmorProfile"), errors);
    }
}

fn validate_proc_mount(mount: Option<&str>, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    match mount {
        Some("Unmasked") if spec.host_users != Some(false) => {
            errors.push(FieldError::invalid(path, "Unmasked", "`hostUsers` must be false to use `Unmasked`"));
        }
        None | Some("Default" | "Unmasked") => {}
        Some(other) => errors.push(not_supported(path, other, &["Default", "Unmasked"])),
    }
}

/// Reports what containers of a pod for Windows must not set; `path` is that of a container's security context.
pub(super) fn forbid_on_windows(context: &SecurityContext, path: &Path<'_>, errors: &mut ErrorList) {
    for (member, set) in [
        ("appArmorProfile", context.app_armor_profile.is_some()),
        ("seLinuxOptions", context.se_linux_options.is_some()),
        ("seccompProfile", context.seccomp_profile.is_some()),
        ("capabilities", context.capabilities.is_some()),
        ("readOnlyRootFilesystem", context.read_only_root_filesystem.is_some()),
        ("privileged", context.privileged.is_some()),
        ("allowPrivilegeEscalation", context.allow_privilege_escalation.is_some()),
        ("procMount", context.proc_mount.is_some()),
        ("runAsUser", context.run_as_user.is_some()),
        ("runAsGroup", context.run_as_group.is_some()),
    ] {
        if set {
            errors.push(FieldError::forbidden(&path.child(member), "cannot be set for a windows pod"));
        }
    }
}

/// The context as Kubernetes shows it: its internal form, which has Go's names and all members.
fn internal(context: &SecurityContext) -> Value {
    let windows = context.windows_options.map(|options| {
        json!({
            "GMSACredentialSpecName": options.gmsa_credential_spec_name,
            "GMSACredentialSpec": options.gmsa_credential_spec,
            "RunAsUserName": options.run_as_user_name,
            "HostProcess": options.host_process,
        })
    });
    let selinux = context.se_linux_options.map(|options| {
        json!({
            "User": text(options.user),
            "Role": text(options.role),
            "Type": text(options.type_),
            "Level": text(options.level),
        })
    });
    let profile = |kind: &str, file: Option<&str>| json!({"Type": kind, "LocalhostProfile": file});
    json!({
        "Capabilities": context.capabilities.map(|set| json!({"Add": set.add, "Drop": set.drop})),
        "Privileged": context.privileged,
        "SELinuxOptions": selinux,
        "WindowsOptions": windows,
        "RunAsUser": context.run_as_user,
        "RunAsGroup": context.run_as_group,
        "RunAsNonRoot": context.run_as_non_root,
        "ReadOnlyRootFilesystem": context.read_only_root_filesystem,
        "AllowPrivilegeEscalation": context.allow_privilege_escalation,
        "ProcMount": context.proc_mount,
        "SeccompProfile": context.seccomp_profile.map(|it| profile(it.type_, it.localhost_profile)),
        "AppArmorProfile": context.app_armor_profile.map(|it| profile(it.type_, it.localhost_profile)),
    })
}
