//! The group `resource.k8s.io`: dynamic resource allocation.
//!
//! `names` and `lists` (checks that all of its kinds share) → `selector`, `toleration`, `configuration`, `binding` (parts of
//! several kinds) → `request`, `claim_spec`, `allocation`, `device_status` (the parts of a claim) → one file per kind. `flat`
//! is the shape of claims in `v1beta1`.

pub mod allocation;
pub mod attribute;
pub mod basic_slice;
pub mod binding;
pub mod capacity;
pub mod claim_spec;
pub mod configuration;
pub mod counters;
pub mod defaults;
pub mod device;
pub mod device_class;
pub mod device_status;
pub mod flat;
pub mod go_form;
pub mod lists;
pub mod names;
mod nodes;
pub mod request;
pub mod resource_claim;
pub mod resource_claim_template;
pub mod resource_slice;
pub mod selector;
pub mod taint;
pub mod toleration;
