//! Agreement of our oracles with recorded verdicts: fixtures in, agreement per kind and side out.
//!
//! `fixtures` reads them, `targets` finds what judges one, `sides`, `live` and `matcher` make pairs of what was recorded and what we
//! answer (`oracles`), and `judging` has the judge of the core compare them. `custom` does the same for custom resources,
//! `applied` for server-side apply, and `defaults` for defaulting.

mod applied;
mod custom;
mod defaults;
mod expressions;
mod fixtures;
mod judging;
mod live;
mod made_up;
mod matcher;
mod mismatch;
mod objects;
mod oracles;
mod policies;
pub mod recordings;
mod schema_rules;
mod sides;
mod targets;
mod untold;

pub use fixtures::{ConformSettings, run};
