//! What comes in: bodies and lines that wait in a bounded queue or a log, and the cases made from them.

mod audit;
mod followed;
mod job;
mod queue;
mod read;
mod reviews;
mod source;
mod turns;
mod unknown_kinds;

pub use audit::Audit;
pub(crate) use audit::Read;
pub use followed::Followed;
pub(crate) use followed::Step;
pub use job::{BodyBudget, BodyRoom, Job};
pub use queue::{Full, Queue};
pub(crate) use read::Nothing;
pub(crate) use reviews::{PLACE, Reviewed, read};
pub use source::{Arrival, Source};
pub(crate) use turns::Turn;
pub use turns::Turns;
pub use unknown_kinds::UnknownKinds;
