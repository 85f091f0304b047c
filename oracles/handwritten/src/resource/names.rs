//! Names of drivers, pools, devices and requests, and of attributes and capacities.

use crate::driver::validate_driver_name;
use crate::names::{dns_label, subdomain_name};
use crate::report::{Covered, too_long};
use std::borrow::Cow;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Longest name of a pool, in bytes, whatever its number of parts.
const POOL_LIMIT: usize = 253;
/// Longest last part of a qualified name, in bytes.
const ID_LIMIT: usize = 32;
/// Bytes of a UUID as it must be written.
const UUID_LENGTH: usize = 36;
const IDENTIFIER_SHAPE: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric \
     characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
     '[A-Za-z_][A-Za-z0-9_]*')";
const UUID_FORM: &str = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

/// Marks the errors that were added since `from` as having a declarative twin, and gives them this origin.
fn amend(errors: &mut ErrorList, from: usize, origin: &'static str, covered: Covered) {
    for error in errors.since_mut(from) {
        error.origin = Cow::Borrowed(origin);
        error.covered_by_declarative |= covered == Covered::Yes;
    }
}

/// Checks the name of a pool: DNS subdomains, separated by slashes.
pub fn validate_pool_name(name: &str, covered: Covered, path: &Path<'_>, errors: &mut ErrorList) {
    let from = errors.len();
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        amend(errors, from, "", covered);
        return;
    }
    if name.len() > POOL_LIMIT {
        errors.push(too_long(path, POOL_LIMIT));
    }
    for part in name.split('/') {
        for problem in subdomain_name(part) {
            errors.push(FieldError::invalid(path, part, problem));
        }
    }
    amend(errors, from, "format=k8s-resource-pool-name", covered);
}

/// Checks the name of a device, a request or a counter: a DNS label.
pub fn validate_short_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in dns_label(name) {
        errors.push(FieldError::invalid(path, name, problem).with_origin("format=k8s-short-name"));
    }
}

/// Checks the name of an attribute or a capacity: an identifier, and a domain and a slash before it or not. A name of more than
/// two parts is not looked at, as in Kubernetes.
pub fn validate_qualified_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    match name.split_once('/') {
        None => validate_identifier(name, path, errors),
        Some((_, id)) if id.contains('/') => {}
        Some((domain, id)) => {
            if domain.is_empty() {
                errors.push(FieldError::invalid(path, "", "the domain must not be empty"));
            } else {
                validate_driver_name(domain, Covered::No, path, errors);
            }
            if id.is_empty() {
                errors.push(FieldError::invalid(path, "", "the name must not be empty"));
            } else {
                validate_identifier(id, path, errors);
            }
        }
    }
}

/// Checks the name of an attribute that must have a domain.
pub fn validate_fully_qualified_name(name: &str, covered: Covered, path: &Path<'_>, errors: &mut ErrorList) {
    let from = errors.len();
    validate_qualified_name(name, path, errors);
    if !name.contains('/') {
        let detail = "a fully qualified name must be a domain and a name separated by a slash";
        errors.push(FieldError::invalid(path, name, detail));
    }
    amend(errors, from, "format=k8s-resource-fully-qualified-name", covered);
}

fn validate_identifier(id: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if id.len() > ID_LIMIT {
        errors.push(too_long(path, ID_LIMIT));
    }
    let starts_well = id.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !starts_well || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        errors.push(FieldError::invalid(path, id, IDENTIFIER_SHAPE));
    }
}

/// Checks the identifier of a share of a device: a UUID in its usual form.
pub fn validate_share_id(id: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let detail = match uuid_problem(id) {
        Some(problem) => format!("error validating uid: {problem}"),
        None if id.len() == UUID_LENGTH && id.to_lowercase() == id => return,
        None => UUID_FORM.to_owned(),
    };
    errors.push(FieldError::invalid(path, id, detail).with_origin("format=k8s-uuid").covered());
}

