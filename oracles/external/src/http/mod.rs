//! What webhooks and API servers share: requests, the threads that send them, and how a `Status` reads.

#[cfg(not(feature = "https"))]
mod absent;
#[cfg(feature = "https")]
mod client;
#[cfg(test)]
pub(crate) mod fake;
#[cfg_attr(not(feature = "https"), expect(dead_code, reason = "only the client has the rest"))]
mod request;
mod sent;
mod status;
mod unique;
mod workers;

#[cfg(not(feature = "https"))]
pub(crate) use absent::Client;
#[cfg(feature = "https")]
pub(crate) use client::Client;
pub(crate) use request::{NoAnswer, Origin, Repeat, Reply, Trust, TrustError};
pub(crate) use sent::{Sent, group_version, metadata};
pub(crate) use status::{Status, beginning};
pub(crate) use unique::{Uids, word};
pub(crate) use workers::Workers;
