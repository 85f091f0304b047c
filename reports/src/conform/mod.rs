//! How our oracles agree with recorded verdicts: `model` adds up the counts, and `table` writes them for people.

mod model;
mod table;

use crate::form::Form;

pub use model::{
    Agreement, AgreementCount, CAUSES, CEL_COST, DECLARATIVE, DECODE, DEFAULTED, Disagreement, ERRORS, EXTRACTED,
    FixtureExample, FixtureSignature, HANDWRITTEN, MARKER, MERGED, MISMATCHES, PRUNED, REFUSED, STORED, TEXTS,
    VALIDATED, WARNINGS,
};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<Agreement>] = &[table::FORM, Form::json("For machines: one JSON object")];
