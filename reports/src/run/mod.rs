//! The report of a run: the rules and findings of each pair, made from evidence.
//!
//! `model`, `rule`, `finding` and `exceptions` hold the data, `build` and `findings` fill them in. `answer` says which checks may be
//! deleted, and has the summary that every form shows. `by_cause` puts the findings into rows by cause. `selection` takes a part of a
//! report, `diff` compares two reports, and `forms` writes them. `comparison` has the words for each way of comparing answers, `cause`
//! those for each cause of a difference, and `notes` is what is no difference, `unfinished` how far a run came that was stopped.

mod answer;
mod answered;
mod build;
mod by_cause;
mod cause;
mod cause_row;
mod checks;
mod comparison;
mod diff;
mod difference;
mod exceptions;
mod finding;
mod findings;
mod forms;
mod kinds;
mod model;
mod notes;
mod observed;
mod opening;
mod production;
mod read;
mod rule;
mod same_check;
mod selection;
mod standing;
mod subject;
mod suggestion;
mod traffic;
mod unfinished;
mod verdict;

pub use answer::{
    Answer, CaseSums, CheckAnswer, CheckSums, DefaultSums, FaultSums, FindingSums, LawSums, PairSums, RuleSums,
    Summary, sentence,
};
pub(crate) use answer::{MATTERS, apart_defaults, rows};
pub use build::{Criteria, build};
pub use cause::because;
pub use cause_row::CauseRow;
pub use checks::{CheckCounts, ChecksReport, ListedCheck};
pub use diff::{Change, DIFF_FORMS, Diff, PairChange, PairStand, Seen, Stand, Turn};
pub use difference::{Line, Reporter, bounded, difference, said, value_lines};
pub use exceptions::{ExceptionEntry, ExceptionReport, ExceptionState};
pub use finding::{CaseDifference, FindingCase, FindingReport};
pub use findings::{FindingFile, panic_label};
pub use forms::{FORMS, html, not_compared, table};
pub use kinds::{by_kind, in_production, kind_of};
pub use model::{FORMAT_VERSION, NOT_SELECTED, Outside, RunReport, Whereabouts};
pub use notes::NoteReport;
pub use observed::{ObservedReport, Refuses};
pub use production::{ApiServerCounts, Production};
pub use read::ReadError;
pub use rule::{Check, ClassReport, ControlsReport, Level, LevelledRule, Lifecycle, Reasoned, RuleReport, Twin};
pub use selection::{NotSelected, Selection, among};
pub use standing::FindingStanding;
pub use subject::{DelegatedReport, FieldReport, NotMigrated, PairVerdict, SubjectReport, Totals};
pub use unfinished::Unfinished;
pub use verdict::VerdictKind;
