//! Names of signers: `<domain>/<path>`.

use crate::handwritten::names::{LABEL_LIMIT, Problems, SUBDOMAIN_LIMIT, dns_label, subdomain_name};
use crate::handwritten::report::too_long;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// The signer of requests of before signers had names.
pub(super) const LEGACY_UNKNOWN: &str = "kubernetes.io/legacy-unknown";
/// Longest path: a namespace, a dot and a name.
const PATH_LIMIT: usize = SUBDOMAIN_LIMIT + LABEL_LIMIT + 1;

/// Checks the name of a signer. Errors show the part that is wrong.
pub(super) fn validate_signer_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let (domain, rest) = match name.split_once('/') {
        Some((domain, rest)) if !rest.contains('/') => (domain, rest),
        _ => {
            let detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
            errors.push(FieldError::invalid(path, name, detail));
            return;
        }
    };
    if domain.len() > SUBDOMAIN_LIMIT {
        errors.push(too_long(path, SUBDOMAIN_LIMIT));
    }
    validate_labels(domain, dns_label, path, errors);
    if !domain.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        errors.push(FieldError::invalid(path, domain, detail));
    }
    validate_labels(rest, subdomain_name, path, errors);
    let limit = SUBDOMAIN_LIMIT + 1 + PATH_LIMIT;
    if name.len() > limit {
        errors.push(too_long(path, limit));
    }
}

/// Reports the first bad label between dots.
fn validate_labels(part: &str, check: fn(&str) -> Problems, path: &Path<'_>, errors: &mut ErrorList) {
    let bad = part.split('.').map(|label| (label, check(label))).find(|(_, problems)| !problems.is_empty());
    for (label, problem) in
        bad.iter().flat_map(|(label, problems)| problems.iter().map(move |problem| (label, problem)))
    {
        let label = BadValue::from(*label);
        errors.push(FieldError::invalid(path, part, format!("validating label {label}: {problem}")));
    }
}
