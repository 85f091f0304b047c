//! The report of a run: rules and findings by subject, made of evidence.
//!
//! `model` and `finding` are the data, `build` fills them, `selection` and `diff` take parts and compare two, `forms` writes.

mod build;
mod diff;
mod difference;
mod exceptions;
mod forms;
mod model;
mod place;
mod selection;
mod summary;

pub use build::{Criteria, FindingFile, build, panic_label};
pub use diff::{Change, DIFF_FORMS, Diff, Seen, Stand, Turn};
pub use difference::{Line, Reporter, difference, said};
pub use exceptions::{ExceptionEntry, ExceptionReport, ExceptionState};
pub use forms::{FORMS, html, not_compared, table};
pub use model::{
    Check, ClassReport, ControlsReport, DelegatedReport, FORMAT_VERSION, FieldReport, FindingCase, FindingReport,
    Level, Lifecycle, NotMigrated, Outside, Production, Reasoned, RuleReport, RunReport, SubjectReport, Totals, Twin,
};
pub use selection::{Selection, UnknownKind};
pub use summary::{Standing, Tally, by_kind, in_production, kind_of};
