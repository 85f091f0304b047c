//! ResourceSlices as `v1beta1` has them: what a device is, but for its name, stands one level deeper.

use super::defaults::default_slice;
use super::resource_slice::{ResourceSlices, prepare};
use crate::kind::{Prepare, Served};
use k8s_openapi::api::core::v1::NodeSelector;
use k8s_openapi::api::resource::v1::{CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use takeover_harness::object::Edit;
use takeover_harness::oracle::{Objects, OracleFailure, TypedPair};

/// ResourceSlices of `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct BasicResourceSlices;

impl Served for BasicResourceSlices {
    type Kind = ResourceSlices;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_slice);
    const PREPARE: Option<Prepare> = Some(prepare);
    const NORMALIZATION: &'static [(&'static str, &'static str)] =
        &[(r"spec\.devices\[(\d+)\]\.basic\.", "spec.devices[$1].")];

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<ResourceSlice>, OracleFailure> {
        Ok(TypedPair::<Slice>::of(objects)?.map(ResourceSlice::from))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Slice {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    driver: String,
    pool: ResourcePool,
    node_name: Option<String>,
    node_selector: Option<NodeSelector>,
    all_nodes: Option<bool>,
    per_device_node_selection: Option<bool>,
    devices: Option<Vec<NamedDevice>>,
    shared_counters: Option<Vec<CounterSet>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedDevice {
    name: String,
    /// As in later versions, without a name.
    basic: Option<Device>,
}

impl From<Slice> for ResourceSlice {
    fn from(slice: Slice) -> Self {
        let Slice { metadata, spec } = slice;
        Self {
            metadata,
            spec: ResourceSliceSpec {
                driver: spec.driver,
                pool: spec.pool,
                node_name: spec.node_name,
                node_selector: spec.node_selector,
                all_nodes: spec.all_nodes,
                per_device_node_selection: spec.per_device_node_selection,
                devices: spec.devices.map(|devices| devices.into_iter().map(Device::from).collect()),
                shared_counters: spec.shared_counters,
            },
        }
    }
}

impl From<NamedDevice> for Device {
    fn from(device: NamedDevice) -> Self {
        Self { name: device.name, ..device.basic.unwrap_or_default() }
    }
}
