//! Kinds of values that stand alone: addresses, quantities, versions, URLs, times and named formats.

pub mod format;
pub mod net;
pub mod quantity;
pub mod semver;
pub mod text;
pub mod time;
pub mod url;
