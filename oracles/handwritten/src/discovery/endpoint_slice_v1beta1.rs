//! `v1beta1` EndpointSlices, whose endpoints have a topology.

use super::endpoint_slice::{EndpointSlices, HOSTNAME_LABEL, ZONE_LABEL, default_slice, prepare_v1beta1};
use crate::kind::{Prepare, Served};
use crate::typed_pair::TypedPair;
use crate::types::Map;
use crate::types::core::v1::ObjectReference;
use crate::types::discovery::v1::{Endpoint, EndpointConditions, EndpointHints, EndpointPort, EndpointSlice};
use crate::types::meta::v1::ObjectMeta;
use crate::types::view;
use takeover_harness::object::{Arena, Edit};
use takeover_harness::oracle::{Objects, OracleFailure};

/// `v1beta1` EndpointSlices. They are judged as `v1` ones: their topology becomes the deprecated topology, less what `v1`
/// has members for. Errors name the members of `v1`.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSlicesV1beta1;

impl Served for EndpointSlicesV1beta1 {
    type Kind = EndpointSlices;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_slice);
    const PREPARE: Option<Prepare> = Some(prepare_v1beta1);

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<EndpointSlice<'a>>, OracleFailure> {
        Ok(TypedPair::<Slice>::of(objects, arena)?.map(|slice| slice.to_hub(arena)))
    }
}

view! {
    struct Slice<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "addressType" => address_type: &'a str,
        "endpoints" => endpoints: &'a [SliceEndpoint<'a>],
        "ports" => ports: &'a [EndpointPort<'a>],
    }
}

view! {
    struct SliceEndpoint<'a> {
        "addresses" => addresses: &'a [&'a str],
        "conditions" => conditions: Option<&'a EndpointConditions>,
        "hostname" => hostname: Option<&'a str>,
        "targetRef" => target_ref: Option<&'a ObjectReference<'a>>,
        "topology" => topology: Map<'a, &'a str>,
        "nodeName" => node_name: Option<&'a str>,
        "hints" => hints: Option<&'a EndpointHints<'a>>,
    }
}

impl<'a> Slice<'a> {
    fn to_hub(self, arena: &'a Arena) -> EndpointSlice<'a> {
        let endpoints = self.endpoints.iter().map(|endpoint| endpoint.to_hub(arena));
        EndpointSlice {
            metadata: self.metadata,
            address_type: self.address_type,
            endpoints: arena.alloc_slice_fill_iter(endpoints),
            ports: self.ports,
        }
    }
}

impl<'a> SliceEndpoint<'a> {
    fn to_hub(self, arena: &'a Arena) -> Endpoint<'a> {
        // A host name that differs from the node is kept, because `v1beta1` can say both.
        let is_node = |name: &str, value: &str| name == HOSTNAME_LABEL && self.node_name == Some(value);
        let topology = self.topology.filtered(arena, |name, value| name != ZONE_LABEL && !is_node(name, value));
        Endpoint {
            addresses: self.addresses,
            conditions: self.conditions,
            deprecated_topology: (!topology.is_empty()).then_some(topology),
            hints: self.hints,
            hostname: self.hostname,
            node_name: self.node_name,
            target_ref: self.target_ref,
            zone: self.topology.get(ZONE_LABEL).copied(),
        }
    }
}
