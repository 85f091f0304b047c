//! What API servers count of their own validations.

mod counters;
mod watch;

pub(crate) use counters::less;
pub use counters::{ServerCounters, compared};
pub use watch::{ApiServer, ApiServerError, ApiServerSeen, ProcessSeen};
