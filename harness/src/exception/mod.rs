//! Findings that are excused for a while: by whom, why, and until when.
//!
//! An [`Exception`] is about one signature and the rules that it is attributed to ([`FindingEntry`]), or about one cause in a pattern of
//! fields ([`CauseEntry`]); and it has an end. Of a signature, the version of the subject is the only part that may be left open, and
//! then the exception says how many signatures it stands for: whatever differs in operation, relation, direction, cause, type, path,
//! origin or rule is another finding, and is not excused. An exception also records how often and in which classes of values its
//! findings occurred: when they occur in another class, or in a share of the cases that is ten times as large, something else is
//! hidden behind it, and it excuses nothing. [`Excuses`] holds exceptions against the evidence of a run.

mod about;
mod entry;
mod excuses;
mod fields;
mod list;
mod share;

pub use about::{About, CauseEntry, FindingEntry, any_version};
pub use entry::{Exception, ExceptionId};
pub use excuses::{Excuse, Excuses, Standing};
pub use fields::{FieldPattern, NotAPattern};
pub use list::{Exceptions, Fault};
pub use share::{NotAShare, Occurrence, Share};
