//! What pods and containers say about Windows.

use crate::names::{LABEL_LIMIT, subdomain_name};
use crate::types::core::v1::{PodSpec, SecurityContext, WindowsSecurityContextOptions};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most bytes of a credential specification.
const CREDENTIAL_LIMIT: usize = 64 * 1024;
/// The first length that is too much for the domain of an account.
const DOMAIN_LIMIT: usize = 256;
/// Longest name of an account, without its domain.
const USER_LIMIT: usize = 104;
/// Longest NetBIOS name of a domain.
const NETBIOS_LIMIT: usize = 15;

/// Checks accounts and credentials; whether processes of the host are allowed is for the whole pod to say.
pub(super) fn validate_windows_options(
    options: &WindowsSecurityContextOptions,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(name) = options.gmsa_credential_spec_name {
        for problem in subdomain_name(name) {
            errors.push(FieldError::invalid(&path.child("gmsaCredentialSpecName"), name, problem));
        }
    }
    if let Some(text) = options.gmsa_credential_spec {
        let detail = match text.len() {
            0 => Some("gmsaCredentialSpec cannot be an empty string"),
            1..=CREDENTIAL_LIMIT => None,
            _ => Some("gmsaCredentialSpec size must be under 64 KiB"),
        };
        if let Some(detail) = detail {
            errors.push(FieldError::invalid(&path.child("gmsaCredentialSpec"), text, detail));
        }
    }
    if let Some(account) = options.run_as_user_name {
        validate_account(account, &path.child("runAsUserName"), errors);
    }
}

/// Checks an account, written as `domain\user` or `user`.
fn validate_account(account: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let mut refuse = |detail: &'static str| errors.push(FieldError::invalid(path, account, detail));
    if account.is_empty() {
        return refuse("runAsUserName cannot be an empty string");
    }
    if account.bytes().any(|byte| byte.is_ascii_control()) {
        return refuse("runAsUserName cannot contain control characters");
    }
    let (domain, user) = match account.split_once('\\') {
        Some((_, user)) if user.contains('\\') => {
            return refuse("runAsUserName cannot contain more than one backslash");
        }
        Some((domain, user)) => (Some(domain), user),
        None => (None, account),
    };
    if let Some(domain) = domain {
        if domain.len() >= DOMAIN_LIMIT {
            refuse("runAsUserName's Domain length must be under 256 characters");
        }
        if !is_netbios(domain) && !is_dns(domain) {
            refuse("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }
    if user.is_empty() {
        refuse("runAsUserName's User cannot be empty");
    } else if user.len() > USER_LIMIT {
        refuse("runAsUserName's User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.bytes().all(|byte| matches!(byte, b'.' | b' ')) {
        refuse("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        refuse("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
}

fn is_netbios(domain: &str) -> bool {
    let known = |letter: char| !matches!(letter, '\\' | '/' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    (1..=NETBIOS_LIMIT).contains(&domain.chars().count()) && !domain.starts_with('.') && domain.chars().all(known)
}

fn is_dns(domain: &str) -> bool {
    let edge = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    domain.split('.').all(|label| {
        label.len() <= LABEL_LIMIT
            && edge(label.bytes().next())
            && edge(label.bytes().next_back())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

/// Processes of the Windows host: all containers or none, and on the host's network.
pub(super) fn validate_host_process(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let pod = spec.security_context.and_then(|context| context.windows_options);
    let pod = pod.and_then(|options| options.host_process);
    let (mut all, mut host) = (0, 0);
    each_context(spec, path, |context, path| {
        let container = context.and_then(|context| context.windows_options);
        let container = container.and_then(|options| options.host_process);
        if let (Some(pod), Some(container)) = (pod, container)
            && pod != container
        {
            let detail = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            let at = path.child("windowsOptions");
            errors.push(FieldError::invalid(&at.child("hostProcess"), container, detail));
        }
        all += 1;
        if container.or(pod) == Some(true) {
            host += 1;
        }
    });
    if host == 0 {
        return;
    }
    if host != all {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.push(FieldError::invalid(path, "", detail));
    }
    if spec.host_network != Some(true) {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.push(FieldError::invalid(&path.child("hostNetwork"), false, detail));
    }
}

/// Reports what a pod for Linux must not say about Windows; `path` is that of the pod spec.
pub(super) fn forbid_on_linux(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    const DETAIL: &str = "windows options cannot be set for a linux pod";
    let at = path.child("securityContext");
    if spec.security_context.is_some_and(|context| context.windows_options.is_some()) {
        errors.push(FieldError::forbidden(&at.child("windowsOptions"), DETAIL));
    }
    each_context(spec, path, |context, path| {
        if context.is_some_and(|context| context.windows_options.is_some()) {
            errors.push(FieldError::forbidden(&path.child("windowsOptions"), DETAIL));
        }
    });
}

/// Hands the security context of every container to `check`, with its path below that of the pod spec.
pub(super) fn each_context(
    spec: &PodSpec,
    path: &Path<'_>,
    mut check: impl FnMut(Option<&SecurityContext>, &Path<'_>),
) {
    let init = spec.init_containers.into_iter().flatten().map(|container| container.security_context);
    let main = spec.containers.iter().map(|container| container.security_context);
    let ephemeral = spec.ephemeral_containers.into_iter().flatten().map(|container| container.security_context);
    let lists = init.enumerate().map(|(index, context)| ("initContainers", index, context));
    let lists = lists.chain(main.enumerate().map(|(index, context)| ("containers", index, context)));
    let lists = lists.chain(ephemeral.enumerate().map(|(index, context)| ("ephemeralContainers", index, context)));
    for (list, index, context) in lists {
        let at = path.child(list);
        let at = at.index(index);
        check(context, &at.child("securityContext"));
    }
}
