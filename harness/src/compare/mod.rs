//! Comparison of two answers, by Kubernetes' algorithm, by fields, word for word, by decision or by the objects, and the differences
//! that it finds.

mod alternatives;
mod comparator;
mod comparison;
mod difference;
mod fields;
mod kubernetes;
mod matched;
mod matter;
mod note;
mod reason;
mod signature;
mod values;
mod verbatim;

pub use crate::cause::{Cause, NotACause, Relation};
pub use alternatives::{alternatives, perhaps_alternatives};
pub use comparator::{Comparator, ComparedBy};
pub use comparison::Comparison;
pub use difference::{Difference, DifferenceKind, Direction, What};
pub(crate) use kubernetes::answered;
pub use kubernetes::{
    Advice, Candidates, Matcher, Mismatch, Participation, Semantics, compare, compare_into, mismatches,
};
pub use matched::{key_text, matched};
pub use matter::Matter;
pub use note::{Note, NoteKind, Noted};
pub(crate) use note::{steadiness, take_notes};
pub use reason::Reason;
pub(crate) use reason::{is_said_in, message_shape};
pub use signature::{Signature, SignatureError};
pub use values::Unset;
