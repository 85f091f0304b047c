//! A whole request as a server processes it: what becomes of the object between decoding and validation, and what the user is warned
//! of.

mod prepare;
mod warnings;

pub use prepare::prepare;
pub use warnings::warnings;
