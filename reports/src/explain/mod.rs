//! Everything that is known about one rule: `model` holds the data, and each of the other files writes one form.

mod check;
mod made;
mod markdown;
mod model;
mod text;
mod words;

use crate::form::Form;

pub use check::{
    ExplainedCase, ExplainedCheck, ExplainedClass, ExplainedRule, FIELD_FORMS, FieldExplanation, ObservedIn, figures,
};
pub use made::{MadeValue, MadeValues};
pub use model::{
    Breach, Example, Explanation, FORMAT_VERSION, Law, LawTrial, RuleInRun, Shown, Suggestion, TriedObject,
};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<Explanation>] = &[text::FORM, Form::json("For machines: one JSON object"), markdown::FORM];
