//! What people and machines read of a run: one report model, and its forms.

mod build;
mod model;
mod table;

pub use build::{FindingFile, build, panic_label};
pub use model::{
    ClassReport, ControlsReport, DelegatedReport, FORMAT_VERSION, FieldReport, FindingReport, NotMigrated, Reasoned,
    Report, RuleReport, SubjectReport, Totals,
};
pub use table::table;
