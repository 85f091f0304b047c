//! Cases as documents: what people write down, corpora hold, and recordings are turned into.
//!
//! The document is described at [`crate::load::cases()`], which reads it.

mod kinds;
mod loaded;
mod read;
mod write;

pub use kinds::CORPUS_FORMAT;
pub(crate) use kinds::{CORPUS_BEGIN, CORPUS_END, OWN_KIND, OWN_VERSION, is_mark, is_other_version};
pub use loaded::{LoadedCase, StoredVerdict};
pub(crate) use read::{CaseDocument, is_recorded};
pub use write::document_of;
