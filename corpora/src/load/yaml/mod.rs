//! YAML as Kubernetes' tools read it: YAML 1.1 scalars, text keys, one JSON value per document.
//!
//! Differences from `kubectl` that are meant: a repeated key is an error; a directive before `---`, `\/` and surrogate pairs
//! within double quotes are read. One that is not: a lone `-` in flow style (`[-]`) is an error here and a text there.

mod number;
mod scalar;
mod stream;
mod tree;

pub(super) use stream::Stream;
pub(in crate::load) use tree::places;
