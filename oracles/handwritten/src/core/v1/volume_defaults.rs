//! Defaults of a pod's volumes.

use super::image::default_pull_policy;
use super::part_defaults::{default_field_selector, default_requirements};
use takeover_harness::object::{Edit, Node};

/// Default permissions of projected files: `rw-r--r--`.
const FILE_MODE: Node<'static> = Node::Int(0o644);
/// Default lifetime of a projected token, in seconds.
const TOKEN_SECONDS: Node<'static> = Node::Int(3600);
/// Default lifetime of a projected certificate, in seconds.
const CERTIFICATE_SECONDS: Node<'static> = Node::Int(24 * 3600);

/// Defaults of one volume. A volume without source is an empty directory.
pub(super) fn default_volume(volume: &mut Edit<'_>) {
    if !volume.sets_more_than(&["name"]) {
        volume.set("emptyDir", Edit::empty_struct(true));
        return;
    }
    for source in ["secret", "configMap"] {
        volume.edit_if_set(source, |source| source.set_default("defaultMode", FILE_MODE));
    }
    volume.edit_if_set("downwardAPI", |source| {
        source.set_default("defaultMode", FILE_MODE);
        default_downward_items(source);
    });
    volume.edit_if_set("projected", default_projected);
    volume.edit_if_set("image", |source| {
        let policy = default_pull_policy(source.text("reference"));
        source.set_default_text("pullPolicy", policy);
    });
    default_shared_sources(volume);
    volume.edit_if_set("ephemeral", |source| {
        source.edit_if_set("volumeClaimTemplate", |template| {
            template.edit("spec", default_claim_spec);
        });
    });
}

/// Defaults of what a claim asks of storage.
pub fn default_claim_spec(claim: &mut Edit<'_>) {
    claim.set_default_text("volumeMode", "Filesystem");
    claim.edit_if_set("resources", default_requirements);
}

/// Defaults of the sources that pods and persistent volumes share.
pub fn default_shared_sources(volume: &mut Edit<'_>) {
    volume.edit_if_set("hostPath", |source| source.set_default("type", Node::Text("")));
    volume.edit_if_set("iscsi", |source| source.set_default_text("iscsiInterface", "default"));
    volume.edit_if_set("rbd", |source| {
        source.set_default_text("pool", "rbd");
        source.set_default_text("user", "admin");
        source.set_default_text("keyring", "/etc/ceph/keyring");
    });
    volume.edit_if_set("azureDisk", |source| {
        source.set_default_text("cachingMode", "ReadWrite");
        source.set_default_text("fsType", "ext4");
        source.set_default("readOnly", Node::Bool(false));
        source.set_default_text("kind", "Shared");
    });
    volume.edit_if_set("scaleIO", |source| {
        source.set_default_text("storageMode", "ThinProvisioned");
        source.set_default_text("fsType", "xfs");
    });
}

fn default_projected(projected: &mut Edit<'_>) {
    projected.set_default("defaultMode", FILE_MODE);
    projected.edit_each("sources", |source| {
        source.edit_if_set("downwardAPI", default_downward_items);
        source.edit_if_set("serviceAccountToken", |token| token.set_default("expirationSeconds", TOKEN_SECONDS));
        source.edit_if_set("podCertificate", |certificate| {
            certificate.set_default("maxExpirationSeconds", CERTIFICATE_SECONDS);
        });
    });
}

fn default_downward_items(source: &mut Edit<'_>) {
    source.edit_each("items", |item| item.edit_if_set("fieldRef", default_field_selector));
}
