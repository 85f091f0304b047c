//! The functions that rules may call, a family a file.

mod address;
mod convert;
pub mod format;
mod formatting;
mod lists;
pub mod net;
mod objects;
mod optional;
pub mod pattern;
pub mod quantity;
mod regex;
mod registry;
pub mod semver;
mod sets;
mod standard;
mod strings;
pub mod text;
pub mod time;
mod times;
pub mod url;

pub(crate) use convert::shown;
pub(crate) use registry::{Call, Function, function, is_conversion};
pub(crate) use standard::insert;
