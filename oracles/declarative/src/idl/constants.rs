//! Values of constants, and the results of operators on them.

use std::collections::HashMap;
use std::sync::Arc;
use takeover_harness::schema::TypeId;

/// The longest text that constant expressions may build.
const MAX_TEXT: usize = 1 << 20;

/// Values known so far; none while a constant is being evaluated.
#[derive(Default)]
pub(super) struct Constants {
    pub(super) values: HashMap<(usize, String), Option<Evaluated>>,
    pub(super) depth: u32,
}

/// A constant with its type, none for an untyped one.
#[derive(Clone)]
pub(super) struct Evaluated {
    pub(super) ty: Option<TypeId>,
    pub(super) value: Value,
}

#[derive(Clone)]
pub(super) enum Value {
    Text(Arc<str>),
    Int(i128),
    /// To the precision of `float64`; Go computes untyped constants exactly.
    Float(f64),
    Bool(bool),
    Unknown,
}

impl Evaluated {
    pub(super) const UNKNOWN: Self = Self { ty: None, value: Value::Unknown };

    pub(super) fn untyped(value: Value) -> Self {
        Self { ty: None, value }
    }
}

/// The result of a unary operator.
pub(super) fn unary(operator: &str, operand: Value) -> Value {
    match (operator, operand) {
        ("+", value @ (Value::Int(_) | Value::Float(_))) => value,
        ("-", Value::Float(number)) => Value::Float(-number),
        ("-", Value::Int(number)) => number.checked_neg().map_or(Value::Unknown, Value::Int),
        ("^", Value::Int(number)) => Value::Int(!number),
        ("!", Value::Bool(value)) => Value::Bool(!value),
        _ => Value::Unknown,
    }
}

/// The result of a binary operator.
pub(super) fn binary(operator: &str, left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => match operator {
            "+" if left.len() + right.len() <= MAX_TEXT => Value::Text(Arc::from(format!("{left}{right}"))),
            "==" => Value::Bool(left == right),
            "!=" => Value::Bool(left != right),
            _ => Value::Unknown,
        },
        (Value::Int(left), Value::Int(right)) => {
            let shift = || u32::try_from(right).ok().filter(|bits| *bits < 64);
            let number = match operator {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                "%" => left.checked_rem(right),
                "&" => Some(left & right),
                "|" => Some(left | right),
                "^" => Some(left ^ right),
                "&^" => Some(left & !right),
                "<<" => shift().and_then(|bits| left.checked_mul(1_i128 << bits)),
                ">>" => shift().map(|bits| left >> bits),
                "==" => return Value::Bool(left == right),
                "!=" => return Value::Bool(left != right),
                "<" => return Value::Bool(left < right),
                "<=" => return Value::Bool(left <= right),
                ">" => return Value::Bool(left > right),
                ">=" => return Value::Bool(left >= right),
                _ => None,
            };
            number.map_or(Value::Unknown, Value::Int)
        }
        (Value::Float(left), Value::Float(right)) => floats(operator, left, right),
        (Value::Float(left), Value::Int(right)) => floats(operator, left, as_float(right)),
        (Value::Int(left), Value::Float(right)) => floats(operator, as_float(left), right),
        (Value::Bool(left), Value::Bool(right)) => match operator {
            "&&" => Value::Bool(left && right),
            "||" => Value::Bool(left || right),
            "==" => Value::Bool(left == right),
            "!=" => Value::Bool(left != right),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

#[expect(clippy::cast_precision_loss, reason = "floats have the precision of `float64`")]
fn as_float(number: i128) -> f64 {
    number as f64
}

fn floats(operator: &str, left: f64, right: f64) -> Value {
    let number = match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "<" => return Value::Bool(left < right),
        "<=" => return Value::Bool(left <= right),
        ">" => return Value::Bool(left > right),
        ">=" => return Value::Bool(left >= right),
        _ => return Value::Unknown,
    };
    if number.is_finite() { Value::Float(number) } else { Value::Unknown }
}
