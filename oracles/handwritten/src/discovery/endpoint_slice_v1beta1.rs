//! `v1beta1` EndpointSlices, whose endpoints have a topology.

use super::endpoint_slice::{EndpointSlices, HOSTNAME_LABEL, ZONE_LABEL, default_slice, prepare_v1beta1};
use crate::kind::{Prepare, Served};
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::discovery::v1::{Endpoint, EndpointConditions, EndpointHints, EndpointPort, EndpointSlice};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use std::collections::BTreeMap;
use takeover_harness::object::Edit;
use takeover_harness::oracle::{Objects, OracleFailure, TypedPair};

/// `v1beta1` EndpointSlices. They are judged as `v1` ones: their topology becomes the deprecated topology, less what `v1`
/// has members for. Errors name the members of `v1`.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSlicesV1beta1;

impl Served for EndpointSlicesV1beta1 {
    type Kind = EndpointSlices;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_slice);
    const PREPARE: Option<Prepare> = Some(prepare_v1beta1);

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<EndpointSlice>, OracleFailure> {
        Ok(TypedPair::<Slice>::of(objects)?.map(Into::into))
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Slice {
    metadata: ObjectMeta,
    address_type: String,
    endpoints: Vec<SliceEndpoint>,
    ports: Option<Vec<EndpointPort>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SliceEndpoint {
    addresses: Vec<String>,
    conditions: Option<EndpointConditions>,
    hostname: Option<String>,
    target_ref: Option<ObjectReference>,
    topology: BTreeMap<String, String>,
    node_name: Option<String>,
    hints: Option<EndpointHints>,
}

impl From<Slice> for EndpointSlice {
    fn from(slice: Slice) -> Self {
        Self {
            metadata: slice.metadata,
            address_type: slice.address_type,
            endpoints: Some(slice.endpoints.into_iter().map(Into::into).collect()),
            ports: slice.ports,
        }
    }
}

impl From<SliceEndpoint> for Endpoint {
    fn from(endpoint: SliceEndpoint) -> Self {
        let mut topology = endpoint.topology;
        let zone = topology.remove(ZONE_LABEL);
        // A host name that differs from the node is kept, because `v1beta1` can say both.
        if endpoint.node_name.is_some() && topology.get(HOSTNAME_LABEL) == endpoint.node_name.as_ref() {
            topology.remove(HOSTNAME_LABEL);
        }
        Self {
            addresses: endpoint.addresses,
            conditions: endpoint.conditions,
            deprecated_topology: (!topology.is_empty()).then_some(topology),
            hints: endpoint.hints,
            hostname: endpoint.hostname,
            node_name: endpoint.node_name,
            target_ref: endpoint.target_ref,
            zone,
        }
    }
}
