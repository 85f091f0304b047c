//! Lines of a schema, and what speaks against one.

use regex::Regex;
use serde_json::Value;
use std::fmt;
use takeover_harness::evidence::AcceptedValues;

/// A line of a schema, or a CEL rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The member that an object must have.
    Required(String),
    /// A CEL rule.
    Rule(String),
    /// A CEL rule that limits the bytes of a text.
    Bytes { operator: &'static str, limit: String },
    /// A CEL rule that compares two values: what has to be there, and the comparison.
    Comparison { guards: String, compares: String },
    /// The allowed texts, quoted as in JSON.
    Enum(Vec<String>),
    /// A regular expression.
    Pattern(String),
    /// Keywords with their numbers.
    Bounds(Vec<(&'static str, String)>),
    /// A bound that does not include its number: `minimum` or `maximum`, and the keyword that excludes it.
    Exclusive { bound: &'static str, keyword: &'static str, limit: String },
}

impl Line {
    pub(super) fn not_empty() -> Self {
        Self::bound("minLength", "1")
    }

    pub(super) fn bound(keyword: &'static str, limit: &str) -> Self {
        Self::Bounds(vec![(keyword, limit.to_owned())])
    }

    /// Whether a schema with this line accepts a value, as far as its bounds tell.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        let keeps = |keyword: &str, limit: &str, is_excluded: bool| {
            let Ok(limit) = limit.parse::<f64>() else { return false };
            let size = match keyword {
                "minimum" | "maximum" => value.as_f64(),
                "minLength" | "maxLength" => value.as_str().map(|text| count(text.chars().count())),
                "minItems" | "maxItems" => value.as_array().map(|items| count(items.len())),
                "minProperties" | "maxProperties" => value.as_object().map(|members| count(members.len())),
                _ => None,
            };
            let Some(size) = size else { return false };
            let is_least = keyword.starts_with("min");
            if is_excluded && size == limit {
                return false;
            }
            if is_least { size >= limit } else { size <= limit }
        };
        match self {
            Self::Bounds(bounds) => {
                !bounds.is_empty() && bounds.iter().all(|(keyword, limit)| keeps(keyword, limit, false))
            }
            Self::Exclusive { bound, limit, .. } => keeps(bound, limit, true),
            Self::Enum(values) => values.contains(&value.to_string()),
            Self::Pattern(pattern) => {
                value.as_str().is_some_and(|text| Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text)))
            }
            Self::Bytes { operator, limit } => {
                value.as_str().is_some_and(|text| is_within(count(text.len()), operator, limit))
            }
            Self::Required(_) | Self::Rule(_) | Self::Comparison { .. } => false,
        }
    }

    /// Whether a schema with this line would reject what the reference was seen to accept.
    pub(super) fn rejects_accepted(&self, seen: &AcceptedValues) -> bool {
        let number = |number: &serde_json::Number| Value::Number(number.clone());
        let texts = || seen.texts.iter().map(|text| Value::from(text.as_str()));
        let size_is_kept = |size: u64, keyword: &str, limit: &str| {
            limit.parse().is_ok_and(|limit| if keyword.starts_with("min") { size >= limit } else { size <= limit })
        };
        match self {
            Self::Required(_) => seen.unset || seen.removed,
            Self::Bounds(bounds) if bounds.iter().any(|(keyword, _)| !matches!(*keyword, "minimum" | "maximum")) => {
                let sizes = seen.sizes.iter().flat_map(|(least, most)| [*least, *most]);
                sizes.into_iter().any(|size| !bounds.iter().all(|(keyword, limit)| size_is_kept(size, keyword, limit)))
            }
            Self::Bounds(_) | Self::Exclusive { .. } => {
                let numbers = seen.numbers.iter().flat_map(|(least, most)| [least, most]);
                numbers.into_iter().any(|value| !self.accepts(&number(value)))
            }
            Self::Enum(values) => {
                let numbers = seen.some_numbers.iter().cloned();
                texts().map(|text| text.to_string()).chain(numbers).any(|value| !values.contains(&value))
            }
            Self::Pattern(_) => texts().any(|text| !self.accepts(&text)),
            Self::Bytes { operator, limit } => {
                seen.bytes.is_some_and(|bytes| *operator == "<=" && limit.parse().is_ok_and(|most: u64| bytes > most))
            }
            Self::Rule(_) | Self::Comparison { .. } => false,
        }
    }

    /// The CEL rule; empty if it is none.
    fn rule(&self) -> String {
        match self {
            Self::Rule(rule) => rule.clone(),
            Self::Bytes { operator, limit } => format!("bytes(self).size() {operator} {limit}"),
            Self::Comparison { guards, compares } => format!("{guards} || {compares}"),
            _ => String::new(),
        }
    }

    /// The rules that a schema with this line has, as they are written in reports.
    pub(super) fn chains(&self) -> Vec<String> {
        match self {
            Self::Required(_) => vec!["required".to_owned()],
            Self::Rule(_) | Self::Bytes { .. } | Self::Comparison { .. } => vec![format!("cel: {}", self.rule())],
            Self::Enum(values) => vec![format!("enum of {}", values.join(", "))],
            Self::Pattern(pattern) => vec![format!("pattern={pattern}")],
            Self::Bounds(bounds) => bounds.iter().map(|(keyword, limit)| format!("{keyword}={limit}")).collect(),
            Self::Exclusive { keyword, limit, .. } => vec![format!("{keyword}={limit}")],
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required(name) => write!(f, "required: [{name}]"),
            Self::Rule(_) | Self::Bytes { .. } | Self::Comparison { .. } => write!(f, "rule: {}", self.rule()),
            Self::Enum(values) => write!(f, "enum: [{}]", values.join(", ")),
            Self::Pattern(pattern) => write!(f, "pattern: '{}'", pattern.replace('\'', "''")),
            Self::Bounds(bounds) => {
                let bounds: Vec<String> = bounds.iter().map(|(keyword, limit)| format!("{keyword}: {limit}")).collect();
                f.write_str(&bounds.join(", "))
            }
            Self::Exclusive { bound, keyword, limit } => write!(f, "{bound}: {limit}, {keyword}: true"),
        }
    }
}

/// Whether a number is on the side of a limit that an operator names.
fn is_within(number: f64, operator: &str, limit: &str) -> bool {
    limit.parse::<f64>().is_ok_and(|limit| if operator == "<=" { number <= limit } else { number >= limit })
}

fn count(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::INFINITY, f64::from)
}
