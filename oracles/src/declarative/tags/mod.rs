//! The registry of tags. One file per family registers name, places, arguments, payload, stability, documentation and
//! compilation; a new tag is a new file and a line in the list of families. What the tags of a family tell each other is theirs alone.

mod chain;
mod custom;
mod def;
mod dependent;
mod each;
mod enumeration;
mod format;
mod item;
mod lifecycle;
mod limits;
pub(crate) mod list_kind;
pub(crate) mod lists;
mod mode;
mod monotonic;
mod neq;
mod opaque;
mod options;
mod parse;
mod pattern;
mod registry;
mod requiredness;
pub(crate) mod sample;
mod sizes;
mod subfield;
mod testing;
mod union;
mod update;
mod vocabulary;

pub(crate) use chain::{chain_text, since};
pub use def::{ArgDef, ArgKind, PREFIX, PayloadKind, Standing, TagDef, TagScope, TagStability};
pub(crate) use registry::is_marker;
pub use registry::{MARKERS, Marker, all, lookup};
pub(crate) use vocabulary::Registered;
