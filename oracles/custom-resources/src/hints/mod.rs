//! Constraints of a schema as rules, with values worth trying.

mod alternatives;
mod cel;
mod cel_rows;
mod example;
mod joined;
mod matching;
mod row;
mod rules;
mod sizes;
mod texts;
mod ways;

pub(crate) use cel::{Kept, Settled, absent, agree, implies, lacks, settled, unbounded, uses_old};
pub(crate) use joined::alternatives;
pub(crate) use matching::has_length;
pub(crate) use row::{Constraint, Down, Junctor, Row};
pub(crate) use rules::rows;
pub use texts::around as texts_around;
pub(crate) use texts::lost;
