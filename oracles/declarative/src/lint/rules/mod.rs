//! The lints, one family a file.

pub(super) mod default_marker;
pub(super) mod default_value;
pub(super) mod drift;
pub(super) mod graduation;
pub(super) mod invalid;
pub(super) mod lifecycle;
pub(super) mod lost_tags;
pub(super) mod never_fires;
pub(super) mod package;
pub(super) mod requiredness;
pub(super) mod source;
pub(super) mod stability;
pub(super) mod tri_state;
pub(super) mod unknown;
