//! Oracles outside this program: processes that speak the oracle protocol, here or behind a socket, admission webhooks, live API servers.

pub mod exec;
mod group;
mod http;
pub mod protocol;
pub mod server;
pub mod socket;
pub mod webhook;

/// Whether this build can ask webhooks and servers.
pub const HAS_HTTPS: bool = cfg!(feature = "https");
