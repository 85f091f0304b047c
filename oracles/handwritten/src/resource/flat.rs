//! Claims and templates as `v1beta1` has them: what a request asks for exactly stands in the request itself.

use super::defaults::{default_flat_claim, default_flat_template};
use super::resource_claim::{self, PATHS, ResourceClaims};
use super::resource_claim_template::ResourceClaimTemplates;
use crate::kind::{Prepare, Served};
use crate::typed_pair::TypedPair;
use crate::types::meta::v1::ObjectMeta;
use crate::types::resource::v1::{
    CapacityRequirements, DeviceClaim, DeviceClaimConfiguration, DeviceConstraint, DeviceRequest, DeviceSelector,
    DeviceSubRequest, DeviceToleration, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec, ResourceClaimStatus,
    ResourceClaimTemplate, ResourceClaimTemplateSpec,
};
use crate::types::view;
use takeover_harness::object::{Arena, Edit};
use takeover_harness::oracle::{Objects, OracleFailure};

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

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<ResourceClaim<'a>>, OracleFailure> {
        Ok(TypedPair::<Claim>::of(objects, arena)?.map(|claim| claim.to_hub(arena)))
    }
}

impl Served for FlatResourceClaimTemplates {
    type Kind = ResourceClaimTemplates;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_flat_template);
    const FILLED: &'static [&'static str] = &["spec.spec.devices.requests[*].firstAvailable[*].allocationMode"];
    const NORMALIZATION: &'static [(&'static str, &'static str)] = PATHS;

    fn objects<'a>(
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Result<TypedPair<ResourceClaimTemplate<'a>>, OracleFailure> {
        Ok(TypedPair::<Template>::of(objects, arena)?.map(|template| template.to_hub(arena)))
    }
}

view! {
    struct Claim<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: Spec<'a>,
        "status" => status: Option<&'a ResourceClaimStatus<'a>>,
    }
}

view! {
    struct Template<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: TemplateSpec<'a>,
    }
}

view! {
    struct TemplateSpec<'a> {
        "metadata" => metadata: Option<&'a ObjectMeta<'a>>,
        "spec" => spec: Spec<'a>,
    }
}

view! {
    struct Spec<'a> {
        "devices" => devices: Devices<'a>,
    }
}

view! {
    struct Devices<'a> {
        "requests" => requests: &'a [Request<'a>],
        "constraints" => constraints: Option<&'a [DeviceConstraint<'a>]>,
        "config" => config: Option<&'a [DeviceClaimConfiguration<'a>]>,
    }
}

view! {
    struct Request<'a> {
        "name" => name: &'a str,
        "deviceClassName" => device_class_name: &'a str,
        "selectors" => selectors: Option<&'a [DeviceSelector<'a>]>,
        "allocationMode" => allocation_mode: Option<&'a str>,
        "count" => count: Option<i64>,
        "adminAccess" => admin_access: Option<bool>,
        "firstAvailable" => first_available: Option<&'a [DeviceSubRequest<'a>]>,
        "tolerations" => tolerations: Option<&'a [DeviceToleration<'a>]>,
        "capacity" => capacity: Option<&'a CapacityRequirements<'a>>,
    }
}

impl<'a> Claim<'a> {
    fn to_hub(self, arena: &'a Arena) -> ResourceClaim<'a> {
        ResourceClaim { metadata: self.metadata, spec: self.spec.to_hub(arena), status: self.status }
    }
}

impl<'a> Template<'a> {
    fn to_hub(self, arena: &'a Arena) -> ResourceClaimTemplate<'a> {
        let TemplateSpec { metadata, spec } = self.spec;
        let spec = ResourceClaimTemplateSpec { metadata, spec: spec.to_hub(arena) };
        ResourceClaimTemplate { metadata: self.metadata, spec }
    }
}

impl<'a> Spec<'a> {
    fn to_hub(self, arena: &'a Arena) -> ResourceClaimSpec<'a> {
        let Devices { requests, constraints, config } = self.devices;
        let requests = arena.alloc_slice_fill_iter(requests.iter().map(|request| request.to_hub(arena)));
        ResourceClaimSpec { devices: DeviceClaim { requests, constraints, config } }
    }
}

impl<'a> Request<'a> {
    /// A request that sets anything but its name and its alternatives asks for something exactly.
    fn to_hub(self, arena: &'a Arena) -> DeviceRequest<'a> {
        let exact = !self.device_class_name.is_empty()
            || self.selectors.is_some()
            || self.allocation_mode.is_some()
            || self.count.is_some()
            || self.admin_access.is_some()
            || self.tolerations.is_some()
            || self.capacity.is_some();
        let exactly = ExactDeviceRequest {
            device_class_name: self.device_class_name,
            selectors: self.selectors,
            allocation_mode: self.allocation_mode,
            count: self.count,
            admin_access: self.admin_access,
            // The conversion of Kubernetes turns an empty list of these, and of these only, into none.
            tolerations: self.tolerations.filter(|tolerations| !tolerations.is_empty()),
            capacity: self.capacity,
        };
        let exactly = exact.then(|| &*arena.alloc(exactly));
        DeviceRequest { name: self.name, exactly, first_available: self.first_available }
    }
}
