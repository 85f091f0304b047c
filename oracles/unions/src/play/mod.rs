//! Every request of every client to every server, and the stored result.
//!
//! [`Played`] is a union with one member that the older version lacks. Its [cells](Played::cells) are the combinations that are possible,
//! and [`Played::play`] sends the requests of one of them.

mod cell;
mod client;
mod outcome;
mod party;
mod played;
mod request;
mod server;

pub use cell::{Cell, Client, Intent, Stored, Treatment, Verb, Version};
pub use outcome::{Exchange, Outcome, Verdict};
pub use played::{PlayError, Played};
pub use server::Normalise;
