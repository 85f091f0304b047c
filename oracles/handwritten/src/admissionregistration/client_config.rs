//! Where a webhook is.

use crate::names::subdomain_name;
use crate::ports::port_number;
use crate::types::admissionregistration::v1::{ServiceReference, WebhookClientConfig};
use crate::url::Url;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

const FORM: &str = "; desired format: https://host[/path]";

/// Checks that there is a URL or a service, and that one. The certificates in `caBundle` are anybody's guess until they are used.
pub(super) fn validate_client_config(config: &WebhookClientConfig, path: &Path<'_>, errors: &mut ErrorList) {
    match (config.url, config.service) {
        (Some(url), None) => validate_url(url, &path.child("url"), errors),
        (None, Some(service)) => validate_service(service, &path.child("service"), errors),
        _ => errors.push(FieldError::required(path, "exactly one of url or service is required")),
    }
}

fn validate_url(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(problem) => {
            let detail = format!("url must be a valid URL: {problem}{FORM}");
            errors.push(FieldError::required(path, detail));
            return;
        }
    };
    if url.scheme != "https" {
        let detail = format!("'https' is the only allowed URL scheme{FORM}");
        errors.push(FieldError::invalid(path, url.scheme, detail));
    }
    if !url.has_host {
        errors.push(FieldError::invalid(path, "", format!("host must be specified{FORM}")));
    }
    if let Some(user) = url.user {
        errors.push(FieldError::invalid(path, user, "user information is not permitted in the URL"));
    }
    if !url.fragment.is_empty() {
        errors.push(FieldError::invalid(path, url.fragment, "fragments are not permitted in the URL"));
    }
    if !url.query.is_empty() {
        errors.push(FieldError::invalid(path, url.query, "query parameters are not permitted in the URL"));
    }
}

/// A server takes name and namespace for each other: the error of a missing one stands at the other.
fn validate_service(service: &ServiceReference, path: &Path<'_>, errors: &mut ErrorList) {
    for (value, blamed) in [(service.namespace, "name"), (service.name, "namespace")] {
        if value.is_empty() {
            errors.push(FieldError::required(&path.child(blamed), ""));
        }
    }
    let port = service.port.unwrap_or(0);
    if let Some(problem) = port_number(port) {
        errors.push(FieldError::invalid(&path.child("port"), port, format!("port is not valid: {problem}")));
    }
    if let Some(route) = service.path {
        validate_route(route, &path.child("path"), errors);
    }
}

/// Checks the URL path of a service: segments that are DNS subdomains, of which the last may be empty.
fn validate_route(route: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let mut complain = |detail: String| errors.push(FieldError::invalid(path, route, detail));
    let segments = match route.as_bytes() {
        b"" | b"/" => return,
        b"//" => {
            complain("segment[0] may not be empty".to_owned());
            return;
        }
        // What stands first is cut off even when it is no slash.
        [first, segments @ ..] => {
            if *first != b'/' {
                complain("must start with a '/'".to_owned());
            }
            segments
        }
    };
    let segments = segments.strip_suffix(b"/").unwrap_or(segments);
    for (index, segment) in segments.split(|byte| *byte == b'/').enumerate() {
        if segment.is_empty() {
            complain(format!("segment[{index}] may not be empty"));
            continue;
        }
        for problem in subdomain_name(&String::from_utf8_lossy(segment)) {
            complain(format!("segment[{index}]: {problem}"));
        }
    }
}
