//! What people and machines read of a run: one report model, and its forms.

mod model;
mod table;

pub use model::{
    DelegatedReport, FORMAT_VERSION, FieldReport, FindingReport, NotMigrated, Report, RuleReport, SubjectReport, Totals,
};
pub use table::table;
