//! Everything that is known of one rule.

mod examples;
mod find;
mod render;

pub use find::find;
pub use render::render;
