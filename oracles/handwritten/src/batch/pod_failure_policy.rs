//! How a job deals with failed pods.

use crate::kind::Request;
use crate::names::label_key;
use crate::report::{not_supported, too_many};
use crate::types::batch::v1::{
    JobSpec, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

const RULES: usize = 20;
const CONDITIONS: usize = 20;
const EXIT_CODES: usize = 255;
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

/// Required, with the values as Go prints a list.
fn required_of(path: &Path<'_>, values: &[&str]) -> FieldError {
    let quoted: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    FieldError::required(path, format!("valid values: [{}]", quoted.join(" ")))
}

/// Checks the policy of the job `spec`.
pub(super) fn validate_pod_failure_policy(
    policy: &PodFailurePolicy,
    spec: &JobSpec,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("rules");
    if policy.rules.len() > RULES {
        errors.push(too_many(&at, policy.rules.len(), RULES));
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        validate_rule(rule, spec, request, &at.index(index), errors);
    }
}

fn validate_rule(
    rule: &PodFailurePolicyRule,
    spec: &JobSpec,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("action");
    match rule.action {
        "" => errors.push(required_of(&at, &ACTIONS)),
        "FailIndex" if spec.backoff_limit_per_index.is_none() => {
            errors.push(FieldError::invalid(&at, "FailIndex", "requires the backoffLimitPerIndex to be set"));
        }
        action if ACTIONS.contains(&action) => {}
        other => errors.push(not_supported(&at, other, &ACTIONS)),
    }
    if let Some(codes) = rule.on_exit_codes {
        validate_exit_codes(codes, spec, request, &path.child("onExitCodes"), errors);
    }
    let conditions = rule.on_pod_conditions.unwrap_or_default();
    validate_conditions(conditions, &path.child("onPodConditions"), errors);
    let detail = match (rule.on_exit_codes.is_some(), !conditions.is_empty()) {
        (true, true) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, false) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    errors.push(FieldError::invalid(path, BadValue::Hidden, detail));
}

fn validate_conditions(conditions: &[PodFailurePolicyOnPodConditionsPattern], path: &Path<'_>, errors: &mut ErrorList) {
    if conditions.len() > CONDITIONS {
        errors.push(too_many(path, conditions.len(), CONDITIONS));
    }
    for (index, condition) in conditions.iter().enumerate() {
        let at = path.index(index);
        for problem in label_key(condition.type_) {
            let error = FieldError::invalid(&at.child("type"), condition.type_, problem);
            errors.push(error.with_origin("format=qualified-name"));
        }
        let at = at.child("status");
        match condition.status {
            "" => errors.push(required_of(&at, &STATUSES)),
            status if STATUSES.contains(&status) => {}
            other => errors.push(not_supported(&at, other, &STATUSES)),
        }
    }
}

fn validate_exit_codes(
    codes: &PodFailurePolicyOnExitCodesRequirement,
    spec: &JobSpec,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("operator");
    match codes.operator {
        "" => errors.push(required_of(&at, &OPERATORS)),
        operator if OPERATORS.contains(&operator) => {}
        other => errors.push(not_supported(&at, other, &OPERATORS)),
    }
    if let Some(name) = codes.container_name {
        let pod = spec.template.spec;
        let mut containers =
            pod.into_iter().flat_map(|pod| pod.containers.iter().chain(pod.init_containers.into_iter().flatten()));
        if !containers.any(|container| container.name == name) {
            let detail = "must be one of the container or initContainer names in the pod template";
            errors.push(FieldError::invalid(&path.child("containerName"), name, detail));
        }
    }
    let at = path.child("values");
    let all = || if request.has_at(&at) { BadValue::json(codes.values.into()) } else { BadValue::Null };
    if codes.values.is_empty() {
        errors.push(FieldError::invalid(&at, all(), "at least one value is required"));
    } else if codes.values.len() > EXIT_CODES {
        errors.push(too_many(&at, codes.values.len(), EXIT_CODES));
    }
    for (index, code) in codes.values.iter().enumerate() {
        let at = at.index(index);
        if *code == 0 && codes.operator == "In" {
            errors.push(FieldError::invalid(&at, 0, "must not be 0 for the In operator"));
        }
        if codes.values.iter().take(index).any(|earlier| earlier == code) {
            errors.push(FieldError::duplicate(&at, *code));
        }
    }
    if !codes.values.is_sorted() {
        errors.push(FieldError::invalid(&at, all(), "must be ordered"));
    }
}
