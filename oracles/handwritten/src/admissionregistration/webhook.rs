//! One webhook of a configuration.

use super::client_config::validate_client_config;
use super::match_conditions::validate_match_conditions;
use super::rules::validate_rule;
use crate::names::{old_dns_label, subdomain_name};
use crate::report::not_supported;
use crate::selector::{SelectorValues, validate_label_selector};
use crate::types::admissionregistration::v1::{MatchCondition, NamedRuleWithOperations, WebhookClientConfig};
use crate::types::meta::v1::LabelSelector;
use crate::types::view;
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

const FAILURE_POLICIES: [&str; 2] = ["Fail", "Ignore"];
const MATCH_POLICIES: [&str; 2] = ["Equivalent", "Exact"];
const REINVOCATION_POLICIES: [&str; 2] = ["IfNeeded", "Never"];
/// What a webhook may do beside its answer.
const HARMLESS: [&str; 2] = ["None", "NoneOnDryRun"];
/// What webhooks of older versions could say of that.
const SIDE_EFFECTS: [&str; 4] = ["None", "NoneOnDryRun", "Some", "Unknown"];
/// Versions of reviews that servers send.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

view! {
    /// A webhook that judges or changes objects.
    pub(super) struct Webhook<'a> {
        "name" => pub(super) name: &'a str,
        "clientConfig" => client_config: WebhookClientConfig<'a>,
        /// Never with names of objects.
        "rules" => rules: &'a [NamedRuleWithOperations<'a>],
        "failurePolicy" => failure_policy: Option<&'a str>,
        "matchPolicy" => match_policy: Option<&'a str>,
        "namespaceSelector" => namespace_selector: Option<&'a LabelSelector<'a>>,
        "objectSelector" => object_selector: Option<&'a LabelSelector<'a>>,
        "sideEffects" => side_effects: Option<&'a str>,
        "timeoutSeconds" => timeout_seconds: Option<i32>,
        "admissionReviewVersions" => admission_review_versions: &'a [&'a str],
        /// Only of one that changes objects.
        "reinvocationPolicy" => reinvocation_policy: Option<&'a str>,
        "matchConditions" => pub(super) match_conditions: Option<&'a [MatchCondition<'a>]>,
    }
}

/// What webhooks may do wrong because stored ones do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerated {
    pub(super) names_twice: bool,
    pub(super) conditions: bool,
    side_effects: bool,
    review_versions: bool,
    values: SelectorValues,
}

impl Tolerated {
    /// For new configurations.
    pub(super) const NOTHING: Self = Self {
        names_twice: false,
        conditions: false,
        side_effects: false,
        review_versions: false,
        values: SelectorValues::Checked,
    };

    /// What one stored webhook does excuses all new ones. Conditions are only fine as long as none of them changes.
    pub(super) fn of(new: &[Webhook], old: &[Webhook]) -> Self {
        let mut names = BTreeSet::new();
        let conditions = new.iter().map(|hook| hook.match_conditions);
        let bad = old.iter().any(Webhook::has_faulty_selector);
        Self {
            names_twice: !old.iter().all(|hook| names.insert(hook.name)),
            conditions: conditions.eq(old.iter().map(|hook| hook.match_conditions)),
            side_effects: !old.iter().all(Webhook::is_harmless),
            review_versions: old.iter().any(|hook| !hook.admission_review_versions.is_empty() && !hook.is_understood()),
            values: if bad { SelectorValues::Tolerated } else { SelectorValues::Checked },
        }
    }
}

impl Webhook<'_> {
    fn is_harmless(&self) -> bool {
        self.side_effects.is_some_and(|effects| HARMLESS.contains(&effects))
    }

    /// Whether a server speaks one of the versions.
    fn is_understood(&self) -> bool {
        self.admission_review_versions.iter().any(|version| REVIEW_VERSIONS.contains(version))
    }

    fn has_faulty_selector(&self) -> bool {
        let mut faults = ErrorList::new();
        for selector in [self.namespace_selector, self.object_selector] {
            validate_label_selector(selector, SelectorValues::Checked, &Path::ROOT, &mut faults);
        }
        !faults.is_empty()
    }
}

pub(super) fn validate_webhook(hook: &Webhook, tolerated: &Tolerated, path: &Path<'_>, errors: &mut ErrorList) {
    validate_name(hook.name, &path.child("name"), errors);
    let rules = path.child("rules");
    for (index, rule) in hook.rules.iter().enumerate() {
        validate_rule(rule, &rules.index(index), errors);
    }
    one_of(hook.failure_policy, &FAILURE_POLICIES, &path.child("failurePolicy"), errors);
    one_of(hook.match_policy, &MATCH_POLICIES, &path.child("matchPolicy"), errors);
    let effects: &[&str] = if tolerated.side_effects { &SIDE_EFFECTS } else { &HARMLESS };
    let at = path.child("sideEffects");
    if hook.side_effects.is_none() {
        errors.push(FieldError::required(&at, format!("must specify one of {}", effects.join(", "))));
    }
    one_of(hook.side_effects, effects, &at, errors);
    if let Some(seconds) = hook.timeout_seconds.filter(|seconds| !(1..=30).contains(seconds)) {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.push(FieldError::invalid(&path.child("timeoutSeconds"), seconds, detail));
    }
    for (selector, name) in [(hook.namespace_selector, "namespaceSelector"), (hook.object_selector, "objectSelector")] {
        validate_label_selector(selector, tolerated.values, &path.child(name), errors);
    }
    one_of(hook.reinvocation_policy, &REINVOCATION_POLICIES, &path.child("reinvocationPolicy"), errors);
    validate_client_config(&hook.client_config, &path.child("clientConfig"), errors);
    if !tolerated.conditions {
        let conditions = hook.match_conditions.unwrap_or_default();
        validate_match_conditions(conditions, &path.child("matchConditions"), errors);
    }
    validate_review_versions(hook, tolerated, &path.child("admissionReviewVersions"), errors);
}

/// A DNS subdomain of three labels at least.
fn validate_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let problems = subdomain_name(name);
    if !problems.is_empty() {
        errors.push(FieldError::invalid(path, name, problems.join(",")));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.push(FieldError::invalid(path, name, detail));
    }
}

fn one_of(value: Option<&str>, supported: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(value) = value.filter(|value| !supported.contains(value)) {
        errors.push(not_supported(path, value, supported));
    }
}

fn validate_review_versions(hook: &Webhook, tolerated: &Tolerated, path: &Path<'_>, errors: &mut ErrorList) {
    let versions = hook.admission_review_versions;
    let accepted = REVIEW_VERSIONS.join(", ");
    if versions.is_empty() {
        errors.push(FieldError::required(path, format!("must specify one of {accepted}")));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let at = path.index(index);
        if !seen.insert(version) {
            errors.push(FieldError::invalid(&at, *version, "duplicate version"));
            continue;
        }
        for problem in old_dns_label(version) {
            errors.push(FieldError::invalid(&at, *version, problem));
        }
    }
    if !tolerated.review_versions && !hook.is_understood() {
        let detail = format!("must include at least one of {accepted}");
        errors.push(FieldError::invalid(path, BadValue::json(versions.into()), detail));
    }
}
