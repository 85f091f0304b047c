//! Comparing what was answered already: a bounded queue, threads that judge, and a watch over them.

mod audit;
mod elsewhere;
mod followed;
mod job;
mod pool;
mod post;
mod private;
mod queue;
mod read;
mod reviews;
mod strangers;
mod turns;
mod worker;

pub use audit::Audit;
pub use elsewhere::{Elsewhere, Judged};
pub use followed::Followed;
pub use job::{Budget, Job, Room};
pub use pool::{Left, Pool};
pub use post::Source;
pub use queue::{Full, Queue};
pub use strangers::Strangers;
pub use turns::Turns;
