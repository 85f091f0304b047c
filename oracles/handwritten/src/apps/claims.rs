//! Claims that a stateful set makes for each of its pods.

use super::members::{member, spec_member};
use crate::core::v1::part_defaults::default_resources;
use crate::core::v1::volume_defaults::default_claim_spec;
use crate::report::text;
use crate::types::core::v1::{PersistentVolumeClaimSpec, PersistentVolumeClaimVolumeSource, Volume};
use crate::types::meta::v1::ObjectMeta;
use crate::types::view;
use takeover_harness::object::{Edit, Node, equal};
use takeover_harness::oracle::Objects;
use takeover_harness::schema::Kind;

view! {
    /// The pattern of a claim. What it says of its own version and kind counts for nothing.
    pub(super) struct Claim<'a> {
        "metadata" => pub(super) metadata: ObjectMeta<'a>,
        "spec" => pub(super) spec: PersistentVolumeClaimSpec<'a>,
    }
}

/// Defaults of a claim.
pub(crate) fn default_claim(claim: &mut Edit<'_>) {
    claim.edit("spec", default_claim_spec);
    claim.edit("status", |status| {
        status.set_default_text("phase", "Pending");
        default_resources(status, "capacity");
        default_resources(status, "allocatedResources");
    });
}

/// Every pattern comes back with its version and kind.
pub(super) fn settle_claim(claim: &mut Edit<'_>) {
    claim.set("apiVersion", Node::Text("v1"));
    claim.set("kind", Node::Text("PersistentVolumeClaim"));
}

/// What the volumes for these claims hold, one for each name.
pub(super) fn claim_sources<'a>(claims: &[Claim<'a>]) -> Vec<PersistentVolumeClaimVolumeSource<'a>> {
    let mut sources: Vec<PersistentVolumeClaimVolumeSource<'a>> = Vec::new();
    for claim in claims {
        let claim_name = text(claim.metadata.name);
        if sources.iter().all(|source| source.claim_name != claim_name) {
            sources.push(PersistentVolumeClaimVolumeSource { claim_name, read_only: None });
        }
    }
    sources
}

/// The volumes of a pod that gets these claims: each takes the place of a volume of its name. A server has them in an order by
/// chance, which indexes of errors show; here they are in that of the claims.
pub(super) fn mount_claims<'a>(
    volumes: &[Volume<'a>],
    claims: &'a [PersistentVolumeClaimVolumeSource<'a>],
) -> Vec<Volume<'a>> {
    let claimed = claims.iter().map(|source| Volume {
        name: source.claim_name,
        persistent_volume_claim: Some(source),
        ..Volume::default()
    });
    let is_left = |volume: &&Volume<'a>| claims.iter().all(|source| source.claim_name != volume.name);
    claimed.chain(volumes.iter().filter(is_left).copied()).collect()
}

/// Whether a request leaves the patterns of claims as they are.
pub(super) fn same_claims(objects: &Objects<'_>) -> bool {
    let Some(old) = objects.old else { return true };
    let (list, new) = spec_member(objects, objects.new, "volumeClaimTemplates");
    let (_, old) = spec_member(objects, old, "volumeClaimTemplates");
    let Kind::List(element) = objects.schema.native(list).1 else { return equal(&new, &old) };
    let part = |claim, name| member(objects.schema, (*element, claim), name).1;
    let same = |new, old| ["metadata", "spec", "status"].iter().all(|name| equal(&part(new, name), &part(old, name)));
    let (new, old) = (new.items(), old.items());
    new.len() == old.len() && new.iter().zip(old).all(|(new, old)| same(*new, *old))
}
