//! How a capacity that several claims share is requested.

use super::lists::{no_duplicates, within};
use crate::quantity::{bad_value, canonical, sum, whole};
use crate::report::Covered;
use crate::types::Quantity;
use crate::types::resource::v1::{CapacityRequestPolicy, CapacityRequestPolicyRange};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most values that requests may choose from.
const VALUE_LIMIT: usize = 10;

/// Checks the policy of a capacity of `all`: values to choose from, or a range.
pub(super) fn validate_policy(policy: &CapacityRequestPolicy, all: &Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    let values = policy.valid_values.unwrap_or_default();
    match (values, policy.valid_range) {
        ([], None) => {}
        ([], Some(range)) => match &policy.default {
            None => errors.push(FieldError::required(&path.child("default"), "required when validRange is defined")),
            Some(default) => validate_range(range, default, all, &path.child("validRange"), errors),
        },
        (_, None) => match &policy.default {
            None => errors.push(FieldError::required(&path.child("default"), "required when validValues is defined")),
            Some(default) => validate_values(values, default, all, &path.child("validValues"), errors),
        },
        (_, Some(_)) => {
            let detail = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same \
                          time";
            errors.push(FieldError::forbidden(path, detail));
        }
    }
}

fn validate_values(values: &[Quantity], default: &Quantity, all: &Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, (before, value)) in values.iter().zip(values.iter().skip(1)).enumerate() {
        if before.nanos() > value.nanos() {
            let at = path.index(index + 1);
            errors.push(FieldError::invalid(&at, bad_value(value), "values must be sorted in ascending order"));
        }
    }
    let mut has_default = false;
    if within(values.len(), VALUE_LIMIT, Covered::No, path, errors) {
        for (index, value) in values.iter().enumerate() {
            if value.nanos() > all.nanos() {
                let detail = format!("option is larger than capacity value: {}", canonical(all));
                errors.push(FieldError::invalid(&path.index(index), bad_value(value), detail));
            }
            has_default |= value.nanos() == default.nanos();
        }
        no_duplicates(values.iter().map(whole), |value| value.to_string().into(), Covered::No, path, errors);
    }
    if !has_default {
        let detail = "default value is not valid according to the requestPolicy";
        errors.push(FieldError::invalid(path, bad_value(default), detail));
    }
}

fn validate_range(
    range: &CapacityRequestPolicyRange,
    default: &Quantity,
    all: &Quantity,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at_min = path.child("min");
    let Some(min) = &range.min else {
        errors.push(FieldError::required(&at_min, "required when validRange is defined"));
        return;
    };
    let mut limit = |value: &Quantity, at: &Path<'_>, rule: &str, limit: &Quantity| {
        errors.push(FieldError::invalid(at, bad_value(value), format!("{rule}: {}", canonical(limit))));
    };
    if min.nanos() > all.nanos() {
        limit(min, &at_min, "min is larger than capacity value", all);
    }
    if default.nanos() < min.nanos() {
        limit(default, &at_min, "default is less than min", min);
    }
    if let Some(max) = &range.max {
        let at = path.child("max");
        if min.nanos() > max.nanos() {
            limit(min, &at, "min is larger than max", max);
        }
        if max.nanos() > all.nanos() {
            limit(max, &at, "max is larger than capacity value", all);
        }
        if default.nanos() > max.nanos() {
            limit(default, &at, "default is more than max", max);
        }
    }
    if let Some(step) = &range.step {
        let at = path.child("step");
        if min.nanos().saturating_add(step.nanos()) > all.nanos() {
            limit(step, &at, &format!("one step {} is larger than capacity value", sum(min, step)), all);
        }
        for value in std::iter::once(default).chain(&range.max) {
            validate_step(value, min, step, &at, errors);
        }
    }
}

/// From the minimum, whole steps lead to a value. A step of nothing leads nowhere, which nobody complains about: Kubernetes
/// divides by zero there.
fn validate_step(value: &Quantity, min: &Quantity, step: &Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    let distance = whole(value).wrapping_sub(whole(min));
    if distance.checked_rem(whole(step)).is_some_and(|rest| rest != 0) {
        let detail = format!("value is not a multiple of a given step ({}) from ({})", canonical(step), canonical(min));
        errors.push(FieldError::invalid(path, BadValue::from(canonical(value)), detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::of_text;
    use crate::types::read_json;
    use serde_json::json;

    #[test]
    fn requests_choose_from_values_or_within_a_range() {
        for (policy, expected) in [
            (json!({}), ""),
            (json!({"default": "1Gi"}), ""),
            (json!({"default": "1Gi", "validValues": ["1Gi", "2Gi"]}), ""),
            (json!({"default": "1Gi", "validValues": ["2Gi"]}), "validValues 1Gi: default value is not valid"),
            (json!({"validValues": ["2Gi"]}), "default : required when validValues is defined"),
            (
                json!({"default": "1Gi", "validValues": ["1Gi", "11Gi"]}),
                "validValues[1] 11Gi: option is larger than capacity value: 10Gi",
            ),
            (json!({"default": "1Gi", "validValues": ["2Gi", "1Gi"]}), "validValues[1] 1Gi: values must be sorted"),
            (json!({"default": "1Gi", "validValues": ["1Gi", "1024Mi"]}), "validValues[1] 1073741824: "),
            (
                json!({"default": "1Gi", "validValues": ["1Gi"], "validRange": {"min": "1Gi"}}),
                " : exactly one policy can be specified",
            ),
            (json!({"validRange": {"min": "1Gi"}}), "default : required when validRange is defined"),
            (json!({"default": "1Gi", "validRange": {"min": "1Gi", "max": "5Gi", "step": "2Gi"}}), ""),
            (
                json!({"default": "2Gi", "validRange": {"min": "1Gi", "step": "2Gi"}}),
                "validRange.step 2Gi: value is not a multiple of a given step (2Gi) from (1Gi)",
            ),
            (
                json!({"default": "1Gi", "validRange": {"min": "1Gi", "step": "10Gi"}}),
                "validRange.step 10Gi: one step 11Gi is larger than capacity value: 10Gi",
            ),
            (json!({"default": "1Gi", "validRange": {"min": "1Gi", "step": "0"}}), ""),
            (
                json!({"default": "1Gi", "validRange": {"max": "2Gi"}}),
                "validRange.min : required when validRange is defined",
            ),
        ] {
            let parsed = read_json::<CapacityRequestPolicy>(&policy);
            let mut errors = ErrorList::new();
            validate_policy(&parsed, &of_text("10Gi"), &Path::ROOT.child("p"), &mut errors);
            let found: Vec<_> = errors
                .iter()
                .map(|error| {
                    let field = error.field.trim_start_matches('p').trim_start_matches('.');
                    let value = error.bad_value.to_string();
                    format!("{field} {}: {}", value.trim_matches('"'), error.detail)
                })
                .collect();
            let first = found.first().map_or("", String::as_str);
            assert!(
                first.starts_with(expected) && found.len() == usize::from(!expected.is_empty()),
                "{policy}: {found:?}"
            );
        }
    }
}
