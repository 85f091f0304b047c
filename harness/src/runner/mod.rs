//! Running cases through judges: in numbered chunks, on any number of threads, to the same evidence.

mod assembly;
mod chunks;
mod controls;
mod elsewhere;
mod error;
mod feed;
mod input;
mod memory;
mod novelty;
mod reference_faults;
mod run;
mod tally;

pub use assembly::{Added, Assembly, AssemblyError};
pub use chunks::{BadRange, BadShard, Chunks, Part, Shard};
pub use controls::{JudgeControls, Seen};
pub use elsewhere::{Away, Elsewhere, ElsewhereError};
pub use error::RunError;
pub use input::{Budget, CaseSource, Cases, Chunk, Heedless, Input, Shown, Unusable, chunk_seed};
pub use run::{Control, Ended, Progress, Run, RunResult};
pub use tally::{Tally, Watch, count};
