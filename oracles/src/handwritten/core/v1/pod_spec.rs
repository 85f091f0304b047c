//! The pod spec: all of it but what releases and gates change.

use super::container::{Pod, validate_containers, validate_init_containers};
use super::container_ports::validate_ports_on_host;
use super::container_resources::validate_pod_resources;
use super::container_security;
use super::resources::{Pages, is_partial, validate_limits};
use super::scheduling::validate_scheduling;
use super::security::{forbid_on_windows, validate_security};
use super::volume::validate_volumes;
use super::windows::{each_context, forbid_on_linux, validate_host_process};
use crate::handwritten::labels::{validate_label_key, validate_labels};
use crate::handwritten::names::{
    Problems, dns_label, dns_subdomain, dns_subdomain_with_underscore, label_key, label_value,
};
use crate::handwritten::net::{Addresses, validate_ip};
use crate::handwritten::report::{not_supported, text, too_long};
use k8s_openapi::api::core::v1::{HostAlias, PodDNSConfig, PodResourceClaim, PodSchedulingGate, PodSpec, Toleration};
use serde_json::{Value, json};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Members of the pod spec that are not judged, with the reason. Checks that need them are not made elsewhere.
pub(super) const DELEGATED: [(&str, &str); 9] = [
    (
        "containers[*].env[*].valueFrom.fileKeyRef",
        "releases and gates differ in the files that variables may come from",
    ),
    ("containers[*].restartPolicyRules", "releases and gates differ in the actions of these rules"),
    ("initContainers[*].env[*].valueFrom.fileKeyRef", "as containers"),
    ("initContainers[*].restartPolicyRules", "as containers"),
    ("initContainers[*].resizePolicy", "releases and gates differ in which init containers take new amounts"),
    ("ephemeralContainers[*]", "templates have none, which is judged"),
    (
        "volumes[*].projected.sources[*].podCertificate.maxExpirationSeconds",
        "certificates of pods are off by default, and releases differ in how long they may live",
    ),
    (
        "volumes[*].projected.sources[*].podCertificate.userAnnotations",
        "certificates of pods are off by default, and releases differ in what goes with a request",
    ),
    ("topologySpreadConstraints[*].matchLabelKeys", "releases and gates differ in what they merge and check"),
];

/// Most name servers of a resolver.
const NAMESERVER_LIMIT: usize = 3;
/// Bytes of a host's name.
const HOSTNAME_LIMIT: usize = 64;
/// Most search domains of a resolver.
const SEARCH_LIMIT: usize = 32;
/// Most bytes of all search domains, with a space between two.
const SEARCH_BYTES: usize = 2048;

/// Checks the judged members of a pod spec; `old` is the stored one on updates, whose addresses excuse nothing.
pub fn validate_pod_spec(
    spec: &PodSpec,
    old: Option<&PodSpec>,
    addresses: Addresses,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if spec.termination_grace_period_seconds.is_none() {
        errors.push(FieldError::required(&path.child("terminationGracePeriodSeconds"), ""));
    }
    let stored = old.and_then(|old| old.volumes.as_deref()).unwrap_or_default();
    let volumes = validate_volumes(spec.volumes.as_deref().unwrap_or_default(), stored, &path.child("volumes"), errors);
    one_of(text(spec.restart_policy.as_ref()), &["Always", "OnFailure", "Never"], &path.child("restartPolicy"), errors);
    let policy = text(spec.dns_policy.as_ref());
    one_of(policy, &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], &path.child("dnsPolicy"), errors);
    validate_labels(spec.node_selector.as_ref(), &path.child("nodeSelector"), errors);
    validate_security(spec, old, &path.child("securityContext"), errors);
    validate_scheduling(spec, old, path, errors);
    validate_claims(spec.resource_claims.as_deref().unwrap_or_default(), &path.child("resourceClaims"), errors);
    validate_dns_config(spec.dns_config.as_ref(), policy, addresses, &path.child("dnsConfig"), errors);
    validate_gates(spec, path, errors);
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
    validate_tolerations(spec.tolerations.as_deref().unwrap_or_default(), &path.child("tolerations"), errors);
    let aliases = spec.host_aliases.as_deref().unwrap_or_default();
    validate_host_aliases(aliases, addresses, &path.child("hostAliases"), errors);
    if let Some(policy) = &spec.preemption_policy {
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
        validate_ports_on_host(&pod.spec.containers, &at, errors);
    }
}

