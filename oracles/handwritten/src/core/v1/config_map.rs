//! `v1` ConfigMap.

use super::config_key::{FROZEN, SIZE_LIMIT, config_key};
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::too_long;
use crate::types::ByteString;
use crate::types::core::v1::ConfigMap;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// How maps are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges ConfigMaps as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct ConfigMaps;

impl Served for ConfigMaps {
    type Kind = Self;

    // So that an unset map and an empty one are no change of an immutable object.
    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|map| map.set_default("data", Node::Map(&[])));
}

impl Checks for ConfigMaps {
    type Object<'a> = ConfigMap<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &ConfigMap, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, errors);
    }

    fn update(new: &ConfigMap, old: &ConfigMap, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if old.immutable == Some(true) {
            let changed = [
                ("immutable", new.immutable != Some(true)),
                ("data", new.data != old.data),
                ("binaryData", new.binary_data != old.binary_data),
            ];
            for (member, _) in changed.into_iter().filter(|(_, changed)| *changed) {
                errors.push(FieldError::forbidden(&Path::ROOT.child(member), FROZEN));
            }
        }
        validate(new, errors);
    }
}

fn validate(map: &ConfigMap, errors: &mut ErrorList) {
    meta::validate_create(&map.metadata, ConfigMaps::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let binary = map.binary_data;
    let (texts, bytes) = (Path::ROOT.child("data"), Path::ROOT.child("binaryData"));
    let mut size = 0;
    for (key, value) in map.data.into_iter().flatten() {
        validate_key(key, &texts, errors);
        if binary.is_some_and(|binary| binary.contains_key(key)) {
            let detail = "duplicate of key present in binaryData";
            errors.push(FieldError::invalid(&texts.key(key), key, detail));
        }
        size += value.len();
    }
    for (key, ByteString(value)) in binary.into_iter().flatten() {
        validate_key(key, &bytes, errors);
        size += value.len();
    }
    if size > SIZE_LIMIT {
        errors.push(too_long(&Path::ROOT.child(""), SIZE_LIMIT));
    }
}

fn validate_key(key: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in config_key(key) {
        errors.push(FieldError::invalid(&path.key(key), key, problem));
    }
}
