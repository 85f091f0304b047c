//! PriorityLevelConfiguration: the checks, and `v1`, whose form they judge.

use super::defaults::{KEEP_ZERO_SHARES, default_level};
use super::queuing::validate_response;
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::prepare::count_spec_changes;
use crate::report::{not_supported, text};
use crate::types::flowcontrol::v1::{
    ExemptPriorityLevelConfiguration, LimitResponse, LimitedPriorityLevelConfiguration, PriorityLevelConfiguration,
    PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, ErrorType, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::path::Path;

/// Judges PriorityLevelConfigurations as a Kubernetes 1.36 server does: an update as a creation of the new object.
#[derive(Clone, Copy, Debug)]
pub struct PriorityLevels;

/// How levels are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// What a level gets of the server.
pub(super) const SHARES: &str = "nominalConcurrencyShares";
/// The level that is never limited. It is fixed but for its shares.
const EXEMPT: &str = "exempt";
/// The level of requests that no other one takes. It is fixed.
const CATCH_ALL: &str = "catch-all";
/// What it is fixed to.
const CATCH_ALL_SPEC: PriorityLevelConfigurationSpec<'static> = PriorityLevelConfigurationSpec {
    type_: "Limited",
    limited: Some(&LimitedPriorityLevelConfiguration {
        nominal_concurrency_shares: Some(5),
        limit_response: Some(&LimitResponse { type_: "Reject", queuing: None }),
        lendable_percent: Some(0),
        borrowing_limit_percent: None,
    }),
    exempt: None,
};

impl Served for PriorityLevels {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_level);
    const PREPARE: Option<Prepare> = Some(prepare);
}

/// A new level has no status yet, and only `/status` changes it later. The generation counts changes of the spec.
pub(super) fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource != "status" => new.copy("status", old),
        Some(old) => return new.copy("spec", old),
    }
    count_spec_changes(new, old, subresource);
}

impl Checks for PriorityLevels {
    type Object<'a> = PriorityLevelConfiguration<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &PriorityLevelConfiguration, request: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &path, errors);
        if new.metadata.annotations.is_some_and(|annotations| annotations.contains_key(KEEP_ZERO_SHARES)) {
            let detail = format!("annotation '{KEEP_ZERO_SHARES}' is forbidden");
            errors.push(FieldError::forbidden(&path.child("annotations"), detail));
        }
        let spec = new.spec.copied().unwrap_or_default();
        let (name, path) = (text(new.metadata.name), Path::ROOT.child("spec"));
        validate_spec(&spec, name, request.shown(SHARES), &path, errors);
        validate_fixed(&spec, name, &path, errors);
        validate_status(new.status, &Path::ROOT.child("status"), errors);
    }

    fn update(
        new: &PriorityLevelConfiguration,
        _: &PriorityLevelConfiguration,
        request: &Request<'_>,
        errors: &mut ErrorList,
    ) {
        Self::create(new, request, errors);
    }
}

/// `shares` is what errors call the shares of a limited level.
fn validate_spec(
    spec: &PriorityLevelConfigurationSpec,
    name: &str,
    shares: &'static str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let kind = spec.type_;
    let at = path.child("type");
    if (name == EXEMPT) != (kind == "Exempt") {
        let detail = "must be 'Exempt' if and only if `name` is 'exempt'";
        errors.push(FieldError::invalid(&at, kind, detail));
    }
    let (exempt, limited) = (path.child("exempt"), path.child("limited"));
    match kind {
        "Exempt" => {
            if spec.limited.is_some() {
                errors.push(FieldError::forbidden(&limited, "must be nil if the type is not Limited").covered());
            }
            if let Some(spec) = spec.exempt {
                validate_exempt(spec, &exempt, errors);
            }
        }
        "Limited" => {
            if spec.exempt.is_some() {
                errors.push(FieldError::forbidden(&exempt, "must be nil if the type is Limited").covered());
            }
            match spec.limited {
                None => errors.push(FieldError::required(&limited, "must not be empty when type is Limited").covered()),
                Some(spec) => validate_limited(spec, shares, &limited, errors),
            }
        }
        _ => errors.push(not_supported(&at, kind, &["Exempt", "Limited"])),
    }
}

