//! Cases made from a type graph, rules and recorded objects: mostly valid objects with a few planted deviations.
//!
//! Nothing here knows a kind. Every case is a function of a stream of choices, so the seeded soak, a coverage-guided fuzzer
//! and a property test drive the same code.

mod case;
mod choices;
mod deviate;
mod edits;
mod generator;
mod grow;
mod health;
mod layout;
mod plan;
mod pools;
mod rules;
mod settings;
mod site;

pub use case::{GeneratedCase, Planted};
pub use generator::{Chunk, Generator};
pub use health::Health;
pub use plan::Mode;
pub use settings::Settings;
