//! Label selectors.

use crate::api::Selector;
use crate::names::{label_value, qualified_name};
use serde_json::Value;

/// A selector that was checked.
pub(crate) struct Parsed(Vec<(String, Operator)>);

enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

/// Labels of an object.
pub(crate) struct Labels<'o>(Option<&'o serde_json::Map<String, Value>>);

impl<'o> Labels<'o> {
    /// Those of an object, `None` if it has none.
    pub(crate) fn of(object: Option<&'o Value>) -> Self {
        Self(object.and_then(|object| object.pointer("/metadata/labels")).and_then(Value::as_object))
    }

    fn get(&self, key: &str) -> Option<&'o str> {
        self.0.and_then(|labels| labels.get(key)).map(|value| value.as_str().unwrap_or_default())
    }
}

/// Checks a selector.
///
/// # Errors
/// Returns what API servers say of the first requirement that makes no sense.
pub(crate) fn parse(selector: &Selector) -> Result<Parsed, String> {
    let mut requirements = Vec::new();
    for (key, value) in &selector.match_labels {
        requirements.push((key.clone(), checked(key, Operator::In(vec![value.clone()]))?));
    }
    for requirement in &selector.match_expressions {
        let (key, values) = (&requirement.key, requirement.values.clone());
        let operator = match requirement.operator.as_str() {
            "In" => Operator::In(values),
            "NotIn" => Operator::NotIn(values),
            "Exists" => absent(key, &values).map(|()| Operator::Exists)?,
            "DoesNotExist" => absent(key, &values).map(|()| Operator::DoesNotExist)?,
            other => {
                return Err(format!(
                    "{} is not a valid label selector operator",
                    takeover_cel::scalar::text::quoted(other)
                ));
            }
        };
        requirements.push((key.clone(), checked(key, operator)?));
    }
    Ok(Parsed(requirements))
}

/// What is wrong with the key, as API servers say it.
fn of_key(key: &str) -> Vec<String> {
    match qualified_name(key) {
        problems if problems.is_empty() => Vec::new(),
        problems => {
            vec![format!("key: Invalid value: {}: {}", takeover_cel::scalar::text::quoted(key), problems.join("; "))]
        }
    }
}

fn absent(key: &str, values: &[String]) -> Result<(), String> {
    let mut problems = of_key(key);
    if !values.is_empty() {
        let shown = serde_json::to_string(values).unwrap_or_default();
        problems
            .push(format!("values: Invalid value: {shown}: values set must be empty for exists and does not exist"));
    }
    aggregated(problems)
}

fn checked(key: &str, operator: Operator) -> Result<Operator, String> {
    let mut problems = of_key(key);
    if let Operator::In(values) | Operator::NotIn(values) = &operator {
        if values.is_empty() {
            problems
                .push("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty".to_owned());
        }
        for (index, value) in values.iter().enumerate() {
            let of_value = label_value(value);
            if !of_value.is_empty() {
                problems.push(format!(
                    "values[{index}][{key}]: Invalid value: {}: {}",
                    takeover_cel::scalar::text::quoted(value),
                    of_value.join("; ")
                ));
            }
        }
    }
    aggregated(problems).map(|()| operator)
}

/// Several errors as one.
fn aggregated(mut problems: Vec<String>) -> Result<(), String> {
    match problems.len() {
        0 => Ok(()),
        1 => Err(problems.remove(0)),
        _ => Err(format!("[{}]", problems.join(", "))),
    }
}

impl Parsed {
    /// Whether it accepts everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether labels fit.
    pub(crate) fn accepts(&self, labels: &Labels<'_>) -> bool {
        self.0.iter().all(|(key, operator)| {
            let value = labels.get(key);
            let among = |values: &[String]| value.is_some_and(|value| values.iter().any(|known| known == value));
            match operator {
                Operator::In(values) => among(values),
                Operator::NotIn(values) => !among(values),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        })
    }
}
