//! The parser: the `cel` crate's, behind a trait, within our bounds.

use super::ast::Ast;
use super::guard::{self, Bound, MAX_LENGTH};
use super::lower::lower;
use super::offsets::{Offsets, SyntaxErrors};
use super::source::{Issue, Source};
use std::sync::Arc;

/// Turns text into a tree.
pub trait Parse {
    /// Parses `source`.
    ///
    /// # Errors
    /// Returns what is wrong with the text, in the words of API servers.
    fn parse(&self, source: &Arc<Source>) -> Result<Ast, SyntaxErrors>;
}

/// Parses an expression with the default parser.
///
/// # Errors
/// Returns what is wrong with the text, in the words of API servers.
pub fn parse(text: &str) -> Result<Ast, SyntaxErrors> {
    CelParser.parse(&Arc::new(Source::new(text)))
}

/// The parser of the `cel` crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct CelParser;

/// Deeper texts are parsed on a thread with a stack of its own.
const DEPTH_OF_STACK: usize = 40;
const STACK_BYTES: usize = 256 << 20;
/// Nesting of one rule of the grammar.
const MAX_RULES: u16 = 250;

impl Parse for CelParser {
    fn parse(&self, source: &Arc<Source>) -> Result<Ast, SyntaxErrors> {
        let size = source.text().chars().count();
        if size > MAX_LENGTH {
            let message = format!("expression code point size exceeds limit: size: {size}, limit {MAX_LENGTH}");
            return Err(refused(source, message));
        }
        match guard::bound(source.text()) {
            Bound::TooDeep => Err(refused(source, super::lower::too_deep())),
            Bound::Links(links) if links <= DEPTH_OF_STACK => parsed(source),
            Bound::Links(_) => std::thread::scope(|scope| {
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || parsed(source));
                match thread.map(std::thread::ScopedJoinHandle::join) {
                    Ok(Ok(result)) => result,
                    _ => Err(refused(source, "the parser stopped")),
                }
            }),
        }
    }
}

fn refused(source: &Source, message: impl Into<String>) -> SyntaxErrors {
    SyntaxErrors::new(source, vec![Issue { line: 0, column: 0, message: message.into() }])
}

fn parsed(source: &Arc<Source>) -> Result<Ast, SyntaxErrors> {
    let parser = cel::parser::Parser::default().enable_optional_syntax(true).max_recursion_depth(MAX_RULES);
    match parser.parse_with_source_info(source.text()) {
        Ok((expr, info)) => lower(source, &expr, &Offsets { source, info: &info }),
        Err(errors) => Err(SyntaxErrors::new(source, issues(source, &errors.errors))),
    }
}

/// The errors in the words of API servers, whose parser is made from the same grammar by another tool.
fn issues(source: &Source, errors: &[cel::ParseError]) -> Vec<Issue> {
    let quoted = errors.iter().any(|error| error.msg == "unsupported syntax: '`'");
    errors
        .iter()
        .filter(|error| !error.msg.starts_with("Incomplete `"))
        .filter(|error| !(quoted && error.msg.starts_with("invalid argument to has()")))
        .map(|error| issue(source, error))
        .collect()
}

fn issue(source: &Source, error: &cel::ParseError) -> Issue {
    let number = |position: isize| u32::try_from(position).unwrap_or_default();
    let line = number(error.pos.0).max(1);
    let mut column = number(error.pos.1 - 1);
    let message = match error.msg.as_str() {
        "argument must be a simple name" => "argument is not an identifier".to_owned(),
        quoted @ "unsupported syntax: '`'" => {
            // The quoted name itself, not the dot before it.
            let text = source.text().lines().nth(line as usize - 1).unwrap_or_default();
            column += u32::from(text.chars().nth(column as usize) != Some('`'));
            quoted.to_owned()
        }
        literal @ ("invalid int literal" | "invalid double literal") => {
            let text = source.text().lines().nth(line as usize - 1).unwrap_or_default();
            let signed = column > 0 && text.chars().nth(column as usize - 1) == Some('-');
            column -= u32::from(signed);
            literal.to_owned()
        }
        other => expected(other),
    };
    Issue { line, column, message }
}

/// What is expected, without the operators that may follow any operand.
fn expected(message: &str) -> String {
    // At the end of the text both parsers say the same.
    if let Some(found) =
        message.strip_prefix("Syntax error: no viable alternative at input '.").filter(|found| *found != "'")
    {
        return format!("Syntax error: mismatched input '{found} expecting IDENTIFIER");
    }
    let Some((before, set)) = message.split_once(" expecting {") else { return message.to_owned() };
    let set = set.trim_end_matches('}');
    let operators = "'==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', '.', '-',";
    let last = if set.starts_with(&format!("<EOF>, {operators}")) {
        "<EOF>"
    } else if set.starts_with(operators) && set.contains(" ':',") {
        "':'"
    } else {
        return message.to_owned();
    };
    format!("{before} expecting {last}")
}
