//! Where runs of several machines are kept together: object stores, and folders that all of them see.
//!
//! [`Location`] is an address such as `s3://bucket/prefix`; [`Storage`] is what is there. This crate opens folders (`file://`) only: object
//! stores take libraries that a first run does without, so [`OpenStorage`] is implemented where they are linked.

mod contract;
mod folder;
mod location;
mod ranges;

pub use contract::{Condition, Listed, OpenStorage, Storage, StorageError, StorageFault, Stored, Version, Written};
pub use folder::{FolderStorage, FoldersOnly, NoObjectStores};
pub use location::{BadLocation, Location, Scheme};
pub(crate) use ranges::RangeReader;
