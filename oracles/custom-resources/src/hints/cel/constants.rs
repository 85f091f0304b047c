//! The constants of an expression.

use serde_json::Value;
use takeover_cel::syntax::{Ast, Kind, Literal, NodeId};

/// Most prefix lengths that are tried.
const MOST_LENGTHS: usize = 8;

/// The prefix lengths in an expression, and those next to them.
pub(super) fn prefix_lengths(ast: &Ast) -> Vec<i64> {
    let mut all: Vec<i64> = Vec::new();
    for node in ast.nodes() {
        let Kind::Literal(Literal::Int(number)) = node.kind else { continue };
        for length in [number, number.saturating_add(1), number.saturating_sub(1)] {
            if (8..=128).contains(&length) && !all.contains(&length) && all.len() < MOST_LENGTHS {
                all.push(length);
            }
        }
    }
    all
}

/// The text of an expression that is a string literal.
pub(super) fn text_of(ast: &Ast, id: NodeId) -> Option<String> {
    match ast.kind(id)? {
        Kind::Literal(Literal::String(text)) => Some(text.to_string()),
        _ => None,
    }
}

/// The value of a constant expression; for a conversion, the text that it converts.
pub(super) fn constant(ast: &Ast, id: NodeId) -> Option<Value> {
    match ast.kind(id)? {
        Kind::Literal(literal) => json(literal),
        Kind::List { elements, .. } => elements.iter().map(|element| constant(ast, *element)).collect(),
        Kind::Call { function, target: None, args } => match (&**function, args.as_slice()) {
            ("-_", [of]) => match constant(ast, *of)? {
                Value::Number(number) if number.is_i64() => Some(Value::from(-number.as_i64()?)),
                value => Some(Value::from(-value.as_f64()?)),
            },
            ("duration" | "quantity" | "timestamp" | "int" | "string" | "double" | "semver" | "cidr" | "ip", [of]) => {
                constant(ast, *of)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The value of a literal.
pub(super) fn json(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::Null => Value::Null,
        Literal::Bool(flag) => Value::from(*flag),
        Literal::Int(number) => Value::from(*number),
        Literal::Uint(number) => Value::from(*number),
        Literal::Double(number) => Value::from(*number),
        Literal::String(text) => Value::from(&**text),
        Literal::Bytes(_) => return None,
    })
}
