//! `node.k8s.io`.

mod runtime_class;

pub use runtime_class::{RuntimeClasses, RuntimeClassesV1alpha1};
