//! VolumeAttachment.

use super::inline_volume::{default_inline_volume, delegated_sources, validate_inline_volume};
use super::internal_form::attachment_spec;
use crate::driver::validate_driver_name;
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::{Covered, IMMUTABLE, too_long};
use crate::types::storage::v1::{
    VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeError,
};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// VolumeAttachments, of the same shape in every version, and their `/status`.
#[derive(Clone, Copy, Debug)]
pub struct VolumeAttachments;

/// VolumeAttachments of `v1alpha1`, which no defaults are registered for.
#[derive(Clone, Copy, Debug)]
pub struct VolumeAttachmentsV1alpha1;

const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// Total bytes of keys and values that attachment metadata may have.
const METADATA_BYTES: usize = 256 * 1024;
/// Longest message of a failure; Kubernetes reports another limit.
const MESSAGE_BYTES: usize = 1024;

impl Served for VolumeAttachments {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|attachment| {
        attachment.edit("spec", |spec| {
            spec.edit("source", |source| source.edit_if_set("inlineVolumeSpec", default_inline_volume));
        });
    });
    const PREPARE: Option<Prepare> = Some(prepare);
}

impl Served for VolumeAttachmentsV1alpha1 {
    type Kind = VolumeAttachments;

    const DECLARED_DEFAULTS: bool = false;
    const PREPARE: Option<Prepare> = Some(prepare);
}

/// A new attachment has no status yet; only `/status` changes it later, and nothing else that a user writes.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource == "status" => {
            new.copy("spec", old);
            let Some(stored) = old.inside("metadata") else { return };
            new.edit("metadata", |meta| {
                for member in [
                    "deletionTimestamp",
                    "generation",
                    "selfLink",
                    "labels",
                    "annotations",
                    "finalizers",
                    "ownerReferences",
                ] {
                    meta.copy(member, &stored);
                }
            });
        }
        Some(old) => new.copy("status", old),
    }
}

impl Checks for VolumeAttachments {
    type Object<'a> = VolumeAttachment<'a>;

    const SCOPE: Scope = Scope::Cluster;
    const UNCONDITIONAL_UPDATE: bool = false;
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &VolumeAttachment, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, &Path::ROOT.child("spec"), errors);
        if let Some(status) = new.status {
            validate_status(status, &Path::ROOT.child("status"), errors);
        }
    }

    /// Everything that a new attachment must be, a changed one must be too.
    fn update(new: &VolumeAttachment, _: &VolumeAttachment, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        let path = Path::ROOT.child("spec");
        if !request.keeps(&path) {
            let printed = attachment_spec(&new.spec, request, &path);
            errors.push(FieldError::invalid(&path, printed, IMMUTABLE).with_origin("immutable").covered());
        }
    }

    fn delegated() -> Vec<Delegated> {
        delegated_sources("spec.source.inlineVolumeSpec")
    }
}

fn validate_spec(spec: &VolumeAttachmentSpec, path: &Path<'_>, errors: &mut ErrorList) {
    validate_driver_name(spec.attacher, Covered::Yes, &path.child("attacher"), errors);
    validate_source(&spec.source, &path.child("source"), errors);
    for problem in subdomain_name(spec.node_name) {
        errors.push(FieldError::invalid(&path.child("nodeName"), spec.node_name, problem));
    }
}

fn validate_source(source: &VolumeAttachmentSource, path: &Path<'_>, errors: &mut ErrorList) {
    let one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    let at = path.child("persistentVolumeName");
    match (source.inline_volume_spec, source.persistent_volume_name) {
        (None, None) => errors.push(FieldError::required(path, one)),
        (Some(_), Some(_)) => errors.push(FieldError::forbidden(path, one)),
        (None, Some("")) => {
            errors.push(FieldError::required(&at, "must specify non empty persistentVolumeName"));
        }
        (None, Some(_)) => {}
        (Some(volume), None) => validate_inline_volume(volume, &path.child("inlineVolumeSpec"), errors),
    }
    if let Some(name) = source.persistent_volume_name {
        for problem in subdomain_name(name) {
            errors.push(FieldError::invalid(&at, name, problem));
        }
    }
}

fn validate_status(status: &VolumeAttachmentStatus, path: &Path<'_>, errors: &mut ErrorList) {
    let metadata = status.attachment_metadata.into_iter().flatten();
    let bytes = metadata.map(|(key, value)| key.len().saturating_add(value.len())).fold(0, usize::saturating_add);
    if bytes > METADATA_BYTES {
        errors.push(too_long(&path.child("attachmentMetadata"), METADATA_BYTES));
    }
    for (error, member) in [(status.attach_error, "attachError"), (status.detach_error, "detachError")] {
        if let Some(error) = error {
            validate_failure(error, &path.child(member), errors);
        }
    }
}

fn validate_failure(failure: &VolumeError, path: &Path<'_>, errors: &mut ErrorList) {
    if failure.message.is_some_and(|message| message.len() > MESSAGE_BYTES) {
        errors.push(too_long(&path.child("message"), METADATA_BYTES));
    }
    if let Some(code) = failure.error_code.filter(|code| *code < 0) {
        let detail = "must be between 0 and 2147483647, inclusive";
        errors.push(FieldError::invalid(&path.child("errorCode"), code, detail));
    }
}
