//! What webhooks and API servers share: requests, the threads that send them, and how a `Status` reads.

mod client;
#[cfg(test)]
pub(crate) mod fake;
mod sent;
mod status;
mod unique;
mod workers;

pub(crate) use client::{Client, NoAnswer, Origin, Repeat, Reply, Trust, TrustError};
pub(crate) use sent::{Sent, group_version, metadata};
pub(crate) use status::{Status, beginning};
pub(crate) use unique::{Uids, word};
pub(crate) use workers::Workers;
