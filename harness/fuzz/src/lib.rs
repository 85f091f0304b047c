//! What the fuzz targets do with their bytes: ordinary functions that panic when something does not hold.
//!
//! The program of the workspace includes this file, so that seeds and finds are tried with every `cargo test`, and
//! `cargo xtask fuzz` works where libFuzzer does not.

mod equivalence;
mod files;
mod go;
mod target;

pub use equivalence::{Broken, Equivalence, Known};
pub use files::{fixture_reader, manifest_loader};
pub use go::{go_front_end, tag_parser};
pub use target::Target;
