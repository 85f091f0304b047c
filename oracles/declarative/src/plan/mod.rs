//! From types with tags to a program: discovery compiles tags to rules per type, lowering lays them out per path.

pub(crate) mod discover;
pub(crate) mod lower;
mod samples;
