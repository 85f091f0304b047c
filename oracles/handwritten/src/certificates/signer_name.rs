//! Names of signers: `<domain>/<path>`.

use crate::names::{LABEL_LIMIT, Problems, SUBDOMAIN_LIMIT, dns_label, subdomain_name};
use crate::report::too_long;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// The signer of requests of before signers had names.
pub(super) const LEGACY_UNKNOWN: &str = "kubernetes.io/legacy-unknown";
/// Longest path: a namespace, a dot and a name.
const PATH_LIMIT: usize = SUBDOMAIN_LIMIT + LABEL_LIMIT + 1;

/// Checks the name of a signer. Errors show the part that is wrong.
pub fn validate_signer_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signers_have_a_domain_and_a_path() {
        let (long, longer) = ("a".repeat(253), "a".repeat(63));
        let large = [longer.as_str(); 4].join(".");
        for (name, found) in [
            ("example.com/signer", &[][..]),
            ("example.com/shop.web-1", &[]),
            (&format!("example.com/{longer}.{long}"), &[]),
            ("", &["Required value"]),
            ("example.com", &["must be a fully qualified domain"]),
            ("example.com/a/b", &["must be a fully qualified domain"]),
            ("example/signer", &["should be a domain with at least two segments"]),
            ("Example.com/signer", &["validating label \"Example\": a lowercase RFC 1123 label"]),
            ("example.com/", &["validating label \"\": a lowercase RFC 1123 subdomain"]),
            (&format!("{large}/a"), &["may not be more than 253 bytes"]),
            (&format!("example.com/{long}.{long}.{long}"), &["may not be more than 571 bytes"]),
        ] {
            let mut errors = ErrorList::new();
            validate_signer_name(name, &Path::ROOT.child("s"), &mut errors);
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(errors.len(), found.len(), "{name}: {errors:?}");
            assert!(errors.iter().zip(found).all(|(error, part)| error.contains(part)), "{name}: {errors:?}");
        }
    }
}
