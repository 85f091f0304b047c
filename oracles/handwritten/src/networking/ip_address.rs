//! IPAddress, in `v1` and `v1beta1`.

use crate::kind::{Checks, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{Problems, path_segment, subdomain_name};
use crate::net::canonical_ip_problem;
use crate::report::{IMMUTABLE, text};
use crate::types::networking::v1::{IPAddress, ParentReference};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Addresses are named by themselves; a name cannot be generated, but a start of one is checked all the same.
const NAME: NameRule = NameRule::Plain { name: address_name, start: address_name };

fn address_name(name: &str) -> Problems {
    canonical_ip_problem(name).into_iter().collect()
}

/// Judges IPAddresses as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct IpAddresses;

impl Served for IpAddresses {
    type Kind = Self;
}

impl Checks for IpAddresses {
    type Object<'a> = IPAddress<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &IPAddress, _: &Request<'_>, errors: &mut ErrorList) {
        validate_address(new, errors);
    }

    fn update(new: &IPAddress, old: &IPAddress, _: &Request<'_>, errors: &mut ErrorList) {
        validate_address(new, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let (now, before) = (parent(new), parent(old));
        if now.map(members) != before.map(members) {
            let spec = Path::ROOT.child("spec");
            let value = now.map_or(BadValue::Null, internal_form);
            let error = FieldError::invalid(&spec.child("parentRef"), value, IMMUTABLE);
            errors.push(error.with_origin("immutable").covered());
        }
    }
}

fn parent<'a>(address: &IPAddress<'a>) -> Option<&'a ParentReference<'a>> {
    address.spec.and_then(|spec| spec.parent_ref)
}

fn validate_address(address: &IPAddress, errors: &mut ErrorList) {
    meta::validate_create(&address.metadata, IpAddresses::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let spec = Path::ROOT.child("spec");
    let path = spec.child("parentRef");
    match parent(address) {
        None => errors.push(FieldError::required(&path, "").covered()),
        Some(parent) => validate_parent(parent, &path, errors),
    }
}

fn members<'a>(parent: &ParentReference<'a>) -> [&'a str; 4] {
    [parent.group, parent.resource, parent.namespace, parent.name].map(text)
}

/// Errors show the server's internal struct, whose members have Go's names.
fn internal_form(parent: &ParentReference) -> BadValue {
    let names = ["Group", "Resource", "Namespace", "Name"];
    let pairs = names.into_iter().zip(members(parent)).map(|(name, value)| (name.to_owned(), value.into()));
    BadValue::json(serde_json::Value::Object(pairs.collect()))
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
