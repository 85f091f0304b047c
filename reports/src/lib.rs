//! What people and machines read of a run: one report model, and its forms.
//!
//! Whatever comes from objects (values, names, messages that quote them) is untrusted in every form: see [`printable`] and
//! [`shortened`], and the escapes of each form.

mod build;
mod diff;
mod excused;
pub mod github;
pub mod html;
mod junit;
pub mod markdown;
mod model;
mod place;
pub mod sarif;
mod selection;
mod sides;
mod summary;
mod table;
mod text;

pub use build::{Criteria, FindingFile, build, panic_label};
pub use diff::{Change, Diff, Seen, Stand, Turn};
pub use excused::{ExceptionEntry, ExceptionReport, ExceptionState};
pub use junit::junit;
pub use model::{
    Check, ClassReport, ControlsReport, DelegatedReport, FORMAT_VERSION, FieldReport, FindingCase, FindingReport,
    Level, Lifecycle, NotMigrated, Outside, Production, Reasoned, Report, RuleReport, SubjectReport, Totals, Twin,
};
pub use selection::{Selection, UnknownKind};
pub use sides::{Line, Reporter, difference, said};
pub use summary::{Standing, Tally, by_kind, counted, in_production, kind_of};
pub use table::{Look, not_compared, table};
pub use text::{acts, json, line, printable, printable_lines, shortened};
