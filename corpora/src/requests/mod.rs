//! Writes to an API server as recordings show them.
//!
//! * [`audit`] reads audit logs: an update's old object is rebuilt from what earlier events say of the same object.
//! * [`admission`] reads AdmissionReviews, which hold both objects.
//!
//! Both take one event or review at a time, in the order in which the server wrote them, and answer with a [`Request`], so that a
//! tailed log or a webhook gives the same cases as files that are read later. What no case can come of has a [`Skip`]; an old
//! object that may not be the one the server judged has a [`Doubt`].

pub mod admission;
pub mod audit;
mod request;
mod why;

/// Longest name or id, in bytes, that requests are remembered by.
const LONGEST_NAME: usize = 512;

pub use request::{Old, Request, Skipped, Unread};
pub use why::{Doubt, Skip};
