//! Corpora: imports cases from people's files, redacts them so that they are judged as before, checks, counts and reduces them.

mod coverage;
mod import;
mod jury;
mod min;
mod output;
mod reading;
mod stats;
mod text;
mod verify;

pub(crate) use import::words;
pub use import::{Import, Redaction, import};
pub use min::min;
pub use reading::CorpusInputs;
pub use stats::stats;
pub use verify::verify;
