//! ResourceClaim and its `/status`.

use super::allocation::validate_allocation;
use super::claim_spec::{self, validate_claim_spec};
use super::defaults::default_claim;
use super::device_status::validate_device_statuses;
use super::go_form::{self, Use};
use super::lists::{no_duplicates, within};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::{Covered, IMMUTABLE};
use crate::types::resource::v1::{
    AllocationResult, ResourceClaim, ResourceClaimConsumerReference, ResourceClaimSpec, ResourceClaimStatus,
};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Most users of a claim.
const USER_LIMIT: usize = 256;
/// How claims and templates are named: DNS subdomains.
pub const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// Where `v1beta1` has the members of an exact request: in the request itself.
pub const PATHS: &[(&str, &str)] = &[(
    r"spec.devices\.requests\[(\d+)\]\.(deviceClassName|selectors|allocationMode|count|adminAccess|tolerations)",
    "spec.devices.requests[$1].exactly.$2",
)];

/// Judges ResourceClaims as a Kubernetes 1.36 server does. Its own shape is that of `v1` and `v1beta2`.
#[derive(Clone, Copy, Debug)]
pub struct ResourceClaims;

impl Served for ResourceClaims {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_claim);
    const FILLED: &'static [&'static str] = &[
        "spec.devices.requests[*].exactly.allocationMode",
        "spec.devices.requests[*].firstAvailable[*].allocationMode",
    ];
    const PREPARE: Option<Prepare> = Some(prepare);
}

/// A new claim has no status; only `/status` changes it later, and nothing else but managed fields.
pub fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    let Some(old) = old else {
        new.clear("status");
        return;
    };
    if subresource != "status" {
        new.copy("status", old);
        return;
    }
    new.copy("spec", old);
    if let Some(before) = old.inside("metadata") {
        new.edit("metadata", |meta| {
            for member in ["deletionTimestamp", "generation", "labels", "annotations", "finalizers", "ownerReferences"]
            {
                meta.copy(member, &before);
            }
        });
    }
    drop_deallocated(new, old);
}

/// Drops the statuses of devices that the stored claim has and the new one no longer has.
fn drop_deallocated<'a>(new: &mut Edit<'a>, old: &Edit<'a>) {
    let mut gone = allocated(old);
    if gone.is_empty() {
        return;
    }
    let kept = allocated(new);
    gone.retain(|device| !kept.contains(device));
    if gone.is_empty() {
        return;
    }
    new.edit("status", |status| {
        let mut ids = Vec::new();
        status.edit_each("devices", |device| ids.push(device_id(device)));
        let devices = status.get("devices");
        let rest: Vec<Node<'a>> =
            devices.items().iter().zip(ids).filter(|(_, id)| !gone.contains(id)).map(|(node, _)| *node).collect();
        if rest.is_empty() {
            status.clear("devices");
        } else if rest.len() < devices.items().len() {
            let rest = status.arena().alloc_slice_copy(&rest);
            status.set("devices", Node::List(rest));
        }
    });
}

/// Driver, pool, device and share of a device or of what is said about it.
fn device_id<'a>(device: &Edit<'a>) -> [&'a str; 4] {
    ["driver", "pool", "device", "shareID"].map(|member| device.text(member))
}

fn allocated<'a>(claim: &Edit<'a>) -> Vec<[&'a str; 4]> {
    let mut ids = Vec::new();
    let allocation = claim.inside("status").and_then(|status| status.inside("allocation"));
    if let Some(mut devices) = allocation.and_then(|allocation| allocation.inside("devices")) {
        devices.edit_each("results", |result| ids.push(device_id(result)));
    }
    ids
}

