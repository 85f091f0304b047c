//! YAML as Kubernetes' tools read it: YAML 1.1 scalars, text keys, one JSON value per document.

mod number;
mod scalar;
mod stream;
mod tree;

pub(super) use stream::Stream;
