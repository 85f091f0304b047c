//! The legacy group (`v1`).

pub mod v1;