impl Checks for ResourceClaims {
    type Object<'a> = ResourceClaim<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &ResourceClaim, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_claim_spec(&new.spec, &Path::ROOT.child("spec"), errors);
    }

    fn update(new: &ResourceClaim, old: &ResourceClaim, request: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        if request.subresource == "status" {
            meta::validate_update(&new.metadata, &old.metadata, &path, errors);
            validate_status(new, old, request, errors);
            return;
        }
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &path, errors);
        meta::validate_update(&new.metadata, &old.metadata, &path, errors);
        if !same_spec(&new.spec, &old.spec) {
            let path = Path::ROOT.child("spec");
            let has_requests = request.has_at(&path.child("devices").child("requests"));
            let printed = BadValue::from(go_form::claim_spec(&new.spec, has_requests, Use::Printed));
            let error = FieldError::invalid(&path, printed, IMMUTABLE);
            errors.push(error.with_origin("immutable").covered());
        }
    }

    fn delegated() -> Vec<Delegated> {
        let mut delegated = claim_spec::delegated("spec");
        delegated.push(claim_spec::admin_access("status.allocation.devices.results[*]"));
        delegated
    }
}

/// Whether two specs are equal, by number and not by notation where they hold quantities.
#[must_use]
pub fn same_spec(new: &ResourceClaimSpec, old: &ResourceClaimSpec) -> bool {
    let compared = |spec| go_form::claim_spec(spec, false, Use::Compared);
    new == old || go_form::same(&compared(new), &compared(old))
}

fn same_allocation(new: &AllocationResult, old: &AllocationResult) -> bool {
    let compared = |allocation| go_form::allocation(allocation, false, Use::Compared);
    new == old || go_form::same(&compared(new), &compared(old))
}

fn validate_status(new: &ResourceClaim, old: &ResourceClaim, request: &Request<'_>, errors: &mut ErrorList) {
    let (status, before) = (new.status.copied().unwrap_or_default(), old.status.copied().unwrap_or_default());
    let path = Path::ROOT.child("status");
    validate_users(&status, &before, new.metadata.deletion_timestamp.is_some(), &path.child("reservedFor"), errors);
    let devices = status.devices.unwrap_or_default();
    validate_device_statuses(devices, status.allocation, &path.child("devices"), errors);
    let at = path.child("allocation");
    match (status.allocation, before.allocation) {
        (Some(allocation), Some(before)) if !same_allocation(allocation, before) => {
            let has_terms = request.has_at(&at.child("nodeSelector").child("nodeSelectorTerms"));
            let printed = BadValue::from(go_form::allocation(allocation, has_terms, Use::Printed));
            errors.push(FieldError::invalid(&at, printed, IMMUTABLE).with_origin("update").covered());
        }
        (Some(allocation), None) => validate_allocation(allocation, new.spec.devices.requests, &at, errors),
        _ => {}
    }
}

fn validate_users(
    status: &ResourceClaimStatus,
    old: &ResourceClaimStatus,
    deleted: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let users = status.reserved_for.unwrap_or_default();
    if within(users.len(), USER_LIMIT, Covered::Yes, path, errors) {
        for (index, user) in users.iter().enumerate() {
            validate_user(user, &path.index(index), errors);
        }
        no_duplicates(users.iter().map(|user| user.uid), BadValue::from, Covered::Yes, path, errors);
    }
    if users.is_empty() {
        return;
    }
    if status.allocation.is_none() {
        errors.push(FieldError::forbidden(path, "may not be specified when `allocated` is not set"));
        return;
    }
    let known = old.reserved_for.unwrap_or_default();
    if deleted && users.iter().any(|user| !known.contains(user)) {
        let detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
        errors.push(FieldError::forbidden(path, detail));
    }
}

