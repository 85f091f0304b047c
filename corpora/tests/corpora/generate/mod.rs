//! The generator over a small hand-made type graph with hand-made rules.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

mod fixture;
mod further;
mod planting;
mod random;
mod seeds;
