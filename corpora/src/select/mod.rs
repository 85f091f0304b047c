//! Chooses among cases: a sample by content, and one of each shape. What is chosen depends on the cases alone, so a run that goes
//! on, and every shard, chooses the same.

mod sample;
mod selection;
mod shape;

pub use sample::{BadSample, Sample, content_hash};
pub use selection::{LeftOut, Selection};
pub use shape::{Dedup, shape_of};
