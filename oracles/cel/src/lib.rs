//! CEL as Kubernetes runs it in rules of custom resources.

pub mod syntax;
