//! The functions that rules may call, a family a file.

mod access;
mod address;
mod call;
mod convert;
mod formatting;
mod go_classes;
mod go_syntax;
mod lists;
mod objects;
mod optional;
pub mod pattern;
mod regex;
mod registry;
mod sets;
mod standard;
mod strings;
mod times;

pub(crate) use call::{Call, Function};
pub(crate) use convert::shown;
pub(crate) use registry::{function, is_conversion};
pub(crate) use standard::insert;
