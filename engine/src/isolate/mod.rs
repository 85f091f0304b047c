//! Judges subjects in worker processes, because their oracles may end a process: by a stack overflow, an abort, an endless loop,
//! or by taking all the memory that they are allowed.
//!
//! The supervisor keeps a few workers, which are this program again, and hands them whole chunks. A worker notes in a small file what
//! it is doing (`heartbeat`). When it ends, or shows no sign of life for too long, the note names the case and the oracle; a new
//! worker judges the chunk again, with that answer replaced by the way in which the process ended. Everything else comes out as
//! it does in process.

mod guard;
mod heartbeat;
mod isolated_case;
mod isolated_judge;
mod judging_notes;
mod pool;
mod process;
mod process_end;
mod supervise;
mod watched_run;
mod wire;
mod worker;

pub use isolated_case::{IsolatedCase, TOO_LARGE};
pub use isolated_judge::IsolatedJudge;
pub use judging_notes::JudgingNotes;
pub use pool::EndListener;
pub(crate) use pool::{RunWorkers, WorkerPool, WorkerPoolError};
pub use supervise::{SupervisedRun, supervise};
pub use watched_run::WatchedRun;
pub(crate) use wire::{CaseDetails, SoughtCauses};
pub(crate) use worker::examine;
pub use worker::serve;
