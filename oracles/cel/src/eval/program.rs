//! Compiled expressions, and what one evaluation of them gives.

use super::bounds::{Bindings, Limits, Members};
use super::plan::Step;
use super::planner;
use super::run::Run;
use crate::check::{self, CheckErrors, Checked, Environment};
use crate::stack;
use crate::syntax::{self, Ast, SyntaxErrors};
use crate::value::{Error, Outcome, Value};

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

/// What an evaluation gave.
#[derive(Clone, Debug)]
pub struct Evaluation<'a> {
    /// The value, or the error that evaluation ended with.
    pub value: Outcome<Value<'a>>,
    /// The cost, as API servers count it.
    pub cost: u64,
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
        self.run(bindings, None, limits)
    }

    /// Evaluates the expression; members of bindings that are [`Value::Members`](crate::value::Value::Members) are computed when they
    /// are read. What that costs is not counted here.
    #[must_use]
    pub fn evaluate_with<'a>(
        &self,
        bindings: &Bindings<'a>,
        members: &dyn Members<'a>,
        limits: &Limits<'_>,
    ) -> Evaluation<'a> {
        self.run(bindings, Some(members), limits)
    }

    fn run<'a>(
        &self,
        bindings: &Bindings<'a>,
        members: Option<&dyn Members<'a>>,
        limits: &Limits<'_>,
    ) -> Evaluation<'a> {
        let evaluated = stack::with_room(&self.ast, || {
            let mut run = Run::new(bindings, members, limits, self.slots);
            let value = run.step(&self.step);
            Evaluation { value, cost: run.cost }
        });
        evaluated.unwrap_or_else(|| Evaluation { value: Err(Error::fatal("max recursion depth exceeded")), cost: 0 })
    }
}
