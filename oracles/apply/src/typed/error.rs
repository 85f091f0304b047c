//! Why a value does not fit its type.

use crate::fields::Element;
use std::fmt;

/// Something wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path of the field; empty for the whole value.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// Everything that is wrong with a value, never nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [problem] = self.0.as_slice() {
            return problem.fmt(f);
        }
        f.write_str("errors:")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for Invalid {}

/// Problems, as they are gathered.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    pub(super) fn one(message: impl Into<String>) -> Self {
        Self(vec![Problem { path: String::new(), message: message.into() }])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, message: impl Into<String>) {
        self.0.push(Problem { path: String::new(), message: message.into() });
    }

    /// Adds the problems of a member.
    pub(super) fn extend_below(&mut self, member: &str, part: Self) {
        if !part.is_empty() {
            self.extend_at(&Element::field(member), part);
        }
    }

    /// Adds the problems of a part that is reached by `element`.
    pub(super) fn extend_at(&mut self, element: &Element, part: Self) {
        if part.is_empty() {
            return;
        }
        let prefix = element.to_string();
        self.0.extend(part.0.into_iter().map(|problem| Problem { path: prefix.clone() + &problem.path, ..problem }));
    }

    /// Adds the problems of the same value.
    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The value if there is no problem.
    pub(super) fn or<T>(self, value: T) -> Result<T, Invalid> {
        if self.is_empty() { Ok(value) } else { Err(Invalid(self.0)) }
    }
}
