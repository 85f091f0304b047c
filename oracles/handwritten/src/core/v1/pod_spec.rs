//! The pod spec: all of it but what releases and gates change.

use super::container::{validate_containers, validate_init_containers};
use super::container_ports::validate_ports_on_host;
use super::container_resources::validate_pod_resources;
use super::container_security;
use super::names::qualified;
use super::pod::Pod;
use super::resources::{Pages, is_partial, validate_limits};
use super::scheduling::validate_scheduling;
use super::security::{forbid_on_windows, validate_security};
use super::tolerations::{Comparisons, validate_tolerations};
use super::volume::validate_volumes;
use super::windows::{each_context, forbid_on_linux, validate_host_process};
use crate::labels::validate_labels;
use crate::names::{Problems, dns_label, dns_subdomain_with_underscore, subdomain_name};
use crate::net::{Addresses, validate_ip};
use crate::report::{not_supported, text, too_long};
use crate::selector::SelectorValues;
use crate::types::core::v1::{
    Container, HostAlias, PodDNSConfig, PodResourceClaim, PodSchedulingGate, PodSchedulingGroup, PodSpec,
};
use serde_json::json;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Members of the pod spec that are not judged, with the reason. Checks that need them are not made elsewhere.
pub(super) const DELEGATED: [(&str, &str); 8] = [
    (
        "containers[*].env[*].valueFrom.fileKeyRef",
        "which files variables may come from depends on the release and feature gates",
    ),
    ("containers[*].restartPolicyRules", "which actions these rules may have depends on the release and feature gates"),
    ("initContainers[*].env[*].valueFrom.fileKeyRef", "the same as for containers"),
    ("initContainers[*].restartPolicyRules", "the same as for containers"),
    ("initContainers[*].resizePolicy", "which init containers can be resized depends on the release and feature gates"),
    ("ephemeralContainers[*]", "pod templates cannot have any, and that is checked"),
    (
        "volumes[*].projected.sources[*].podCertificate.maxExpirationSeconds",
        "pod certificates are off by default, and their maximum lifetime depends on the release",
    ),
    (
        "volumes[*].projected.sources[*].podCertificate.userAnnotations",
        "pod certificates are off by default, and which annotations are allowed depends on the release",
    ),
];

/// Most name servers of a resolver.
const NAMESERVER_LIMIT: usize = 3;
/// Bytes of a host's name.
const HOSTNAME_LIMIT: usize = 64;
/// Most search domains of a resolver.
const SEARCH_LIMIT: usize = 32;
/// Most bytes of all search domains, with a space between two.
const SEARCH_BYTES: usize = 2048;

/// Checks the judged members of a pod spec; `old` is the stored one on updates, whose addresses excuse nothing, and `values`
/// are those in selectors of pod affinity.
pub fn validate_pod_spec(
    spec: &PodSpec,
    old: Option<&PodSpec>,
    values: SelectorValues,
    addresses: Addresses,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if spec.termination_grace_period_seconds.is_none() {
        errors.push(FieldError::required(&path.child("terminationGracePeriodSeconds"), ""));
    }
    let stored = old.and_then(|old| old.volumes).unwrap_or_default();
    let volumes = validate_volumes(spec.volumes.unwrap_or_default(), stored, &path.child("volumes"), errors);
    one_of(text(spec.restart_policy), &["Always", "OnFailure", "Never"], &path.child("restartPolicy"), errors);
    let policy = text(spec.dns_policy);
    one_of(policy, &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], &path.child("dnsPolicy"), errors);
    validate_labels(spec.node_selector.as_ref(), &path.child("nodeSelector"), errors);
    validate_security(spec, old, &path.child("securityContext"), errors);
    validate_scheduling(spec, old, values, path, errors);
    validate_claims(spec.resource_claims.unwrap_or_default(), &path.child("resourceClaims"), errors);
    validate_dns_config(spec.dns_config, policy, addresses, &path.child("dnsConfig"), errors);
    validate_gates(spec, path, errors);
    if let Some(group) = spec.scheduling_group {
        validate_group(group, &path.child("schedulingGroup").child("podGroupName"), errors);
    }
    validate_host_process(spec, path, errors);
    let pages = if old.is_some_and(has_partial_pages) { Pages::Partial } else { Pages::Whole };
    let pod = Pod { spec, volumes, pages };
    validate_all_containers(&pod, path, errors);
    validate_host_users(spec, old, path, errors);
    validate_pod_names(spec, path, errors);
    validate_hostname_override(spec, path, errors);
    if let Some(seconds) = spec.active_deadline_seconds
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let detail = "must be between 1 and 2147483647, inclusive";
        errors.push(FieldError::invalid(&path.child("activeDeadlineSeconds"), seconds, detail));
    }
    let tolerations = spec.tolerations.unwrap_or_default();
    validate_tolerations(tolerations, Comparisons::of(old), &path.child("tolerations"), errors);
    let aliases = spec.host_aliases.unwrap_or_default();
    validate_host_aliases(aliases, addresses, &path.child("hostAliases"), errors);
    if let Some(policy) = spec.preemption_policy {
        one_of(policy, &["PreemptLowerPriority", "Never"], &path.child("preemptionPolicy"), errors);
    }
    if let Some(overhead) = &spec.overhead {
        validate_limits(overhead, pages, &path.child("overhead"), errors);
    }
    validate_os(spec, path, errors);
}

