//! The group `resource.k8s.io`: dynamic resource allocation.
//!
//! `names` and `lists` (checks that all of its kinds share) → `selector`, `configuration`, `binding` (parts of several kinds)
//! → one file per kind.

pub mod binding;
pub mod configuration;
pub mod device_class;
pub mod lists;
pub mod names;
pub mod selector;