fn validate_exempt(exempt: &ExemptPriorityLevelConfiguration, path: &Path<'_>, errors: &mut ErrorList) {
    validate_shares(exempt.nominal_concurrency_shares, &path.child(SHARES), errors);
    validate_lendable(exempt.lendable_percent, path, errors);
}

fn validate_limited(
    limited: &LimitedPriorityLevelConfiguration,
    shares: &'static str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_shares(limited.nominal_concurrency_shares, &path.child(shares), errors);
    let response = limited.limit_response.copied().unwrap_or_default();
    validate_response(&response, &path.child("limitResponse"), errors);
    validate_lendable(limited.lendable_percent, path, errors);
    if let Some(percent) = limited.borrowing_limit_percent.filter(|percent| *percent < 0) {
        let detail = "if specified, must be a non-negative integer";
        errors.push(FieldError::invalid(&path.child("borrowingLimitPercent"), percent, detail));
    }
}

fn validate_shares(shares: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(shares) = shares.filter(|shares| *shares < 0) {
        errors.push(FieldError::invalid(path, shares, "must be a non-negative integer"));
    }
}

fn validate_lendable(percent: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(percent) = percent.filter(|percent| !(0..=100).contains(percent)) {
        let detail = "must be between 0 and 100, inclusive";
        errors.push(FieldError::invalid(&path.child("lendablePercent"), percent, detail));
    }
}

/// The two levels that every server has cannot be changed.
fn validate_fixed(spec: &PriorityLevelConfigurationSpec, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name == EXEMPT && (spec.type_ != "Exempt" || spec.limited.is_some()) {
        let detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
        errors.push(FieldError::invalid(path, internal_form(spec), detail));
    }
    if name == CATCH_ALL && *spec != CATCH_ALL_SPEC {
        errors.push(FieldError::invalid(path, internal_form(spec), "spec of 'catch-all' must equal the fixed value"));
    }
}

/// The spec as errors show it: Kubernetes' own struct, whose members have no JSON names.
fn internal_form(spec: &PriorityLevelConfigurationSpec) -> BadValue {
    let limited = spec.limited.map(|limited| {
        let response = limited.limit_response;
        let queuing = response.and_then(|response| response.queuing).map(|queuing| {
            json!({
                "Queues": queuing.queues,
                "HandSize": queuing.hand_size,
                "QueueLengthLimit": queuing.queue_length_limit,
            })
        });
        json!({
            "NominalConcurrencyShares": limited.nominal_concurrency_shares.unwrap_or(0),
            "LimitResponse": {"Type": response.map_or("", |response| response.type_), "Queuing": queuing},
            "LendablePercent": limited.lendable_percent,
            "BorrowingLimitPercent": limited.borrowing_limit_percent,
        })
    });
    let exempt = spec.exempt.map_or(Value::Null, |exempt| {
        json!({
            "NominalConcurrencyShares": exempt.nominal_concurrency_shares,
            "LendablePercent": exempt.lendable_percent,
        })
    });
    BadValue::from(json!({"Type": spec.type_, "Limited": limited, "Exempt": exempt}))
}

fn validate_status(status: Option<&PriorityLevelConfigurationStatus>, path: &Path<'_>, errors: &mut ErrorList) {
    let conditions = status.and_then(|status| status.conditions).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let list = path.child("conditions");
    for (index, condition) in conditions.iter().enumerate() {
        let kind = text(condition.type_);
        let element = list.index(index);
        let at = element.child("type");
        if !seen.insert(kind) {
            errors.push(FieldError::new(ErrorType::Duplicate, &at, kind, ""));
        }
        if kind.is_empty() {
            errors.push(FieldError::required(&at, ""));
        }
    }
}
