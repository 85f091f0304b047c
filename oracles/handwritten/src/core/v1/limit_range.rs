//! `v1` LimitRange.

use super::part_defaults::default_resources;
use super::resources::{HUGE_PAGES, is_native, validate_any_resource_name, validate_resource_name};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, label_key, subdomain_name};
use crate::quantity::{bad_value, canonical, millis, of_text, whole};
use crate::strategy::RANDOM_NAME;
use crate::types::Map;
use crate::types::Quantity;
use crate::types::core::v1::{LimitRange, LimitRangeItem};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// Amounts by resource.
type Amounts<'a> = Map<'a, Quantity<'a>>;

/// How ranges are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// The lists of a range.
const LISTS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
/// Largest amount that Kubernetes compares in thousandths.
const MILLI_LIMIT: i64 = i64::MAX / 1000;

/// Judges LimitRanges as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct LimitRanges;

impl Served for LimitRanges {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|range| {
        range.edit("spec", |spec| {
            spec.edit_each("limits", |item| {
                if item.text("type") == "Container" {
                    default_from(item, "default", "max");
                    default_from(item, "defaultRequest", "default");
                    default_from(item, "defaultRequest", "min");
                }
                for list in LISTS {
                    default_resources(item, list);
                }
            });
        });
    });
    /// A range without a name gets one even where it says how its name begins.
    const PREPARE: Option<Prepare> = Some(|new, old, _| {
        if old.is_none() {
            new.edit("metadata", |meta| meta.set_default_text("name", RANDOM_NAME));
        }
    });
}

/// What `list` does not say, `other` does.
fn default_from(item: &mut Edit<'_>, list: &str, other: &str) {
    let known: BTreeMap<_, _> = item.get(list).entries().iter().copied().collect();
    let mut all: BTreeMap<_, _> = item.get(other).entries().iter().copied().collect();
    all.extend(known.iter().map(|(name, amount)| (*name, *amount)));
    if all.len() > known.len() || item.get(list).is_unset() {
        item.set(list, Node::Map(item.arena().alloc_slice_fill_iter(all)));
    }
}

impl Checks for LimitRanges {
    type Object<'a> = LimitRange<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &LimitRange, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        let spec = Path::ROOT.child("spec");
        let path = spec.child("limits");
        let mut types = BTreeSet::new();
        for (index, item) in new.spec.into_iter().flat_map(|spec| spec.limits).enumerate() {
            let at = path.index(index);
            validate_type(item.type_, &at.child("type"), errors);
            if !types.insert(item.type_) {
                errors.push(FieldError::duplicate(&at.child("type"), item.type_));
            }
            validate_item(item, &at, errors);
        }
    }

    /// A changed range is judged as a new one.
    fn update(new: &LimitRange, _: &LimitRange, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
    }
}

fn validate_type(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let problems = label_key(name);
    if problems.is_empty() && !name.contains('/') && !matches!(name, "Pod" | "Container" | "PersistentVolumeClaim") {
        let detail = "must be a standard limit type or fully qualified";
        errors.push(FieldError::invalid(path, name, detail));
    }
    for problem in problems {
        errors.push(FieldError::invalid(path, name, problem));
    }
}

fn validate_item<'a>(item: &LimitRangeItem<'a>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut names = BTreeSet::new();
    let mut take = |member: &'static str, amounts: Option<Amounts<'a>>, errors: &mut ErrorList| {
        for name in amounts.into_iter().flat_map(Map::keys) {
            validate_name(item.type_, name, &path.child(member).key(name), errors);
            names.insert(name);
        }
    };
    take("max", item.max, errors);
    take("min", item.min, errors);
    let defaults = [("default", item.default), ("defaultRequest", item.default_request)];
    for (member, amounts) in defaults {
        if item.type_ != "Pod" {
            take(member, amounts, errors);
        } else if amounts.is_some_and(|amounts| !amounts.is_empty()) {
            let detail = "may not be specified when `type` is 'Pod'";
            errors.push(FieldError::forbidden(&path.child(member), detail));
        }
    }
    take("maxLimitRequestRatio", item.max_limit_request_ratio, errors);
    let has_storage = |amounts: Option<Amounts>| amounts.is_some_and(|amounts| amounts.contains_key("storage"));
    if item.type_ == "PersistentVolumeClaim" && !has_storage(item.min) && !has_storage(item.max) {
        let detail = "either minimum or maximum storage value is required, but neither was provided";
        errors.push(FieldError::required(&path.child("limits"), detail));
    }
    for name in names {
        Bounds::of(item, name).validate(name, path, errors);
    }
}

