//! The registry of tags. One file per family registers name, places, arguments, payload, stability, documentation and
//! compilation; a new tag is a new file and a line in the list of families.

mod custom;
mod def;
mod dependent;
mod each;
mod enumeration;
mod format;
mod item;
mod lifecycle;
mod limits;
pub(crate) mod lists;
mod mode;
mod monotonic;
mod neq;
mod opaque;
mod options;
mod parse;
mod pattern;
pub mod reference;
mod registry;
mod requiredness;
pub(crate) mod sample;
mod sizes;
mod subfield;
mod testing;
mod union;
mod update;

pub use def::{ArgDef, ArgKind, PayloadKind, Place, Standing, TagDef, TagStability};
pub(crate) use def::{chain_text, least_settled, since};
pub use registry::{MARKERS, Marker, PREFIX, all, lookup};
pub(crate) use registry::{State, is_marker};
