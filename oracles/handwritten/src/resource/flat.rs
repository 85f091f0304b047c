//! Claims and templates as `v1beta1` has them: what a request asks for exactly stands in the request itself.

use super::defaults::{default_flat_claim, default_flat_template};
use super::resource_claim::{self, PATHS, ResourceClaims};
use super::resource_claim_template::ResourceClaimTemplates;
use crate::kind::{Prepare, Served};
use k8s_openapi::api::resource::v1::{
    CapacityRequirements, DeviceClaim, DeviceClaimConfiguration, DeviceConstraint, DeviceRequest, DeviceSelector,
    DeviceSubRequest, DeviceToleration, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec, ResourceClaimStatus,
    ResourceClaimTemplate, ResourceClaimTemplateSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use takeover_harness::object::Edit;
use takeover_harness::oracle::{Objects, OracleFailure, TypedPair};

/// ResourceClaims of `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct FlatResourceClaims;

/// ResourceClaimTemplates of `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct FlatResourceClaimTemplates;

impl Served for FlatResourceClaims {
    type Kind = ResourceClaims;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_flat_claim);
    const FILLED: &'static [&'static str] = &["spec.devices.requests[*].firstAvailable[*].allocationMode"];
    const PREPARE: Option<Prepare> = Some(resource_claim::prepare);
    const NORMALIZATION: &'static [(&'static str, &'static str)] = PATHS;

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<ResourceClaim>, OracleFailure> {
        Ok(resource_claim::typed::<Claim>(objects)?.map(ResourceClaim::from))
    }
}

impl Served for FlatResourceClaimTemplates {
    type Kind = ResourceClaimTemplates;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_flat_template);
    const FILLED: &'static [&'static str] = &["spec.spec.devices.requests[*].firstAvailable[*].allocationMode"];
    const NORMALIZATION: &'static [(&'static str, &'static str)] = PATHS;

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<ResourceClaimTemplate>, OracleFailure> {
        Ok(TypedPair::<Template>::of(objects)?.map(ResourceClaimTemplate::from))
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Claim {
    metadata: ObjectMeta,
    spec: Spec,
    status: Option<ResourceClaimStatus>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Template {
    metadata: ObjectMeta,
    spec: TemplateSpec,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TemplateSpec {
    metadata: Option<ObjectMeta>,
    spec: Spec,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Spec {
    devices: Devices,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Devices {
    requests: Option<Vec<Request>>,
    constraints: Option<Vec<DeviceConstraint>>,
    config: Option<Vec<DeviceClaimConfiguration>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Request {
    name: String,
    device_class_name: String,
    selectors: Option<Vec<DeviceSelector>>,
    allocation_mode: Option<String>,
    count: Option<i64>,
    admin_access: Option<bool>,
    tolerations: Option<Vec<DeviceToleration>>,
    capacity: Option<CapacityRequirements>,
    first_available: Option<Vec<DeviceSubRequest>>,
}

impl From<Claim> for ResourceClaim {
    fn from(claim: Claim) -> Self {
        Self { metadata: claim.metadata, spec: claim.spec.into(), status: claim.status }
    }
}

impl From<Template> for ResourceClaimTemplate {
    fn from(template: Template) -> Self {
        let TemplateSpec { metadata, spec } = template.spec;
        let spec = ResourceClaimTemplateSpec { metadata, spec: spec.into() };
        Self { metadata: template.metadata, spec }
    }
}

impl From<Spec> for ResourceClaimSpec {
    fn from(spec: Spec) -> Self {
        let Devices { requests, constraints, config } = spec.devices;
        let requests = requests.map(|requests| requests.into_iter().map(DeviceRequest::from).collect());
        Self { devices: Some(DeviceClaim { config, constraints, requests }) }
    }
}

impl From<Request> for DeviceRequest {
    /// A request that sets anything but its name and its alternatives asks for something exactly.
    fn from(request: Request) -> Self {
        let exact = !request.device_class_name.is_empty()
            || request.selectors.is_some()
            || request.allocation_mode.is_some()
            || request.count.is_some()
            || request.admin_access.is_some()
            || request.tolerations.is_some()
            || request.capacity.is_some();
        let exactly = exact.then_some(ExactDeviceRequest {
            admin_access: request.admin_access,
            allocation_mode: request.allocation_mode,
            capacity: request.capacity,
            count: request.count,
            device_class_name: request.device_class_name,
            selectors: request.selectors,
            // The conversion of Kubernetes turns an empty list of these, and of these only, into none.
            tolerations: request.tolerations.filter(|tolerations| !tolerations.is_empty()),
        });
        Self { exactly, first_available: request.first_available, name: request.name }
    }
}
