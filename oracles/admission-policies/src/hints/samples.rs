//! Values on both sides of comparisons.

use serde_json::{Value, json};
use takeover_harness::rule::{Boundary, Sample, any_text};

/// The value of a key that must exist, whatever its value is: a text, and a quantity, that nobody compares with.
pub(super) const ANY: &str = "1e0";

/// A class with a sample.
pub(super) fn class(name: String, breaks: bool, value: Value) -> Boundary {
    Boundary { class: name, breaks, sample: Sample::Value(value), options: Vec::new() }
}

/// The operator of a comparison, of one whose sides are exchanged the other way round.
pub(super) fn operator(function: &str, turned: bool) -> &str {
    match (function.trim_matches('_'), turned) {
        ("<", true) => ">",
        ("<=", true) => ">=",
        (">", true) => "<",
        (">=", true) => "<=",
        (operator, _) => operator,
    }
}

/// Whether what stands in this order to what it is compared with breaks the comparison.
pub(super) fn breaks(operator: &str, order: i64) -> bool {
    match operator {
        "==" => order != 0,
        "!=" => order == 0,
        "<" => order >= 0,
        "<=" => order > 0,
        ">" => order <= 0,
        _ => order < 0,
    }
}

/// Longest text of a sample.
const LONGEST: i64 = 2_048;

/// A text of this length.
pub(super) fn of_length(length: &Value) -> Option<Value> {
    let length = length.as_i64().filter(|length| (0..=LONGEST).contains(length))?;
    Some(Value::from("a".repeat(usize::try_from(length).ok()?)))
}

/// Values of each sort for two numbers or sizes, both of one sort where they are values.
pub(super) fn pairs((one, one_is_size): (i64, bool), (other, other_is_size): (i64, bool)) -> Vec<(Value, Value)> {
    let numbers = |number: i64| [json!(number), json!(number.to_string())];
    match (one_is_size, other_is_size) {
        (false, false) => numbers(one).into_iter().zip(numbers(other)).collect(),
        (true, false) => of_size(one).into_iter().map(|one| (one, json!(other))).collect(),
        (false, true) => of_size(other).into_iter().map(|other| (json!(one), other)).collect(),
        (true, true) => of_size(one)
            .into_iter()
            .flat_map(|one| of_size(other).into_iter().map(move |other| (one.clone(), other)))
            .collect(),
    }
}

/// A text, lists and a map of this size.
fn of_size(size: i64) -> [Value; 4] {
    let numbers = || 0..usize::try_from(size).unwrap_or_default();
    [
        Value::from("a".repeat(numbers().len())),
        numbers().map(any_text).collect(),
        numbers().map(|_| json!({})).collect(),
        Value::Object(numbers().map(|number| (format!("a{number}"), json!(ANY))).collect()),
    ]
}

/// Puts a value where these steps lead to; elements stand in lists of one.
pub(super) fn put(around: &mut Value, steps: &[String], value: Value) {
    let Some((first, rest)) = steps.split_first() else {
        *around = value;
        return;
    };
    if first == "[*]" {
        let mut element = around.get(0).cloned().unwrap_or_default();
        put(&mut element, rest, value);
        *around = json!([element]);
        return;
    }
    if !around.is_object() {
        *around = json!({});
    }
    if let Some(members) = around.as_object_mut() {
        put(members.entry(first.as_str()).or_insert(Value::Null), rest, value);
    }
}

/// Values around a constant, each with whether it breaks the comparison.
pub(super) fn around(operator: &str, constant: &Value) -> Vec<(Value, bool)> {
    let ordered = |order: i64| breaks(operator, order);
    match constant {
        Value::Number(number) => match number.as_i64() {
            Some(number) => {
                [-1, 0, 1].into_iter().filter_map(|by| Some((json!(number.checked_add(by)?), ordered(by)))).collect()
            }
            None => Vec::new(),
        },
        Value::String(text) if matches!(operator, "==" | "!=") => {
            vec![(json!(text), ordered(0)), (json!(format!("{text}x")), ordered(1))]
        }
        Value::Bool(flag) => vec![(json!(flag), ordered(0)), (json!(!flag), ordered(1))],
        _ => Vec::new(),
    }
}
