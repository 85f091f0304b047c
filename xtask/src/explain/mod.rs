//! Everything that is known of one rule: `find` looks for it, `examples` judges cases of it, `explanation` puts together what is known.
//! `laws` holds objects against a law.
//! `fields` does the same for pairs whose checks nobody lists, `boundary` for the rules on a field of them, `made` for the objects that
//! their sides make.

mod boundary;
mod code_defaults;
mod examples;
mod explanation;
mod fields;
mod find;
mod laws;
mod made;
mod paths;

pub use explanation::{of_law, of_run, of_types};
pub use fields::{by_asking, in_run, nearest_field};
pub use find::{find, find_in};
