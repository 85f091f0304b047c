//! The stages of a check: types first, then the literals of what has them.

use super::checked::{CheckErrors, Checked};
use super::checker::Checker;
use super::environment::Environment;
use super::{format_clauses, literals};
use crate::stack;
use crate::syntax::Ast;
use crate::types::Type;

/// Checks an expression: names, fields, overloads, and the literals that API servers look at.
///
/// # Errors
/// Returns everything that is wrong, in the words and the order of API servers.
pub fn check(ast: &Ast, environment: &Environment) -> Result<Checked, CheckErrors> {
    stack::with_room(ast, || run(Checker::new(ast, environment))).unwrap_or_else(|| {
        Err(CheckErrors::new(ast.source(), vec![ast.source().issue(0, "max recursion depth exceeded")], 1))
    })
}

fn run(mut checker: Checker<'_>) -> Result<Checked, CheckErrors> {
    checker.node(checker.ast.root());
    if checker.too_large {
        checker.issues.clear();
        checker.found = 0;
        checker.report_at(0, "expression is too large to check".to_owned());
    }
    if checker.found == 0 {
        for index in 0..checker.types.len() {
            let Some(slot) = checker.types.get_mut(index) else { break };
            *slot = slot.take().map(|ty| checker.mapping.substitute(&ty, true));
        }
        literals::validate(&mut checker);
        format_clauses::validate(&mut checker);
    }
    let Checker { ast, types, references, issues, found, .. } = checker;
    if found > 0 {
        let source = ast.source();
        let issues = issues.into_iter().map(|(offset, message)| source.issue(offset, message)).collect();
        return Err(CheckErrors::new(source, issues, found));
    }
    let output = types.get(ast.root().index()).cloned().flatten().unwrap_or(Type::Error);
    Ok(Checked { types, references, output })
}
