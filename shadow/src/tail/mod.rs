//! Audit logs on disk, followed while an API server writes them: appended lines in order, through rotation, truncation and restarts.
//!
//! A `Follower` reads one line when it is asked for one, so a file waits as long as whoever compares is busy, and memory holds a
//! single line. Each line comes with the [`Position`] after it. Positions are kept with the evidence that they belong to: what was
//! counted before a restart is not counted again, and what was written meanwhile is read.

mod at_hand;
mod follow;
mod log;
mod meters;
mod position;
mod rotated;
#[cfg(test)]
mod tests;

pub use at_hand::LinesAtHand;
pub(crate) use follow::{Follower, Line, Most, Next};
pub(crate) use meters::{Became, TailCounters, TailMeters};
pub use position::{LogMark, Position, Start, Tail};
