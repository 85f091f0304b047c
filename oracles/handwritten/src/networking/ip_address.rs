//! IPAddress, in `v1` and `v1beta1`.

use crate::kind::{Checks, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{Problems, path_segment, subdomain_name};
use crate::net::canonical_ip_problem;
use crate::report::{IMMUTABLE, text};
use k8s_openapi::api::networking::v1::ParentReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Addresses are named by themselves; a name cannot be generated, but a start of one is checked all the same.
const NAME: NameRule = NameRule::Plain { name: address_name, start: address_name };

fn address_name(name: &str) -> Problems {
    canonical_ip_problem(name).into_iter().collect()
}

/// An IPAddress that may lack its parent, which the struct of the API library cannot.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct IpAddress {
    metadata: ObjectMeta,
    spec: IpAddressSpec,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct IpAddressSpec {
    parent_ref: Option<ParentReference>,
}

/// Judges IPAddresses as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct IpAddresses;

impl Served for IpAddresses {
    type Kind = Self;
}

impl Checks for IpAddresses {
    type Object = IpAddress;

    const SCOPE: Scope = Scope::Cluster;

    fn metadata(object: &IpAddress) -> &ObjectMeta {
        &object.metadata
    }

    fn create(new: &IpAddress, _: &Request<'_>, errors: &mut ErrorList) {
        validate_address(new, errors);
    }

    fn update(new: &IpAddress, old: &IpAddress, _: &Request<'_>, errors: &mut ErrorList) {
        validate_address(new, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let (now, before) = (new.spec.parent_ref.as_ref(), old.spec.parent_ref.as_ref());
        if now.map(members) != before.map(members) {
            let spec = Path::ROOT.child("spec");
            let value = now.map_or(BadValue::Null, internal_form);
            let error = FieldError::invalid(&spec.child("parentRef"), value, IMMUTABLE);
            errors.push(error.with_origin("immutable").covered());
        }
    }
}

fn validate_address(address: &IpAddress, errors: &mut ErrorList) {
    meta::validate_create(&address.metadata, IpAddresses::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let spec = Path::ROOT.child("spec");
    let path = spec.child("parentRef");
    match &address.spec.parent_ref {
        None => errors.push(FieldError::required(&path, "").covered()),
        Some(parent) => validate_parent(parent, &path, errors),
    }
}

fn members(parent: &ParentReference) -> [&str; 4] {
    [text(parent.group.as_ref()), &parent.resource, text(parent.namespace.as_ref()), &parent.name]
}

/// Errors show the server's internal struct, whose members have Go's names.
fn internal_form(parent: &ParentReference) -> BadValue {
    let names = ["Group", "Resource", "Namespace", "Name"];
    let pairs = names.into_iter().zip(members(parent)).map(|(name, value)| (name.to_owned(), value.into()));
    BadValue::Json(serde_json::Value::Object(pairs.collect()))
}

fn validate_parent(parent: &ParentReference, path: &Path<'_>, errors: &mut ErrorList) {
    let [group, resource, namespace, name] = members(parent);
    // The group of the core kinds is empty.
    if !group.is_empty() {
        for problem in subdomain_name(group) {
            errors.push(FieldError::invalid(&path.child("group"), group, problem));
        }
    }
    for (value, member) in [(resource, "resource"), (name, "name"), (namespace, "namespace")] {
        let at = path.child(member);
        if value.is_empty() && member != "namespace" {
            errors.push(FieldError::required(&at, "").covered());
        }
        for problem in path_segment(value) {
            errors.push(FieldError::invalid(&at, value, problem));
        }
    }
}
