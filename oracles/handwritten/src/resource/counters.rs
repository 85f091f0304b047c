//! Sets of counters: those that devices of a slice share, and what a device takes of one.

use super::names::validate_short_name;
use crate::names::dns_label;
use crate::types::Map;
use crate::types::resource::v1::Counter;
use takeover_harness::error::{ErrorList, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Most counters of a set.
const COUNTER_LIMIT: usize = 32;

/// Checks a set of counters, which `member` names.
pub(super) fn validate_counter_set(
    name: &str,
    counters: Map<Counter>,
    member: &str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child(member);
    let from = errors.len();
    if name.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else {
        validate_short_name(name, &at, errors);
    }
    for error in errors.since_mut(from) {
        error.covered_by_declarative = true;
    }
    let at = path.child("counters");
    if counters.is_empty() {
        errors.push(FieldError::required(&at, ""));
    }
    if counters.len() > COUNTER_LIMIT {
        let detail = format!("must have at most {COUNTER_LIMIT} items");
        errors.push(FieldError::new(ErrorType::TooMany, &at, counters.len(), detail));
        return;
    }
    for name in counters.keys() {
        for problem in dns_label(name) {
            let error = FieldError::invalid(&at, name, problem);
            errors.push(error.with_origin("format=k8s-short-name").covered());
        }
    }
}