fn validate_all_containers(pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("containers");
    validate_containers(pod, &at, errors);
    validate_init_containers(pod, &path.child("initContainers"), errors);
    validate_pod_resources(pod, &path.child("resources"), errors);
    if pod.spec.host_network == Some(true) {
        validate_ports_on_host(pod.spec.containers, &at, errors);
    }
}

/// Whether any amount of huge pages in the pod is no multiple of the page: stored ones excuse new ones.
fn has_partial_pages(spec: &PodSpec) -> bool {
    let main = spec.containers.iter().map(|container| &container.resources);
    let init = spec.init_containers.into_iter().flatten().map(|container| &container.resources);
    let required = main.chain(init).flatten().flat_map(|required| [&required.limits, &required.requests]);
    required.chain([&spec.overhead]).flatten().flatten().any(|(name, amount)| is_partial(name, amount))
}

/// A text that is required and one of a set.
fn one_of(value: &str, supported: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if value.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if !supported.contains(&value) {
        errors.push(not_supported(path, value, supported));
    }
}

fn validate_pod_names(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    // `serviceAccount` is the old name of `serviceAccountName`.
    let account = match text(spec.service_account_name) {
        "" => text(spec.service_account),
        account => account,
    };
    let mut name = |member, value: &str, rule: fn(&str) -> Problems, origin: &'static str| {
        if value.is_empty() {
            return;
        }
        for problem in rule(value) {
            errors.push(FieldError::invalid(&path.child(member), value, problem).with_origin(origin));
        }
    };
    name("serviceAccountName", account, subdomain_name, "");
    name("nodeName", text(spec.node_name), subdomain_name, "");
    name("hostname", text(spec.hostname), dns_label, "format=k8s-short-name");
    name("subdomain", text(spec.subdomain), dns_label, "format=k8s-short-name");
    name("priorityClassName", text(spec.priority_class_name), subdomain_name, "");
    if let Some(class) = spec.runtime_class_name {
        for problem in subdomain_name(class) {
            errors.push(FieldError::invalid(&path.child("runtimeClassName"), class, problem));
        }
    }
}

/// The name that takes the place of the host's own.
fn validate_hostname_override(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(name) = spec.hostname_override else { return };
    let at = path.child("hostnameOverride");
    if spec.set_hostname_as_fqdn == Some(true) {
        errors.push(FieldError::forbidden(&at, "may not be specified when setHostnameAsFQDN is true"));
    }
    if spec.host_network == Some(true) {
        errors.push(FieldError::forbidden(&at, "may not be specified when hostNetwork is true"));
    }
    if name.len() > HOSTNAME_LIMIT {
        errors.push(too_long(&at, HOSTNAME_LIMIT));
    }
    for problem in subdomain_name(name) {
        errors.push(FieldError::invalid(&at, name, problem).with_origin("format=k8s-long-name"));
    }
}

