//! What a run judges: its subjects, where their cases come from, and whether the harness would notice a fault in them.

pub(crate) mod self_check;
mod setting;
pub(crate) mod source;

pub use setting::{Isolation, subjects};