fn validate_user(user: &ResourceClaimConsumerReference, path: &Path<'_>, errors: &mut ErrorList) {
    for (member, value) in [("resource", user.resource), ("name", user.name), ("uid", user.uid)] {
        if value.is_empty() {
            errors.push(FieldError::required(&path.child(member), ""));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::read_json;
    use crate::types::resource::v1::DeviceClaim;
    use serde_json::{Value, json};
    use takeover_harness::case::Options;
    use takeover_harness::object::Instant;
    use takeover_harness::oracle::Objects;
    use takeover_harness::release::Release;
    use takeover_harness::schema::{Kind, Schema};

    fn claim(status: &Value) -> ResourceClaim<'static> {
        let request = json!({"name": "gpu", "firstAvailable": [{"name": "large", "deviceClassName": "large"}]});
        let claim = json!({"metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"},
            "spec": {"devices": {"requests": [request]}}, "status": status});
        read_json(&claim)
    }

    fn errors(new: &ResourceClaim, old: &ResourceClaim, subresource: &str) -> String {
        let mut errors = ErrorList::new();
        let mut schema = Schema::new();
        let root = schema.add("object", Kind::Any);
        let objects = Objects { schema: &schema, root, new: Node::Unset, old: None, sent: None };
        let options = Options::default();
        let request = Request { subresource, options: &options, release: Release::V1_36, objects, renamed: &[] };
        ResourceClaims::update(new, old, &request, &mut errors);
        let line = |error: &FieldError| format!("{:?} {}", error.error_type, error.field);
        errors.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    fn result(request: &str) -> Value {
        json!({"devices": {"results": [{"request": request, "driver": "d.example.com", "pool": "p", "device": "a",
            "consumedCapacity": {"memory": "1Gi"}}]}})
    }

    #[test]
    fn allocations_are_judged_when_they_come_and_fixed_from_then_on() {
        let (none, made) = (json!({}), |request| json!({"allocation": result(request)}));
        let mut same = made("gpu/large");
        same["allocation"]["devices"]["results"][0]["consumedCapacity"]["memory"] = json!("1024Mi");
        same["allocation"]["devices"]["config"] = json!([]);
        for (old, new, expected) in [
            (&none, made("gpu"), ""),
            (&none, made("gpu/large"), ""),
            (&none, made("gpu/small"), "Invalid status.allocation.devices.results[0].request"),
            (&none, made("gpu/large/x"), "Invalid status.allocation.devices.results[0].request"),
            (&made("gpu"), made("gpu/large"), "Invalid status.allocation"),
            (&made("gpu/large"), same, ""),
            (&made("gpu"), none.clone(), ""),
        ] {
            assert_eq!(errors(&claim(&new), &claim(old), "status"), expected, "{new}");
        }
    }

    #[test]
    fn users_of_a_deleted_claim_may_only_leave() {
        let user = |uid: &str| json!({"resource": "pods", "name": "p", "uid": uid});
        let status = |users: &[&str]| {
            let users: Vec<Value> = users.iter().copied().map(user).collect();
            claim(&json!({"allocation": result("gpu"), "reservedFor": users}))
        };
        for (old, new, deleted, expected) in [
            (&["1"][..], &["1", "2"][..], false, ""),
            (&["1"], &["1", "2"], true, "Forbidden status.reservedFor"),
            (&["1", "2"], &["2"], true, ""),
            (&[], &["1", "1"], false, "Duplicate status.reservedFor[1]"),
            (&[], &[""], false, "Required status.reservedFor[0].uid"),
        ] {
            let (mut new, mut stored) = (status(new), status(old));
            if deleted {
                stored.metadata.deletion_timestamp = Instant::parse("2026-01-02T03:04:05Z");
                new.metadata.deletion_timestamp = stored.metadata.deletion_timestamp;
            }
            assert_eq!(errors(&new, &stored, "status"), expected, "{old:?}");
        }
    }

    #[test]
    fn device_statuses_are_of_allocated_devices() {
        let of = |device: &str, share: Value| json!({"driver": "d.example.com", "pool": "p", "device": device, "shareID": share});
        for (devices, expected) in [
            (json!([of("a", json!(null))]), ""),
            (json!([of("b", json!(null))]), "Invalid status.devices[0]"),
            (json!([of("a", json!(null)), of("a", json!(null))]), "Duplicate status.devices[1]"),
            (json!([of("a", json!(""))]), "Invalid status.devices[0].shareID"),
        ] {
            let new = claim(&json!({"allocation": result("gpu"), "devices": devices}));
            assert_eq!(errors(&new, &claim(&json!({"allocation": result("gpu")})), "status"), expected, "{devices}");
        }
    }

    #[test]
    fn an_update_of_the_main_resource_judges_the_spec_by_its_change_only() {
        let old = claim(&json!({}));
        let mut new = old;
        assert_eq!(errors(&new, &old, ""), "");
        new.spec.devices = DeviceClaim::default();
        assert_eq!(errors(&new, &old, ""), "Invalid spec");
        assert_eq!(errors(&new, &new, ""), "");
    }
}
