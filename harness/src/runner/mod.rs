//! Running cases through judges: in numbered chunks, on any number of threads, to the same evidence.

mod assembly;
mod bases;
mod chunks;
mod controls;
mod error;
mod feed;
mod input;
mod memory;
mod novelty;
mod reference_faults;
mod remote_judge;
mod run;
mod subject_tally;
mod tally;

pub use assembly::{Added, Assembly, AssemblyError};
pub use bases::Base;
pub use chunks::{BadRange, BadShard, Chunks, Part, Shard};
pub use controls::{JudgeControls, Seen};
pub use error::RunError;
pub use input::{Budget, CaseSource, Cases, Chunk, FixedCases, Input, Shown, Unusable, chunk_seed};
pub use remote_judge::{RemoteCases, RemoteJudge, RemoteJudgeError};
pub use run::{Ended, Progress, Run, RunResult, Steering};
pub use subject_tally::Watch;
pub use tally::{Tally, count};
