//! Corpora: cases imported from what people have, redacted so that they are judged as before, checked, counted and cut down.

mod coverage;
mod import;
mod jury;
mod min;
mod output;
mod reading;
mod stats;
mod text;
mod verify;

pub use import::{Import, Redaction, import};
pub use min::min;
pub use stats::stats;
pub use verify::verify;
