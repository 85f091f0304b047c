//! One policy on one request: conditions, validations, messages and audit annotations, with what they may cost.

mod activation;
mod compiled;
mod outcome;
mod variables;

pub(crate) use activation::Inputs;
pub use compiled::CompiledPolicy;
pub use outcome::{AnnotationResult, Decision, DecisionKind, Evaluation};
