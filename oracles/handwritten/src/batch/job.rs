//! The job that a CronJob makes.

use super::pod_failure_policy::validate_pod_failure_policy;
use super::success_policy::validate_success_policy;
use crate::core::v1::pod_template::validate_pod_template;
use crate::kind::Request;
use crate::report::{Covered, non_negative, not_supported, text, too_long};
use crate::selector::selector_form;
use crate::types::batch::v1::{JobSpec, JobTemplateSpec};
use serde_json::{Value, json};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most pods at a time, and most failed indexes, of an indexed job.
const INDEXED_LIMIT: i32 = 100_000;
/// The same for a job with more completions than that and a limit per index.
const INDEXED_HIGH_LIMIT: i32 = 10_000;
/// Longest name of a controller, in bytes.
const MANAGED_BY_LIMIT: usize = 63;
const NEEDS_INDEXED: &str = "requires indexed completion mode";

/// Checks a job template; `old` is the stored one on updates.
pub(super) fn validate_job_template(
    template: &JobTemplateSpec,
    old: Option<&JobTemplateSpec>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let none = JobSpec::default();
    let spec = template.spec.unwrap_or(&none);
    let path = path.child("spec");
    validate_job(spec, old.and_then(|old| old.spec), request, &path, errors);
    if spec.selector.is_some() {
        let value = selector_form(spec.selector);
        errors.push(FieldError::invalid(&path.child("selector"), value, "`selector` will be auto-generated"));
    }
    if spec.manual_selector == Some(true) {
        errors.push(not_supported(&path.child("manualSelector"), true, &["nil", "false"]));
    }
}

fn validate_job(spec: &JobSpec, old: Option<&JobSpec>, request: &Request<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    for (number, name) in [
        (spec.parallelism.map(i64::from), "parallelism"),
        (spec.completions.map(i64::from), "completions"),
        (spec.active_deadline_seconds, "activeDeadlineSeconds"),
        (spec.backoff_limit.map(i64::from), "backoffLimit"),
        (spec.ttl_seconds_after_finished.map(i64::from), "ttlSecondsAfterFinished"),
        (spec.backoff_limit_per_index.map(i64::from), "backoffLimitPerIndex"),
        (spec.max_failed_indexes.map(i64::from), "maxFailedIndexes"),
    ] {
        if let Some(number) = number {
            non_negative(number, &path.child(name), Covered::No, errors);
        }
    }
    if spec.max_failed_indexes.is_some() && spec.backoff_limit_per_index.is_none() {
        let detail = "when maxFailedIndexes is specified";
        errors.push(FieldError::required(&path.child("backoffLimitPerIndex"), detail));
    }
    if let Some(manager) = spec.managed_by {
        let at = path.child("managedBy");
        validate_manager(manager, &at, errors);
        if manager.len() > MANAGED_BY_LIMIT {
            errors.push(too_long(&at, MANAGED_BY_LIMIT));
        }
    }
    match spec.completion_mode {
        Some("Indexed") => validate_indexed(spec, path, errors),
        Some("NonIndexed") | None => {
            for (number, name) in
                [(spec.backoff_limit_per_index, "backoffLimitPerIndex"), (spec.max_failed_indexes, "maxFailedIndexes")]
            {
                if let Some(number) = number {
                    errors.push(FieldError::invalid(&path.child(name), number, NEEDS_INDEXED));
                }
            }
        }
        Some(other) => {
            errors.push(not_supported(&path.child("completionMode"), other, &["NonIndexed", "Indexed"]));
        }
    }
    if let Some(policy) = spec.pod_failure_policy {
        validate_pod_failure_policy(policy, spec, request, &path.child("podFailurePolicy"), errors);
    }
    validate_success(spec, request, path, errors);
    validate_replacement(spec, &path.child("podReplacementPolicy"), errors);
    validate_template(spec, old, request, &path.child("template"), errors);
}

