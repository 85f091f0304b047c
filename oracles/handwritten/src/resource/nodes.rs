//! From which nodes devices can be reached: what slices and devices say of it in the same way.

use crate::names::subdomain_name;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks a flag that is true or unset, and says whether it is true.
pub(super) fn validate_only_true(value: Option<bool>, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    if value == Some(false) {
        errors.push(FieldError::invalid(path, false, "must be either unset or set to true"));
    }
    value == Some(true)
}

/// Checks the name of a node.
pub(super) fn validate_node_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in subdomain_name(name) {
        errors.push(FieldError::invalid(path, name, problem));
    }
}
