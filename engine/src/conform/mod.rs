//! Agreement of our oracles with recorded verdicts: fixtures in, agreement per kind and side out.
//!
//! `fixtures` reads them, `targets` finds what judges one, `sides` judges it.

mod fixtures;
mod live;
mod matcher;
mod mismatch;
mod multiset;
pub mod recordings;
mod sides;
mod targets;

pub use fixtures::{ConformSettings, run};
