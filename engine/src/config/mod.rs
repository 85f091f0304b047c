//! `takeover.toml`: what a project decides once, and the file of exceptions that it names.

mod exceptions;
mod mistake;
mod sections;
mod settings;

pub use exceptions::entry;
pub use mistake::TomlMistake;
pub use sections::{BudgetSection, CorporaSection, FieldValidationName, Floor, GateSection, SubjectsSection};
pub use settings::{Config, EXAMPLE, FILE, read_exceptions};
