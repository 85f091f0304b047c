//! ResourceSlices as `v1beta1` has them: what a device is, but for its name, stands one level deeper.

use super::defaults::default_slice;
use super::resource_slice::{ResourceSlices, prepare};
use crate::kind::{Prepare, Served};
use crate::typed_pair::TypedPair;
use crate::types::core::v1::NodeSelector;
use crate::types::meta::v1::ObjectMeta;
use crate::types::resource::v1::{CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec};
use crate::types::view;
use takeover_harness::object::{Arena, Edit};
use takeover_harness::oracle::{Objects, OracleFailure};

/// ResourceSlices of `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct BasicResourceSlices;

impl Served for BasicResourceSlices {
    type Kind = ResourceSlices;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_slice);
    const PREPARE: Option<Prepare> = Some(prepare);
    const NORMALIZATION: &'static [(&'static str, &'static str)] =
        &[(r"spec\.devices\[(\d+)\]\.basic\.", "spec.devices[$1].")];

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<ResourceSlice<'a>>, OracleFailure> {
        Ok(TypedPair::<Slice>::of(objects, arena)?.map(|slice| slice.to_hub(arena)))
    }
}

view! {
    struct Slice<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: Spec<'a>,
    }
}

view! {
    struct Spec<'a> {
        "driver" => driver: &'a str,
        "pool" => pool: ResourcePool<'a>,
        "nodeName" => node_name: Option<&'a str>,
        "nodeSelector" => node_selector: Option<&'a NodeSelector<'a>>,
        "allNodes" => all_nodes: Option<bool>,
        "devices" => devices: Option<&'a [NamedDevice<'a>]>,
        "perDeviceNodeSelection" => per_device_node_selection: Option<bool>,
        "sharedCounters" => shared_counters: Option<&'a [CounterSet<'a>]>,
    }
}

view! {
    struct NamedDevice<'a> {
        "name" => name: &'a str,
        /// As in later versions, without a name.
        "basic" => basic: Option<&'a Device<'a>>,
    }
}

impl<'a> Slice<'a> {
    fn to_hub(self, arena: &'a Arena) -> ResourceSlice<'a> {
        let Self { metadata, spec } = self;
        let devices =
            spec.devices.map(|devices| &*arena.alloc_slice_fill_iter(devices.iter().map(|device| device.to_hub())));
        ResourceSlice {
            metadata,
            spec: ResourceSliceSpec {
                driver: spec.driver,
                pool: spec.pool,
                node_name: spec.node_name,
                node_selector: spec.node_selector,
                all_nodes: spec.all_nodes,
                per_device_node_selection: spec.per_device_node_selection,
                devices,
                shared_counters: spec.shared_counters,
            },
        }
    }
}

impl<'a> NamedDevice<'a> {
    fn to_hub(self) -> Device<'a> {
        Device { name: self.name, ..self.basic.copied().unwrap_or_default() }
    }
}
