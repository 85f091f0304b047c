//! The registry of tags. One file per family registers name, places, arguments, payload, stability, documentation and
//! compilation; a new tag is a new file, declared and listed here. What lint, promotion and the generator have to know about a
//! tag is part of its registration. Shared state of a family stays inside the family.

mod chain;
mod custom;
mod def;
mod dependent;
mod each;
mod enumeration;
mod format;
mod hints;
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

pub(crate) use chain::{chain_text, level, requiredness, since};
pub use def::{
    ArgDef, ArgKind, Companions, PREFIX, PayloadKind, Requiredness, Standing, TagDef, TagScope, TagStability,
};
pub(crate) use registry::is_marker;
pub use registry::{MARKERS, Marker, all, lookup, named};
pub(crate) use vocabulary::Registered;

/// The families, in the order of the tag reference.
const FAMILIES: &[&[TagDef]] = &[
    lifecycle::TAGS,
    requiredness::TAGS,
    limits::TAGS,
    sizes::TAGS,
    format::TAGS,
    pattern::TAGS,
    enumeration::TAGS,
    neq::TAGS,
    update::TAGS,
    monotonic::TAGS,
    lists::TAGS,
    each::TAGS,
    subfield::TAGS,
    item::TAGS,
    union::TAGS,
    mode::TAGS,
    dependent::TAGS,
    options::TAGS,
    opaque::TAGS,
    custom::TAGS,
    testing::TAGS,
];