/// Whether any amount of huge pages in the pod is no multiple of the page: stored ones excuse new ones.
fn has_partial_pages(spec: &PodSpec) -> bool {
    let main = spec.containers.iter().map(|container| &container.resources);
    let init = spec.init_containers.iter().flatten().map(|container| &container.resources);
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
    let account = match text(spec.service_account_name.as_ref()) {
        "" => text(spec.service_account.as_ref()),
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
    name("serviceAccountName", account, dns_subdomain, "");
    name("nodeName", text(spec.node_name.as_ref()), dns_subdomain, "");
    name("hostname", text(spec.hostname.as_ref()), dns_label, "format=k8s-short-name");
    name("subdomain", text(spec.subdomain.as_ref()), dns_label, "format=k8s-short-name");
    name("priorityClassName", text(spec.priority_class_name.as_ref()), dns_subdomain, "");
    if let Some(class) = &spec.runtime_class_name {
        for problem in dns_subdomain(class) {
            errors.push(FieldError::invalid(&path.child("runtimeClassName"), class.as_str(), problem));
        }
    }
}

/// The name that takes the place of the host's own.
fn validate_hostname_override(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(name) = &spec.hostname_override else { return };
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
    for problem in dns_subdomain(name) {
        errors.push(FieldError::invalid(&at, name.as_str(), problem));
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
    let servers = config.nameservers.as_deref().unwrap_or_default();
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
    let searches = config.searches.as_deref().unwrap_or_default();
    let at = path.child("searches");
    if searches.len() > SEARCH_LIMIT {
        errors.push(FieldError::invalid(&at, texts(searches), "must not have more than 32 search paths"));
    }
    let bytes = searches.iter().map(String::len).sum::<usize>() + searches.len().saturating_sub(1);
    if bytes > SEARCH_BYTES {
        let detail = "must not have more than 2048 characters (including spaces) in the search list";
        errors.push(FieldError::invalid(&at, texts(searches), detail));
    }
    for (index, search) in searches.iter().enumerate().filter(|(_, search)| *search != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        for problem in dns_subdomain_with_underscore(search) {
            let error = FieldError::invalid(&at.index(index), search, problem);
            errors.push(error.with_origin("format=k8s-dns-subdomain-with-underscore"));
        }
    }
    let at = path.child("options");
    for (index, option) in config.options.iter().flatten().enumerate() {
        if text(option.name.as_ref()).is_empty() {
            errors.push(FieldError::required(&at.index(index), "must not be empty"));
        }
    }
}

fn validate_gates(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("readinessGates");
    for (index, gate) in spec.readiness_gates.iter().flatten().enumerate() {
        let at = at.index(index);
        qualified(&gate.condition_type, &at.child("conditionType"), errors);
    }
    let at = path.child("schedulingGates");
    let gates = spec.scheduling_gates.as_deref().unwrap_or_default();
    for (index, PodSchedulingGate { name }) in gates.iter().enumerate() {
        let at = at.index(index);
        qualified(name, &at, errors);
        if gates.iter().take(index).any(|gate| gate.name == *name) {
            errors.push(FieldError::duplicate(&at, name.as_str()));
        }
    }
}

/// Checks a name that may have a domain before it.
pub(super) fn qualified(value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in label_key(value) {
        errors.push(FieldError::invalid(path, value, problem).with_origin("format=qualified-name"));
    }
}

fn validate_claims(claims: &[PodResourceClaim], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, claim) in claims.iter().enumerate() {
        let at = path.index(index);
        let name = at.child("name");
        if claim.name.is_empty() {
            errors.push(FieldError::required(&name, ""));
        } else if claims.iter().take(index).any(|earlier| earlier.name == claim.name) {
            errors.push(FieldError::duplicate(&name, claim.name.as_str()));
        } else {
            for problem in dns_label(&claim.name) {
                let error = FieldError::invalid(&name, claim.name.as_str(), problem);
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
            errors.push(FieldError::invalid(&at, BadValue::Json(value), detail));
        }
        for (member, source) in sources {
            for source in source.iter() {
                for problem in dns_subdomain(source) {
                    errors.push(FieldError::invalid(&at.child(member), source.as_str(), problem));
                }
            }
        }
    }
}

/// A pod with users of its own cannot share the host's namespaces. One that is stored with the host's network keeps it.
fn validate_host_users(spec: &PodSpec, old: Option<&PodSpec>, path: &Path<'_>, errors: &mut ErrorList) {
    if spec.host_users != Some(false) {
        return;
    }
    let stored = old.is_some_and(|old| old.host_users == Some(false) && old.host_network == Some(true));
    for (member, set) in [
        ("hostNetwork", spec.host_network == Some(true) && !stored),
        ("hostPID", spec.host_pid == Some(true)),
        ("hostIPC", spec.host_ipc == Some(true)),
    ] {
        if set {
            errors.push(FieldError::forbidden(&path.child(member), "when `hostUsers` is false"));
        }
    }
}

/// Checks tolerations, of a spec or of an annotation.
pub fn validate_tolerations(tolerations: &[Toleration], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, toleration) in tolerations.iter().enumerate() {
        let at = path.index(index);
        let (key, operator) = (text(toleration.key.as_ref()), text(toleration.operator.as_ref()));
        let (value, effect) = (text(toleration.value.as_ref()), text(toleration.effect.as_ref()));
        let operator_at = at.child("operator");
        if !key.is_empty() {
            validate_label_key(key, &at.child("key"), errors);
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.push(FieldError::invalid(&operator_at, operator, detail));
        }
        if toleration.toleration_seconds.is_some() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(FieldError::invalid(&at.child("effect"), effect, detail));
        }
        match operator {
            "" | "Equal" => {
                let problems = label_value(value);
                if !problems.is_empty() {
                    errors.push(FieldError::invalid(&operator_at, value, problems.join(";")));
                }
            }
            "Exists" if value.is_empty() => {}
            "Exists" => {
                let detail = "value must be empty when `operator` is 'Exists'";
                errors.push(FieldError::invalid(&operator_at, value, detail));
            }
            "Lt" | "Gt" => errors.push(not_supported(&operator_at, operator, &["Equal", "Exists", "Lt", "Gt"])),
            _ => errors.push(not_supported(&operator_at, operator, &["Equal", "Exists"])),
        }
        if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
            let supported = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
            errors.push(not_supported(&at.child("effect"), effect, &supported));
        }
    }
}

fn validate_host_aliases(aliases: &[HostAlias], addresses: Addresses, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, alias) in aliases.iter().enumerate() {
        let at = path.index(index);
        validate_ip(&alias.ip, addresses, &at.child("ip"), errors);
        let names = at.child("hostnames");
        for (index, name) in alias.hostnames.iter().flatten().enumerate() {
            for problem in dns_subdomain(name) {
                let error = FieldError::invalid(&names.index(index), name.as_str(), problem);
                errors.push(error.with_origin("format=k8s-long-name"));
            }
        }
    }
}

fn validate_os(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(os) = &spec.os else { return };
    let at = path.child("os");
    match os.name.as_str() {
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
            if let Some(context) = &spec.security_context {
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

fn texts(values: &[String]) -> BadValue {
    BadValue::Json(values.iter().map(|value| Value::String(value.clone())).collect())
}
