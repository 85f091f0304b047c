//! How fast an autoscaler may scale.

use crate::quantity;
use crate::report::{NEGATIVE, not_supported};
use crate::types::autoscaling::v2::{HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscalerBehavior};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Longest period of a policy, in seconds.
const PERIOD_LIMIT: i32 = 1800;
/// Longest stabilization window, in seconds.
const WINDOW_LIMIT: i32 = 3600;

/// Checks the rules of both directions.
pub fn validate_behavior(behavior: Option<&HorizontalPodAutoscalerBehavior>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(behavior) = behavior else { return };
    validate_rules(behavior.scale_up, &path.child("scaleUp"), errors);
    validate_rules(behavior.scale_down, &path.child("scaleDown"), errors);
}

fn validate_rules(rules: Option<&HPAScalingRules>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(rules) = rules else { return };
    if let Some(seconds) = rules.stabilization_window_seconds {
        let at = path.child("stabilizationWindowSeconds");
        if seconds < 0 {
            errors.push(FieldError::invalid(&at, seconds, "must be greater than or equal to zero"));
        }
        if seconds > WINDOW_LIMIT {
            errors.push(FieldError::invalid(&at, seconds, format!("must be less than or equal to {WINDOW_LIMIT}")));
        }
    }
    if let Some(policy) = rules.select_policy
        && !["Disabled", "Max", "Min"].contains(&policy)
    {
        errors.push(not_supported(&path.child("selectPolicy"), policy, &["Disabled", "Max", "Min"]));
    }
    let policies = rules.policies.unwrap_or_default();
    let at = path.child("policies");
    if policies.is_empty() {
        errors.push(FieldError::required(&at, "must specify at least one Policy"));
    }
    for (index, policy) in policies.iter().enumerate() {
        validate_policy(policy, &at.index(index), errors);
    }
    if let Some(tolerance) = rules.tolerance.as_ref().filter(|tolerance| quantity::sign(tolerance).is_lt()) {
        errors.push(FieldError::invalid(&path.child("tolerance"), quantity::bad_value(tolerance), NEGATIVE));
    }
}

fn validate_policy(policy: &HPAScalingPolicy, path: &Path<'_>, errors: &mut ErrorList) {
    if !["Percent", "Pods"].contains(&policy.type_) {
        errors.push(not_supported(&path.child("type"), policy.type_, &["Percent", "Pods"]));
    }
    if policy.value <= 0 {
        errors.push(FieldError::invalid(&path.child("value"), policy.value, "must be greater than zero"));
    }
    let (seconds, at) = (policy.period_seconds, path.child("periodSeconds"));
    if seconds <= 0 {
        errors.push(FieldError::invalid(&at, seconds, "must be greater than zero"));
    }
    if seconds > PERIOD_LIMIT {
        errors.push(FieldError::invalid(&at, seconds, format!("must be less than or equal to {PERIOD_LIMIT}")));
    }
}
