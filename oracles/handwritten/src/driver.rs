//! Names of drivers, which storage and devices write alike.

use super::names::subdomain_caseless;
use super::report::{Covered, too_long};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Longest name of a driver, in bytes.
const LIMIT: usize = 63;

/// Checks the name of a driver: a DNS subdomain in any case. Only errors that a declarative rule reports too have an origin.
pub fn validate_driver_name(name: &str, covered: Covered, path: &Path<'_>, errors: &mut ErrorList) {
    let mut push = |error: FieldError, origin: &'static str| {
        errors.push(if covered == Covered::Yes { error.with_origin(origin).covered() } else { error });
    };
    if name.is_empty() {
        push(FieldError::required(path, ""), "");
        return;
    }
    if name.len() > LIMIT {
        push(too_long(path, LIMIT), "maxLength");
    }
    for problem in subdomain_caseless(name) {
        push(FieldError::invalid(path, name, problem), "format=k8s-long-name-caseless");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_subdomains_in_any_case_of_at_most_63_bytes() {
        let long = format!("{}.b", "a".repeat(62));
        for (name, covered, expected) in [
            ("Gpu.Example.com", Covered::Yes, None),
            ("\u{130}ntel.\u{212a}8s.io", Covered::Yes, None),
            ("", Covered::Yes, Some(("FieldValueRequired", "", ""))),
            (&long, Covered::Yes, Some(("FieldValueTooLong", "maxLength", "may not be more than 63 "))),
            (&long, Covered::No, Some(("FieldValueTooLong", "", "may not be more than 63 "))),
            (
                "a_B",
                Covered::Yes,
                Some(("FieldValueInvalid", "format=k8s-long-name-caseless", "a lowercase RFC 1123 sub")),
            ),
            ("a_B", Covered::No, Some(("FieldValueInvalid", "", "a lowercase RFC 1123 sub"))),
        ] {
            let mut errors = ErrorList::new();
            validate_driver_name(name, covered, &Path::ROOT.child("driver"), &mut errors);
            assert_eq!(errors.len(), usize::from(expected.is_some()), "{name}");
            for (error, (kind, origin, detail)) in errors.iter().zip(expected) {
                assert_eq!((error.error_type.api_name(), error.origin.as_ref()), (kind, origin), "{name}");
                assert!(error.detail.starts_with(detail), "{name}: {}", error.detail);
                assert_eq!(error.covered_by_declarative, covered == Covered::Yes, "{name}");
            }
        }
    }
}
