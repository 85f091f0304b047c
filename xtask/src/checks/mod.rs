//! The list of handwritten checks: `observe` sees what the validators report, `message` reads bounds and values from what they say,
//! `list` holds that against the list that ships with them.

mod list;
mod observe;

pub use list::{current, missing};
pub use observe::{Amount, observe};