/// Why `id` is no UUID in any of its forms: bare, with a URN prefix, in braces, or without hyphens. Lengths are in bytes.
fn uuid_problem(id: &str) -> Option<String> {
    let bytes = id.as_bytes();
    let hyphenated = |bytes: &[u8]| {
        bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let well_formed = match bytes.len() {
        UUID_LENGTH => hyphenated(bytes),
        32 => bytes.iter().all(u8::is_ascii_hexdigit),
        38 => match bytes {
            [b'{', inner @ .., b'}'] => hyphenated(inner),
            _ => return Some("invalid bracketed UUID format".to_owned()),
        },
        45 => {
            let (prefix, rest) = bytes.split_at(9);
            if !prefix.eq_ignore_ascii_case(b"urn:uuid:") {
                let prefix = String::from_utf8_lossy(prefix).into_owned();
                return Some(format!("invalid urn prefix: {}", BadValue::from(prefix)));
            }
            hyphenated(rest)
        }
        length => return Some(format!("invalid UUID length: {length}")),
    };
    (!well_formed).then(|| "invalid UUID format".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of one check, as type, origin and start of the detail.
    fn errors(check: impl FnOnce(&Path<'_>, &mut ErrorList)) -> Vec<String> {
        let mut errors = ErrorList::new();
        check(&Path::ROOT.child("x"), &mut errors);
        let line = |error: &FieldError| {
            let mark = if error.covered_by_declarative { "+" } else { "-" };
            let detail: String = error.detail.chars().take(24).collect();
            format!("{mark} {} {:?} {} {detail}", error.error_type.api_name(), error.origin, error.bad_value)
        };
        errors.iter().map(line).collect()
    }

    #[test]
    fn pools_are_subdomains_between_slashes() {
        let long = ["a".repeat(200).as_str(), "b".repeat(60).as_str()].join("/");
        let origin = "\"format=k8s-resource-pool-name\"";
        for (name, expected) in [
            ("node-1/gpus", vec![]),
            ("", vec!["- FieldValueRequired \"\" \"\" ".to_owned()]),
            (
                "a//B",
                vec![
                    format!("- FieldValueInvalid {origin} \"\" a lowercase RFC 1123 sub"),
                    format!("- FieldValueInvalid {origin} \"B\" a lowercase RFC 1123 sub"),
                ],
            ),
            (&long, vec![format!("- FieldValueTooLong {origin} \"<value omitted>\" may not be more than 253")]),
        ] {
            assert_eq!(errors(|path, errors| validate_pool_name(name, Covered::No, path, errors)), expected, "{name}");
        }
    }

    #[test]
    fn qualified_names_are_identifiers_with_or_without_a_domain() {
        let long = "a".repeat(33);
        for (name, expected) in [
            ("model", vec![]),
            ("gpu.example.com/model_2", vec![]),
            ("a/b/c", vec![]),
            ("", vec!["- FieldValueInvalid \"\" \"\" a valid C identifier mus"]),
            ("2d", vec!["- FieldValueInvalid \"\" \"2d\" a valid C identifier mus"]),
            (
                "/",
                vec![
                    "- FieldValueInvalid \"\" \"\" the domain must not be e",
                    "- FieldValueInvalid \"\" \"\" the name must not be emp",
                ],
            ),
            (
                "a_b/c-d",
                vec![
                    "- FieldValueInvalid \"\" \"a_b\" a lowercase RFC 1123 sub",
                    "- FieldValueInvalid \"\" \"c-d\" a valid C identifier mus",
                ],
            ),
            (&long, vec!["- FieldValueTooLong \"\" \"<value omitted>\" may not be more than 32 "]),
        ] {
            assert_eq!(errors(|path, errors| validate_qualified_name(name, path, errors)), expected, "{name}");
        }
        let origin = "\"format=k8s-resource-fully-qualified-name\"";
        assert_eq!(
            errors(|path, errors| validate_fully_qualified_name("2d", Covered::Yes, path, errors)),
            [
                format!("+ FieldValueInvalid {origin} \"2d\" a valid C identifier mus"),
                format!("+ FieldValueInvalid {origin} \"2d\" a fully qualified name m"),
            ]
        );
    }

    #[test]
    fn share_ids_are_uuids_in_lower_case() {
        let bare = "123e4567-e89b-12d3-a456-426614174000";
        for (id, expected) in [
            (bare.to_owned(), None),
            (bare.to_uppercase(), Some(UUID_FORM.to_owned())),
            (bare.replace('-', ""), Some(UUID_FORM.to_owned())),
            (format!("{{{bare}}}"), Some(UUID_FORM.to_owned())),
            (format!("URN:uuid:{bare}"), Some(UUID_FORM.to_owned())),
            (String::new(), Some("error validating uid: invalid UUID length: 0".to_owned())),
            (bare.replace("-12d3-", "x12d3-"), Some("error validating uid: invalid UUID format".to_owned())),
            (bare.replace('e', "g"), Some("error validating uid: invalid UUID format".to_owned())),
            (format!("[{bare}]"), Some("error validating uid: invalid bracketed UUID format".to_owned())),
            (format!("urn:guid:{bare}"), Some("error validating uid: invalid urn prefix: \"urn:guid:\"".to_owned())),
        ] {
            let mut errors = ErrorList::new();
            validate_share_id(&id, &Path::ROOT.child("x"), &mut errors);
            assert_eq!(errors.iter().next().map(|error| error.detail.clone().into_owned()), expected, "{id}");
        }
    }
}
