//! ResourceSlice: the checks, and `v1` and `v1beta2`, whose form they judge.

use super::attribute::{LISTS, has_list};
use super::counters::validate_counter_set;
use super::defaults::default_slice;
use super::device::{Selection, validate_device};
use super::go_form;
use super::lists::{no_duplicates, within};
use super::names::validate_pool_name;
use super::nodes::{validate_node_name, validate_only_true};
use crate::core::v1::scheduling::validate_node_selector;
use crate::driver::validate_driver_name;
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::prepare::count_spec_changes;
use crate::report::{Covered, IMMUTABLE};
use crate::selector::SelectorValues;
use crate::types::resource::v1::{ResourcePool, ResourceSlice, ResourceSliceSpec};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Most devices of a slice.
const DEVICE_LIMIT: usize = 128;
/// Most devices when one of them has taints, consumes counters or has lists of values.
const ADVANCED_DEVICE_LIMIT: usize = 64;
/// Most counter sets of a slice.
const COUNTER_SET_LIMIT: usize = 8;
/// How slices are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges ResourceSlices as a Kubernetes 1.36 server does. `v1` and `v1beta2` have the same shape.
#[derive(Clone, Copy, Debug)]
pub struct ResourceSlices;

impl Served for ResourceSlices {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_slice);
    const PREPARE: Option<Prepare> = Some(prepare);
}

/// What is behind gates that are off by default is forgotten, and changes of the spec are counted.
pub(super) fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    if !old.is_some_and(has_lists) {
        new.edit("spec", |spec| {
            spec.edit_each("devices", |device| {
                drop_lists(device);
                device.edit_if_set("basic", drop_lists);
            });
        });
    }
    count_spec_changes(new, old, subresource);
}

/// Whether a device has an attribute with a list of values.
fn has_lists(slice: &Edit<'_>) -> bool {
    let in_device = |device: &Edit<'_>| {
        device.values("attributes").any(|attribute| LISTS.iter().any(|list| !attribute.get(list).is_unset()))
    };
    let mut devices = slice.inside("spec").into_iter().flat_map(|spec| spec.elements("devices"));
    devices.any(|device| in_device(&device) || device.inside("basic").is_some_and(|basic| in_device(&basic)))
}

fn drop_lists(device: &mut Edit<'_>) {
    device.edit_each_value("attributes", |attribute| LISTS.iter().for_each(|list| attribute.clear(list)));
}

impl Checks for ResourceSlices {
    type Object<'a> = ResourceSlice<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &ResourceSlice, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, None, request, errors);
    }

    fn update(new: &ResourceSlice, old: &ResourceSlice, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, Some(&old.spec), request, errors);
    }

    fn delegated() -> Vec<Delegated> {
        vec![Delegated {
            path: "spec.devices[*].nodeAllocatableResourceMappings".to_owned(),
            reason: "behind an alpha gate, without which a server drops it".to_owned(),
        }]
    }
}

fn validate_spec(
    spec: &ResourceSliceSpec,
    old: Option<&ResourceSliceSpec>,
    request: &Request<'_>,
    errors: &mut ErrorList,
) {
    let path = Path::ROOT.child("spec");
    validate_driver_name(spec.driver, Covered::No, &path.child("driver"), errors);
    validate_pool(&spec.pool, &path.child("pool"), errors);
    if let Some(old) = old {
        validate_fixed(spec, old, &path, errors);
    }
    validate_nodes(spec, request, &path, errors);
    if spec.shared_counters.is_some() && spec.devices.is_some() {
        let detail = "only one of `sharedCounters` or `devices` is allowed";
        errors.push(FieldError::invalid(&path, BadValue::EMPTY, detail));
    }
    validate_devices(spec, old, &path.child("devices"), errors);
    let sets = spec.shared_counters.unwrap_or_default();
    let at = path.child("sharedCounters");
    if within(sets.len(), COUNTER_SET_LIMIT, Covered::Yes, &at, errors) {
        for (index, set) in sets.iter().enumerate() {
            validate_counter_set(set.name, set.counters.unwrap_or_default(), "name", &at.index(index), errors);
        }
        no_duplicates(sets.iter().map(|set| set.name), BadValue::from, Covered::Yes, &at, errors);
    }
}

