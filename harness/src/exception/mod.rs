//! Findings that are excused for a while: by whom, why, and until when.
//!
//! An [`Exception`] names one signature, the rules that it is laid to, and an end. The version of the subject is the only part that
//! it may leave open, and then it says how many signatures it stands for: whatever differs in operation, direction, type, path,
//! origin or rule is another cause, and is not excused. [`Excuses`] holds exceptions against the evidence of a run.

mod entry;
mod excuses;
mod list;

pub use entry::{Exception, ExceptionId};
pub use excuses::{Excuse, Excuses, Standing};
pub use list::{Exceptions, Fault};
