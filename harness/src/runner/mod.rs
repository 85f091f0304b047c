//! Running cases through judges: in numbered chunks, on any number of threads, to the same evidence.

mod chunks;
mod feed;
mod input;
mod run;

pub use chunks::{BadRange, BadShard, Chunks, Part, Shard};
pub use input::{CaseSource, Chunk, Input, Unusable, chunk_seed};
pub use run::{Budget, Control, Ended, Progress, Run, RunError, RunResult};
