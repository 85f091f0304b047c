//! The two listeners: the webhook over TLS, and the pages for operators in plain text.

mod accept;
mod body;
mod crowd;
mod idle;
mod keeper;
mod one;
mod pages;
mod running;
mod webhook;

pub(crate) use accept::{IDLE, Listening, accept};
pub(crate) use body::take;
pub use keeper::{Checkpoint, Keep, ReadExceptions};
pub use running::{Ended, Server, Setup, StartError};
pub(crate) use running::{listen, threads, tls};
