//! Where cases come from: loaders of files people have, objects recorded in this project, the generator, the minimiser
//! that makes what they show readable, and verdicts recorded from Kubernetes.

mod case_document;
mod embedded;
pub mod fixture;
pub mod generate;
pub mod load;
pub mod minimise;
#[cfg(feature = "proptest")]
mod property;
pub mod recorded;
pub mod redact;
pub mod requests;
pub mod select;
mod shortened;
pub mod store;

#[cfg(feature = "proptest")]
pub use property::{CaseTree, Cases, strategy};
