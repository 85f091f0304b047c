//! What an evaluation is given: variables and bounds.

use crate::value::{Outcome, Value};
use std::sync::atomic::AtomicBool;

/// The variables of one evaluation.
#[derive(Clone, Debug, Default)]
pub struct Bindings<'a>(Vec<(&'a str, Outcome<Value<'a>>)>);

/// Bounds of one evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'l> {
    /// Most cost; more ends the evaluation with an error.
    pub cost: Option<u64>,
    /// Most turns of loops.
    pub turns: u64,
    /// Ends loops when it becomes true.
    pub interrupt: Option<&'l AtomicBool>,
}

/// What API servers allow one call of a rule to cost.
const COST_PER_CALL: u64 = 1_000_000;

/// What computes the members of variables when they are read: [`Value::Members`] names the variable.
pub trait Members<'a>: Sync {
    /// The member of a name, if the variable has it; an error is what reading it gives.
    fn member(&self, name: &str) -> Option<Outcome<Value<'a>>>;
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { cost: Some(COST_PER_CALL), turns: 10_000_000, interrupt: None }
    }
}

impl<'a> Bindings<'a> {
    /// Binds a variable, to a value or to the error that reading it gives.
    #[must_use]
    pub fn with(mut self, name: &'a str, value: Outcome<Value<'a>>) -> Self {
        self.0.push((name, value));
        self
    }

    pub(super) fn get(&self, name: &str) -> Option<&Outcome<Value<'a>>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}
