//! Compiled expressions.

use takeover_cel::check::Environment;
use takeover_cel::types::Type;
use takeover_cel::{CompileError, Program};

/// An expression as compiled.
#[derive(Debug)]
pub(crate) struct Expression {
    /// Its text, as it is written.
    pub(crate) text: String,
    /// What runs, or why it does not compile.
    pub(crate) program: Result<Program, Failure>,
}

/// Why an expression does not compile, in the words of API servers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Failure {
    text: String,
    /// Whether an API server calls it an internal error.
    pub(crate) is_internal: bool,
}

impl Expression {
    /// Compiles an expression; its type must be one of `expected`; an empty list allows every type.
    pub(crate) fn compile(text: &str, environment: &Environment, expected: &[Type]) -> Self {
        Self { text: text.to_owned(), program: compile(text, environment, expected) }
    }

    /// The type that it was found to have.
    pub(crate) fn output(&self) -> Option<&Type> {
        self.program.as_ref().ok().map(|program| program.checked().output())
    }
}

fn compile(text: &str, environment: &Environment, expected: &[Type]) -> Result<Program, Failure> {
    let invalid = |text: String| Failure { text, is_internal: false };
    let fits = |output: &str| {
        let names: Vec<String> = expected.iter().map(Type::full_name).collect();
        if names.is_empty() || names.iter().any(|name| name == output) {
            return Ok(());
        }
        Err(invalid(match names.as_slice() {
            [only] => format!("must evaluate to {only} but got {output}"),
            several => format!("must evaluate to one of [{}] but got {output}", several.join(" ")),
        }))
    };
    match Program::compile(text, environment) {
        Ok(program) => fits(&program.checked().output().full_name()).map(|()| program),
        Err(CompileError::Plan { error, output }) => {
            fits(&output)?;
            Err(Failure { text: format!("program instantiation failed: {error}"), is_internal: true })
        }
        Err(error) => Err(invalid(format!("compilation failed: {error}"))),
    }
}
