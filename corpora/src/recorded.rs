//! The objects recorded in this project, built into the program.

use crate::load::Input;

/// Path within `corpora/` and text of every recorded file, in the order of the paths.
#[must_use]
pub fn builtin() -> &'static [(&'static str, &'static str)] {
    include!(concat!(env!("OUT_DIR"), "/recorded.rs"))
}

/// The recorded files as inputs of [`load`](crate::load::load).
#[must_use]
pub fn inputs() -> Vec<Input> {
    builtin().iter().map(|(path, text)| Input::stream(*path, text.as_bytes())).collect()
}
