//! Authority: which errors the user gets, by the gates of a release.

mod decision;
mod policy;

pub use decision::{Decision, decide};
pub use policy::{AuthorityPolicy, LifecycleGates, LifecycleRelease, TakeoverGates};