/// A domain with a path: who else than the job controller looks after the job.
fn validate_manager(manager: &str, path: &Path<'_>, errors: &mut ErrorList) {
    use crate::names::subdomain_name;
    if manager.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let Some((host, rest)) = manager.split_once('/').filter(|(host, rest)| !host.is_empty() && !rest.is_empty()) else {
        let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        errors.push(FieldError::invalid(path, manager, detail));
        return;
    };
    for problem in subdomain_name(host) {
        errors.push(FieldError::invalid(path, host, problem));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    if !rest.bytes().all(plain) {
        let detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
        errors.push(FieldError::invalid(path, rest, detail));
    }
}

fn validate_indexed(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if spec.completions.is_none() {
        errors.push(FieldError::required(&path.child("completions"), "when completion mode is Indexed"));
    }
    let (parallelism, failed) = (path.child("parallelism"), path.child("maxFailedIndexes"));
    if let Some(number) = spec.parallelism.filter(|number| *number > INDEXED_LIMIT) {
        let detail = format!("must be less than or equal to {INDEXED_LIMIT} when completion mode is Indexed");
        errors.push(FieldError::invalid(&parallelism, number, detail));
    }
    if let Some(number) = spec.max_failed_indexes {
        if spec.completions.is_some_and(|completions| number > completions) {
            errors.push(FieldError::invalid(&failed, number, "must be less than or equal to completions"));
        }
        if number > INDEXED_LIMIT {
            errors.push(FieldError::invalid(&failed, number, format!("must be less than or equal to {INDEXED_LIMIT}")));
        }
    }
    let many = spec.completions.is_some_and(|completions| completions > INDEXED_LIMIT);
    if !many || spec.backoff_limit_per_index.is_none() {
        return;
    }
    let high = format!(
        "must be less than or equal to {INDEXED_HIGH_LIMIT} when completions are above {INDEXED_LIMIT} and used with backoff limit per index"
    );
    if spec.max_failed_indexes.is_none() {
        let detail = format!("must be specified when completions is above {INDEXED_LIMIT}");
        errors.push(FieldError::required(&failed, detail));
    }
    for (number, at) in [(spec.parallelism, &parallelism), (spec.max_failed_indexes, &failed)] {
        if let Some(number) = number.filter(|number| *number > INDEXED_HIGH_LIMIT) {
            errors.push(FieldError::invalid(at, number, high.clone()));
        }
    }
}

fn validate_success(spec: &JobSpec, request: &Request<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(policy) = spec.success_policy else { return };
    let at = path.child("successPolicy");
    if text(spec.completion_mode) == "Indexed" {
        validate_success_policy(policy, spec.completions, &at, errors);
        return;
    }
    // Go prints the internal form, which has no JSON names.
    let rules: Vec<Value> = policy
        .rules
        .iter()
        .map(|rule| json!({"SucceededIndexes": rule.succeeded_indexes, "SucceededCount": rule.succeeded_count}))
        .collect();
    let rules = if request.has_at(&at.child("rules")) { rules.into() } else { Value::Null };
    errors.push(FieldError::invalid(&at, BadValue::json(json!({"Rules": rules})), NEEDS_INDEXED));
}

fn validate_replacement(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(policy) = spec.pod_replacement_policy else { return };
    let supported: &[&str] =
        if spec.pod_failure_policy.is_some() { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    if !supported.contains(&policy) {
        errors.push(not_supported(path, policy, supported));
    }
}

/// The pod template, and a restart policy that ends.
fn validate_template(
    spec: &JobSpec,
    old: Option<&JobSpec>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_pod_template(&spec.template, old.map(|old| &old.template), request, path, errors);
    let policy = text(spec.template.spec.and_then(|spec| spec.restart_policy));
    let at = path.child("spec");
    let at = at.child("restartPolicy");
    match policy {
        "Never" => {}
        "OnFailure" if spec.pod_failure_policy.is_some() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(FieldError::invalid(&at, policy, detail));
        }
        "OnFailure" => {}
        "" | "Always" => errors.push(FieldError::required(&at, "valid values: \"OnFailure\", \"Never\"")),
        other => errors.push(not_supported(&at, other, &["OnFailure", "Never"])),
    }
}
