//! `storage.k8s.io`.

mod inline_volume;
mod internal_form;
mod source_forms;
mod storage_class;
mod volume_attachment;

pub use storage_class::StorageClasses;
pub use volume_attachment::{VolumeAttachments, VolumeAttachmentsV1alpha1};