fn validate_pool(pool: &ResourcePool, path: &Path<'_>, errors: &mut ErrorList) {
    validate_pool_name(pool.name, Covered::No, &path.child("name"), errors);
    if pool.resource_slice_count <= 0 {
        let at = path.child("resourceSliceCount");
        errors.push(FieldError::invalid(&at, pool.resource_slice_count, "must be greater than zero"));
    }
    if pool.generation < 0 {
        let detail = "must be greater than or equal to zero";
        errors.push(FieldError::invalid(&path.child("generation"), pool.generation, detail));
    }
}

/// Driver, pool and node of a slice do not change.
fn validate_fixed(spec: &ResourceSliceSpec, old: &ResourceSliceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if spec.pool.name != old.pool.name {
        let pool = path.child("pool");
        errors.push(FieldError::invalid(&pool.child("name"), spec.pool.name, IMMUTABLE));
    }
    if spec.driver != old.driver {
        errors.push(FieldError::invalid(&path.child("driver"), spec.driver, IMMUTABLE));
    }
    if spec.node_name != old.node_name {
        errors.push(FieldError::invalid(&path.child("nodeName"), spec.node_name, IMMUTABLE));
    }
}

/// The devices of a slice are available on nodes that are said in exactly one way.
fn validate_nodes(spec: &ResourceSliceSpec, request: &Request<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut set = Vec::new();
    if let Some(name) = spec.node_name {
        let at = path.child("nodeName");
        if name.is_empty() {
            errors.push(FieldError::invalid(&at, name, "must be either unset or set to a non-empty string"));
        } else {
            set.push("`nodeName`");
            validate_node_name(name, &at, errors);
        }
    }
    if let Some(selector) = spec.node_selector {
        set.push("`nodeSelector`");
        let at = path.child("nodeSelector");
        validate_node_selector(selector, SelectorValues::Checked, &at, errors);
        let terms = selector.node_selector_terms;
        if terms.len() != 1 {
            let at = at.child("nodeSelectorTerms");
            let found = Some(terms).filter(|_| request.has_at(&at));
            errors.push(FieldError::invalid(
                &at,
                BadValue::from(go_form::terms(found)),
                "must have exactly one node selector term",
            ));
        }
    }
    for (value, member, name) in [
        (spec.all_nodes, "allNodes", "`allNodes`"),
        (spec.per_device_node_selection, "perDeviceNodeSelection", "`perDeviceNodeSelection`"),
    ] {
        if validate_only_true(value, &path.child(member), errors) {
            set.push(name);
        }
    }
    let rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    match set.len() {
        0 => errors.push(FieldError::required(path, rule)),
        1 => {}
        _ => {
            let found = format!("{{{}}}", set.join(", "));
            errors.push(FieldError::invalid(path, found, format!("{rule}, but multiple fields are set")));
        }
    }
}

fn validate_devices(
    spec: &ResourceSliceSpec,
    old: Option<&ResourceSliceSpec>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let devices = spec.devices.unwrap_or_default();
    let advanced = devices.iter().any(|device| {
        device.taints.is_some_and(|taints| !taints.is_empty())
            || device.consumes_counters.is_some_and(|consumed| !consumed.is_empty())
            || device.attributes.into_iter().flatten().any(|(_, attribute)| has_list(attribute))
    });
    let limit = if advanced { ADVANCED_DEVICE_LIMIT } else { DEVICE_LIMIT };
    if !within(devices.len(), limit, Covered::No, path, errors) {
        return;
    }
    let selection = match spec.per_device_node_selection {
        Some(true) => Selection::PerDevice,
        _ => Selection::PerSlice,
    };
    let stored = old.and_then(|old| old.devices).unwrap_or_default();
    for (index, device) in devices.iter().enumerate() {
        let before = stored.iter().find(|stored| stored.name == device.name);
        validate_device(device, before, selection, &path.index(index), errors);
    }
    no_duplicates(devices.iter().map(|device| device.name), BadValue::from, Covered::No, path, errors);
}
