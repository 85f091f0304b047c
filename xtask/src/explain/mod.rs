//! Everything that is known of one rule: `find` looks for it, `examples` judges cases of it, `explanation` puts together what is known.

mod examples;
mod explanation;
mod find;

pub use explanation::{of_builtin, of_run};
pub use find::{find, find_in};
