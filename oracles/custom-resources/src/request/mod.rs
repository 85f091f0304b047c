//! A whole request as a server processes it: what becomes of the object between decoding and validation, and what the user is warned
//! of.

mod arrive;
mod prepare;
mod warnings;

pub(crate) use arrive::{DEFAULT_NAMESPACE, SOME_VERSION, generated_name};
pub use arrive::{arrive, arrive_stored};
pub use prepare::prepare;
pub use warnings::warnings;
