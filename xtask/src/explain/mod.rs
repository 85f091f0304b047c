//! Everything that is known of one rule.

mod examples;
mod explanation;
mod find;
mod markdown;
mod render;

pub use explanation::Explanation;
pub use find::{find, find_in};
pub use markdown::markdown;
pub use render::render;
