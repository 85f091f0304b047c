//! Conditions that a request must fulfil, as expressions.

use crate::names::label_key;
use crate::report::too_many;
use crate::types::admissionregistration::v1::MatchCondition;
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Most conditions of a list.
const LIMIT: usize = 64;

/// Checks a list of conditions. The expressions are not compiled.
pub(super) fn validate_match_conditions(conditions: &[MatchCondition], path: &Path<'_>, errors: &mut ErrorList) {
    if conditions.len() > LIMIT {
        errors.push(too_many(path, conditions.len(), LIMIT));
    }
    let mut seen = BTreeSet::new();
    for (index, MatchCondition { name, expression }) in conditions.iter().enumerate() {
        let at = path.index(index);
        if expression.trim().is_empty() {
            errors.push(FieldError::required(&at.child("expression"), ""));
        }
        let at = at.child("name");
        if name.is_empty() {
            errors.push(FieldError::required(&at, ""));
            continue;
        }
        for problem in label_key(name) {
            errors.push(FieldError::invalid(&at, *name, problem).with_origin("format=qualified-name"));
        }
        if !seen.insert(name) {
            errors.push(FieldError::duplicate(&at, *name));
        }
    }
}

/// What [`validate_match_conditions`] leaves out of the conditions at the path pattern `list`.
pub(super) fn delegated(list: &str) -> Delegated {
    Delegated {
        path: format!("{list}[*].expression"),
        reason: "whether an expression compiles, to which type and at what cost only a CEL compiler can say".to_owned(),
    }
}