fn validate_dns_config(
    config: Option<&PodDNSConfig>,
    policy: &str,
    addresses: Addresses,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(config) = config else {
        if policy == "None" {
            let detail = "must provide `dnsConfig` when `dnsPolicy` is None";
            errors.push(FieldError::required(path, detail));
        }
        return;
    };
    let servers = config.nameservers.unwrap_or_default();
    let at = path.child("nameservers");
    if servers.is_empty() && policy == "None" {
        let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        errors.push(FieldError::required(&at, detail));
        return;
    }
    if servers.len() > NAMESERVER_LIMIT {
        errors.push(FieldError::invalid(&at, texts(servers), "must not have more than 3 nameservers"));
    }
    for (index, server) in servers.iter().enumerate() {
        validate_ip(server, addresses, &at.index(index), errors);
    }
    let searches = config.searches.unwrap_or_default();
    let at = path.child("searches");
    if searches.len() > SEARCH_LIMIT {
        errors.push(FieldError::invalid(&at, texts(searches), "must not have more than 32 search paths"));
    }
    let bytes = searches.iter().map(|search| search.len()).sum::<usize>() + searches.len().saturating_sub(1);
    if bytes > SEARCH_BYTES {
        let detail = "must not have more than 2048 characters (including spaces) in the search list";
        errors.push(FieldError::invalid(&at, texts(searches), detail));
    }
    for (index, search) in searches.iter().enumerate().filter(|(_, search)| **search != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        for problem in dns_subdomain_with_underscore(search) {
            let error = FieldError::invalid(&at.index(index), search, problem);
            errors.push(error.with_origin("format=k8s-dns-subdomain-with-underscore"));
        }
    }
    let at = path.child("options");
    for (index, option) in config.options.into_iter().flatten().enumerate() {
        if text(option.name).is_empty() {
            errors.push(FieldError::required(&at.index(index), "must not be empty"));
        }
    }
}

fn validate_gates(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("readinessGates");
    for (index, gate) in spec.readiness_gates.into_iter().flatten().enumerate() {
        let at = at.index(index);
        qualified(gate.condition_type, &at.child("conditionType"), errors);
    }
    let at = path.child("schedulingGates");
    let gates = spec.scheduling_gates.unwrap_or_default();
    for (index, PodSchedulingGate { name }) in gates.iter().enumerate() {
        let at = at.index(index);
        qualified(name, &at, errors);
        if gates.iter().take(index).any(|gate| gate.name == *name) {
            errors.push(FieldError::duplicate(&at, *name));
        }
    }
}

/// Checks the group that a pod is scheduled with, which is a union of one member.
fn validate_group(group: &PodSchedulingGroup, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(name) = group.pod_group_name else {
        errors.push(FieldError::invalid(path, BadValue::Null, "must specify one of: `podGroupName`"));
        return;
    };
    for problem in subdomain_name(name) {
        errors.push(FieldError::invalid(path, name, problem));
    }
}

fn validate_claims(claims: &[PodResourceClaim], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, claim) in claims.iter().enumerate() {
        let at = path.index(index);
        let name = at.child("name");
        if claim.name.is_empty() {
            errors.push(FieldError::required(&name, ""));
        } else if claims.iter().take(index).any(|earlier| earlier.name == claim.name) {
            errors.push(FieldError::duplicate(&name, claim.name));
        } else {
            for problem in dns_label(claim.name) {
                let error = FieldError::invalid(&name, claim.name, problem);
                errors.push(error.with_origin("format=k8s-short-name"));
            }
        }
        let sources = [
            ("resourceClaimName", &claim.resource_claim_name),
            ("resourceClaimTemplateName", &claim.resource_claim_template_name),
        ];
        let detail = match sources.iter().filter(|(_, source)| source.is_some()).count() {
            0 => Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"),
            1 => None,
            _ => Some("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"),
        };
        if let Some(detail) = detail {
            let [(_, from_claim), (_, from_template)] = sources;
            // Kubernetes shows its internal form of the claim.
            let value = json!({
                "Name": claim.name, "ResourceClaimName": from_claim, "ResourceClaimTemplateName": from_template
            });
            errors.push(FieldError::invalid(&at, BadValue::json(value), detail));
        }
        for (member, source) in sources {
            for source in source.iter() {
                for problem in subdomain_name(source) {
                    errors.push(FieldError::invalid(&at.child(member), *source, problem));
                }
            }
        }
    }
}