/// Objects that hold storage are not bound to the resources of containers.
fn validate_name(limit_type: &str, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    match limit_type {
        "Pod" | "Container" => validate_resource_name(name, "", path, errors),
        _ => validate_any_resource_name(name, path, errors),
    }
}

/// What an item says of one resource.
struct Bounds<'a> {
    min: Option<&'a Quantity<'a>>,
    max: Option<&'a Quantity<'a>>,
    default: Option<&'a Quantity<'a>>,
    request: Option<&'a Quantity<'a>>,
    ratio: Option<&'a Quantity<'a>>,
}

impl<'a> Bounds<'a> {
    fn of(item: &LimitRangeItem<'a>, name: &str) -> Self {
        let of = |amounts: Option<Amounts<'a>>| amounts.and_then(|amounts| amounts.get(name));
        let unless_pod = |amounts: Option<Amounts<'a>>| of(amounts).filter(|_| item.type_ != "Pod");
        Self {
            min: of(item.min),
            max: of(item.max),
            default: unless_pod(item.default),
            request: unless_pod(item.default_request),
            ratio: of(item.max_limit_request_ratio),
        }
    }

    fn validate(&self, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
        // A lower bound, an upper one, how each is called, and which member is wrong with which of the two.
        let rows = [
            (self.min, "min", self.max, "max", "min", self.min),
            (self.min, "min", self.request, "default request", "defaultRequest", self.request),
            (self.request, "default request", self.max, "max", "defaultRequest", self.request),
            (self.request, "default request", self.default, "default limit", "defaultRequest", self.request),
            (self.min, "min", self.default, "default", "default", self.min),
            (self.default, "default", self.max, "max", "default", self.max),
        ];
        for (low, low_name, high, high_name, member, shown) in rows {
            if let (Some(low), Some(high), Some(shown)) = (low, high, shown)
                && low.nanos() > high.nanos()
            {
                let (low, high) = (canonical(low), canonical(high));
                let detail = format!("{low_name} value {low} is greater than {high_name} value {high}");
                errors.push(FieldError::invalid(&path.child(member).key(name), bad_value(shown), detail));
            }
        }
        self.validate_ratio(&path.child("maxLimitRequestRatio").key(name), errors);
        // What is not shared is asked for as a whole.
        if let (Some(default), Some(request)) = (self.default, self.request)
            && (!is_native(name) || name.starts_with(HUGE_PAGES))
            && default.nanos() != request.nanos()
        {
            let (default, asked) = (canonical(default), canonical(request));
            let detail = format!("default value {default} must equal to defaultRequest value {asked} in {name}");
            errors.push(FieldError::invalid(&path.child("defaultRequest").key(name), bad_value(request), detail));
        }
    }

    fn validate_ratio(&self, path: &Path<'_>, errors: &mut ErrorList) {
        let Some(ratio) = self.ratio else { return };
        if ratio.nanos() < of_text("1").nanos() {
            let detail = format!("ratio {} is less than 1", canonical(ratio));
            errors.push(FieldError::invalid(path, bad_value(ratio), detail));
        }
        let (Some(min), Some(max)) = (self.min, self.max) else { return };
        let fine = [ratio, min, max].iter().all(|amount| whole(amount) < MILLI_LIMIT);
        let (value, limit) = if fine {
            (float(millis(ratio)) / 1000.0, float(millis(max)) / float(millis(min)))
        } else {
            (float(whole(ratio)), float(whole(max)) / float(whole(min)))
        };
        if value > limit {
            let limit = if limit.is_infinite() { "-Inf".to_owned() } else { format!("{limit:.6}") };
            let detail = format!("ratio {} is greater than max/min = {limit}", canonical(ratio));
            errors.push(FieldError::invalid(path, bad_value(ratio), detail));
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "Kubernetes compares ratios as floats")]
fn float(amount: i64) -> f64 {
    amount as f64
}
