//! The engine of Takeover: asks a reference and a candidate oracle about the same Kubernetes objects and gathers
//! evidence of their equivalence. It knows errors, oracles, comparison and evidence, and no Kubernetes kind.
//!
//! The flow of a case through the modules: a [`runner`] takes a [`case`] from its source; the [`form`] of its [`pair`] decodes it
//! by the [`schema`] into an [`object::Node`]; a [`judge`] puts the question to both [`oracle::Oracle`]s, has their answers
//! [`compare`]d and attributes what differs to [`rule`]s; [`control`]s say what would have been noticed; [`evidence`] counts,
//! [`metrics`] expose, and [`readiness`] concludes. [`exception`]s excuse what is known to differ. [`mod@format`] says which versions
//! of files are read.
//! [`authority`] says which of the errors a user would get.

pub mod authority;
pub mod case;
pub mod catalogue;
mod cause;
pub mod check;
pub mod compare;
pub mod control;
pub mod error;
pub mod evidence;
pub mod exception;
pub mod form;
pub mod format;
pub mod judge;
pub mod metrics;
pub mod object;
pub mod oracle;
pub mod pair;
pub mod path;
pub mod property_names;
pub mod reach;
pub mod readiness;
pub mod release;
pub mod rule;
pub mod runner;
pub mod schema;
pub mod side;
pub mod subject;
pub mod text;
pub mod wiring;
pub mod yaml;
