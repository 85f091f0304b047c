//! DeviceClass.

use super::configuration::{Age, validate_configuration};
use super::lists::within;
use super::selector::{self, validate_selectors};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain, label_key};
use crate::report::Covered;
use crate::types::resource::v1::{DeviceClass, DeviceClassConfiguration, DeviceClassSpec};
use serde_json::json;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node, equal};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Most configurations of a class.
const CONFIGURATION_LIMIT: usize = 32;
/// What quota puts before the name of a resource.
const QUOTA_PREFIX: &str = "requests.";
/// The end of the domains that Kubernetes keeps for itself.
const NATIVE_DOMAIN: &str = "kubernetes.io/";
const NAME: NameRule = NameRule::Migrated { name: dns_subdomain, origin: "format=k8s-long-name" };

/// Judges DeviceClasses as a Kubernetes 1.36 server does. All served versions have the same shape.
#[derive(Clone, Copy, Debug)]
pub struct DeviceClasses;

impl Served for DeviceClasses {
    type Kind = Self;

    const PREPARE: Option<Prepare> = Some(prepare);
}

/// The server counts the changes of the spec.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, _: &str) {
    let Some(old) = old else {
        new.edit("metadata", |meta| meta.set("generation", Node::Int(1)));
        return;
    };
    if !equal(&new.get("spec"), &old.get("spec")) {
        let before = old.inside("metadata").map_or(Node::Unset, |meta| meta.get("generation"));
        let before = if let Node::Int(generation) = before { generation } else { 0 };
        new.edit("metadata", |meta| meta.set("generation", Node::Int(before.wrapping_add(1))));
    }
}

impl Checks for DeviceClasses {
    type Object<'a> = DeviceClass<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &DeviceClass, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, None, errors);
    }

    /// An update is checked like a creation too, its name included.
    fn update(new: &DeviceClass, old: &DeviceClass, _: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &path, errors);
        meta::validate_update(&new.metadata, &old.metadata, &path, errors);
        validate_spec(&new.spec, Some(&old.spec), errors);
    }

    fn delegated() -> Vec<Delegated> {
        vec![selector::delegated("spec.selectors")]
    }
}

fn validate_spec(spec: &DeviceClassSpec, old: Option<&DeviceClassSpec>, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    validate_selectors(spec.selectors.unwrap_or_default(), &path.child("selectors"), errors);
    let at = path.child("config");
    let config = spec.config.unwrap_or_default();
    let stored = old.is_some_and(|old| same_configurations(config, old.config.unwrap_or_default()));
    if within(config.len(), CONFIGURATION_LIMIT, Covered::Yes, &at, errors) {
        let age = if stored { Age::Stored } else { Age::New };
        for (index, configuration) in config.iter().enumerate() {
            validate_configuration(configuration.opaque, age, &at.index(index), errors);
        }
    }
    if let Some(name) = spec.extended_resource_name.filter(|name| !is_extended_resource(name)) {
        let at = path.child("extendedResourceName");
        let error = FieldError::invalid(&at, name, "must be a valid extended resource name");
        errors.push(error.with_origin("format=k8s-extended-resource-name").covered());
    }
}

/// Whether configurations are equal. The order of members of their parameters does not count.
fn same_configurations(new: &[DeviceClassConfiguration], old: &[DeviceClassConfiguration]) -> bool {
    new == old || json!(new) == json!(old)
}

/// Whether a resource of this name is none of Kubernetes' own, and quota can name it.
fn is_extended_resource(name: &str) -> bool {
    let native = !name.contains('/') || name.contains(NATIVE_DOMAIN);
    !native && !name.starts_with(QUOTA_PREFIX) && label_key(&format!("{QUOTA_PREFIX}{name}")).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_resources_have_a_foreign_domain() {
        for (name, expected) in [
            ("example.com/gpu", true),
            ("example.com/GPU_1", true),
            ("gpu", false),
            ("", false),
            ("kubernetes.io/gpu", false),
            ("my.kubernetes.io/gpu", false),
            ("requests.example.com/gpu", false),
            ("example.com/gpu/1", false),
            ("Example.com/gpu", false),
            ("example.com/", false),
            ("/gpu", false),
        ] {
            assert_eq!(is_extended_resource(name), expected, "{name}");
        }
        // With its prefix, quota has 253 bytes for the domain.
        for (bytes, expected) in [(244, true), (245, false)] {
            assert_eq!(is_extended_resource(&format!("{}/gpu", "a".repeat(bytes))), expected, "{bytes}");
        }
    }
}
