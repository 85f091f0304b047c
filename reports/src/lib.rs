//! What people and machines read: one folder for each kind of report, with its data and its forms, and the writers that they share.
//!
//! Every report lists its [`Form`]s once: the command line uses their names, and run folders keep some of them.
//!
//! Whatever comes from objects (values, names, messages that quote them) is untrusted in every form: see [`printable`] and
//! [`shortened`], and the escapes of each form.

pub mod admission;
mod annotation;
pub mod cluster;
pub mod conform;
pub mod explain;
mod form;
pub mod gate;
mod layout;
pub mod lint;
mod markup;
mod numbers;
pub mod promote;
pub mod run;
mod sarif;
pub mod scan;
mod severity;
pub mod subjects;
mod text;
pub mod validate;

pub use annotation::{is_builtin, user_file};
pub use form::{Form, FormError};
pub use layout::Look;
pub use numbers::{counted, grouped, percent};
pub use run::{
    Answer, ApiServerCounts, CaseDifference, CauseRow, Change, Check, CheckAnswer, CheckCounts, ChecksReport,
    ClassReport, ControlsReport, Criteria, DelegatedReport, Diff, ExceptionEntry, ExceptionReport, ExceptionState,
    FORMAT_VERSION, FieldReport, FindingCase, FindingFile, FindingReport, FindingStanding, Level, LevelledRule,
    Lifecycle, Line, ListedCheck, NotMigrated, NotSelected, NoteReport, ObservedReport, Outside, PairVerdict,
    Production, ReadError, Reasoned, Refuses, Reporter, RuleReport, RunReport, Seen, Selection, Stand, SubjectReport,
    Summary, Totals, Turn, Twin, VerdictKind, among, because, build, by_kind, difference, in_production, kind_of,
    not_compared, panic_label, said, sentence,
};
pub use severity::Severity;
pub use text::{acts, json, line, printable, printable_lines, printable_text, shell_quoted, shortened};