/// A pod with users of its own can neither share the host's namespaces nor use raw devices. One that is stored with the host's
/// network or with devices keeps them.
fn validate_host_users(spec: &PodSpec, old: Option<&PodSpec>, path: &Path<'_>, errors: &mut ErrorList) {
    if spec.host_users != Some(false) {
        return;
    }
    const DETAIL: &str = "when `hostUsers` is false";
    let old = old.filter(|old| old.host_users == Some(false));
    let stored = old.is_some_and(|old| old.host_network == Some(true));
    // The last two paths are not the names of the members.
    for (member, set) in [
        ("hostNetwork", spec.host_network == Some(true) && !stored),
        ("HostPID", spec.host_pid == Some(true)),
        ("HostIPC", spec.host_ipc == Some(true)),
    ] {
        if set {
            errors.push(FieldError::forbidden(&path.child(member), DETAIL));
        }
    }
    if old.is_some_and(|old| containers_of(old).any(|(.., container)| has_devices(container))) {
        return;
    }
    for (list, index, _) in containers_of(spec).filter(|(.., container)| has_devices(container)) {
        errors.push(FieldError::forbidden(&path.child(list).index(index).child("volumeDevices"), DETAIL));
    }
}

fn has_devices(container: &Container) -> bool {
    container.volume_devices.is_some_and(|devices| !devices.is_empty())
}

/// The init and main containers of a pod, with the names of their lists and their places there.
pub(super) fn containers_of<'a>(spec: &PodSpec<'a>) -> impl Iterator<Item = (&'static str, usize, &'a Container<'a>)> {
    let init =
        spec.init_containers.into_iter().flatten().enumerate().map(|(index, one)| ("initContainers", index, one));
    init.chain(spec.containers.iter().enumerate().map(|(index, one)| ("containers", index, one)))
}

fn validate_host_aliases(aliases: &[HostAlias], addresses: Addresses, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, alias) in aliases.iter().enumerate() {
        let at = path.index(index);
        validate_ip(alias.ip, addresses, &at.child("ip"), errors);
        let names = at.child("hostnames");
        for (index, name) in alias.hostnames.into_iter().flatten().enumerate() {
            for problem in subdomain_name(name) {
                let error = FieldError::invalid(&names.index(index), *name, problem);
                errors.push(error.with_origin("format=k8s-long-name"));
            }
        }
    }
}

fn validate_os(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(os) = spec.os else { return };
    let at = path.child("os");
    match os.name {
        "" => errors.push(FieldError::required(&at.child("name"), "")),
        "linux" => forbid_on_linux(spec, path, errors),
        "windows" => {
            for (member, set) in [
                ("hostUsers", spec.host_users.is_some()),
                ("hostPID", spec.host_pid == Some(true)),
                ("hostIPC", spec.host_ipc == Some(true)),
                ("shareProcessNamespace", spec.share_process_namespace.is_some()),
            ] {
                if set {
                    errors.push(FieldError::forbidden(&path.child(member), "cannot be set for a windows pod"));
                }
            }
            if let Some(context) = spec.security_context {
                forbid_on_windows(context, &path.child("securityContext"), errors);
            }
            each_context(spec, path, |context, path| {
                if let Some(context) = context {
                    container_security::forbid_on_windows(context, path, errors);
                }
            });
        }
        other => errors.push(not_supported(&at, other, &["linux", "windows"])),
    }
}

fn texts(values: &[&str]) -> BadValue {
    BadValue::json(values.into())
}
