//! What people and machines read of a run: one report model, and its forms.

mod build;
mod model;
mod table;
mod text;

pub use build::{FindingFile, build, panic_label};
pub use model::{
    Check, ClassReport, ControlsReport, DelegatedReport, FORMAT_VERSION, FieldReport, FindingCase, FindingReport,
    Level, Lifecycle, NotMigrated, Outside, Reasoned, Report, RuleReport, SubjectReport, Totals, Twin,
};
pub use table::table;
pub use text::{acts, printable, printable_lines, shortened};
