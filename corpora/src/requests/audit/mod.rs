//! API server audit logs (`audit.k8s.io/v1`): events in, requests out.
//!
//! An event of an update does not hold the object that is replaced. [`Replay`] rebuilds it from what earlier events show: answers
//! to writes and reads of the same object. It is *certain* when
//!
//! * the request names the resource version that was seen, or left it as it was; or
//! * the log is complete around the request: its beginning and that of all others is there (stage `RequestReceived`), no request
//!   on the object is lost or ran at the same time, and the object never changed without an event.
//!
//! Otherwise it has a [`Doubt`](super::Doubt). Memory is bounded: objects seen longest ago are let go.

mod event;
mod flight;
mod objects;
mod patch;
mod replay;
#[cfg(test)]
mod tests;

pub use replay::Replay;

/// `apiVersion` of the events that are read.
pub const API_VERSION: &str = "audit.k8s.io/v1";
