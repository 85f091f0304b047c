//! The handwritten references: validators and defaulters over typed objects, as a Kubernetes maintainer writes them.
//!
//! `names` (syntax of names and label keys) → `labels`, `meta`, `selector` (parts that every kind has) → one module per
//! group and version with one file per kind. Written independently of the declarative engine.

pub mod admissionregistration;
pub mod apps;
pub mod autoscaling;
pub mod batch;
pub mod certificates;
pub mod checks;
pub mod conditions;
pub mod core;
pub mod defaulted;
pub mod discovery;
pub mod distinct;
pub mod driver;
pub mod endpoint_ip;
pub mod flowcontrol;
pub mod go_json;
pub mod int_or_percent;
pub mod kind;
pub mod labels;
pub mod meta;
pub mod names;
pub mod net;
pub mod networking;
pub mod node;
pub mod policy;
pub mod ports;
pub mod prepare;
pub mod quantity;
pub mod rbac;
pub mod report;
pub mod request;
pub mod resource;
pub mod selector;
pub mod storage;
pub mod strategy;
pub mod strconv;
pub mod time;
pub mod typed_pair;
pub mod types;
pub mod url;
