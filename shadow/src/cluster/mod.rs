//! A check against a cluster: the shipped webhook configuration is registered, objects are sent, and what the shadow server counts is held
//! against the API server's own counters.
//!
//! [`check`] does all of it. The shadow server runs in this process, with a certificate that is made for it. Creates are dry runs. So are
//! updates, but for the old object, which is stored for a moment: in a namespace of the check, or for the cluster under a name that nobody
//! else has and with a label. Whatever is created is deleted at the end, the webhook configurations first.

mod created;
mod discovery;
mod manifest;
mod object;
mod offer;
mod reach;
mod run;
mod variant;

pub use run::{ClusterCheck, check};
