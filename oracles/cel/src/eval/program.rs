//! Compiled expressions, and what one evaluation of them gives.

use super::plan::Step;
use super::planner;
use super::run::Run;
use crate::check::{self, CheckErrors, Checked, Environment};
use crate::stack;
use crate::syntax::{self, Ast, SyntaxErrors};
use crate::value::{Error, Outcome, Value};
use std::sync::atomic::AtomicBool;

/// A compiled expression.
#[derive(Debug)]
pub struct Program {
    ast: Ast,
    checked: Checked,
    step: Step,
    slots: usize,
}

/// Why an expression does not compile.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CompileError {
    /// The text is no expression.
    #[error(transparent)]
    Syntax(#[from] SyntaxErrors),
    /// Types do not fit.
    #[error(transparent)]
    Check(#[from] CheckErrors),
    /// A constant part of it fails.
    #[error("{error}")]
    Plan {
        /// Why.
        error: Error,
        /// The type that the expression has.
        output: String,
    },
}

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

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { cost: Some(COST_PER_CALL), turns: 10_000_000, interrupt: None }
    }
}

/// What an evaluation gave.
#[derive(Clone, Debug)]
pub struct Evaluation<'a> {
    /// The value, or why there is none.
    pub value: Outcome<Value<'a>>,
    /// The cost, as API servers count it.
    pub cost: u64,
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

impl Program {
    /// Compiles an expression.
    ///
    /// # Errors
    /// Returns why an API server would refuse it.
    pub fn compile(text: &str, environment: &Environment) -> Result<Self, CompileError> {
        let ast = syntax::parse(text)?;
        let checked = check::check(&ast, environment)?;
        Self::from_checked(ast, checked)
    }

    /// Plans an expression that was checked.
    ///
    /// # Errors
    /// Fails if a constant part of it fails.
    pub fn from_checked(ast: Ast, checked: Checked) -> Result<Self, CompileError> {
        let planned = stack::with_room(&ast, || planner::plan(&ast, &checked))
            .unwrap_or_else(|| Err(Error::fatal("max recursion depth exceeded")));
        let (step, slots) =
            planned.map_err(|error| CompileError::Plan { error, output: checked.output().full_name() })?;
        Ok(Self { ast, checked, step, slots })
    }

    /// The tree.
    #[must_use]
    pub fn ast(&self) -> &Ast {
        &self.ast
    }

    /// Types and references.
    #[must_use]
    pub fn checked(&self) -> &Checked {
        &self.checked
    }

    /// Evaluates the expression.
    #[must_use]
    pub fn evaluate<'a>(&self, bindings: &Bindings<'a>, limits: &Limits<'_>) -> Evaluation<'a> {
        let evaluated = stack::with_room(&self.ast, || {
            let mut run = Run::new(bindings, limits, self.slots);
            let value = run.step(&self.step);
            Evaluation { value, cost: run.cost }
        });
        evaluated.unwrap_or_else(|| Evaluation { value: Err(Error::fatal("max recursion depth exceeded")), cost: 0 })
    }
}
