//! The engine of Takeover: runs a reference and a candidate validator over the same Kubernetes objects and gathers
//! evidence of their equivalence. It knows errors, oracles, comparison and evidence, and no Kubernetes kind.
//!
//! The flow of a case through the modules: a [`runner`] takes a [`case`] from its source; its [`subject`] decodes it by the
//! [`schema`] into an [`object::Node`]; a [`judge`] asks both [`oracle::Oracle`]s for their [`error::ErrorList`]s, has them
//! [`compare`]d and lays what differs to [`rule`]s; [`control`]s say what would have been noticed; [`evidence`] counts, [`metrics`] expose, and [`readiness`] concludes.
//! [`exception`]s excuse what is known to differ. [`mod@format`] says which versions of files are read.
//! [`authority`] says which of the errors a user would get.

pub mod authority;
pub mod case;
pub mod compare;
pub mod control;
pub mod error;
pub mod evidence;
pub mod exception;
pub mod format;
pub mod judge;
pub mod metrics;
pub mod object;
pub mod oracle;
pub mod path;
pub mod readiness;
pub mod rule;
pub mod runner;
pub mod schema;
pub mod subject;
pub mod text;
pub mod yaml;
