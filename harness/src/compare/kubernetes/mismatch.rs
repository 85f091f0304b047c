//! A mismatch in Kubernetes' words: the line that an API server logs.

use super::Matcher;
use crate::compare::{Comparison, Direction};
use crate::error::{BadValue, FieldError, Stability};
use std::fmt;

/// One mismatch of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Mismatch<'e> {
    /// Which side is alone with the error.
    pub direction: Direction,
    /// The error.
    pub error: &'e FieldError,
}

/// What a log line advises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Advice {
    /// The handwritten side decides, nothing to do.
    Handwritten,
    /// `DeclarativeValidationTakeover` is on: switch it off.
    DisableTakeover,
    /// Rules of level beta are enforced: switch `DeclarativeValidationBeta` off, unless the error is of level alpha.
    DisableBeta,
}

/// The mismatches of a comparison in Kubernetes' order: unmatched reference errors, then extra candidate errors. `reference` and
/// `candidate` are the lists that were compared.
pub fn mismatches<'e>(
    comparison: &'e Comparison,
    reference: &'e [FieldError],
    candidate: &'e [FieldError],
) -> impl Iterator<Item = Mismatch<'e>> {
    let missing = comparison.missing.iter().filter_map(|at| reference.get(*at));
    let extra = comparison.extra.iter().filter_map(|at| candidate.get(*at));
    let missing = missing.map(|error| Mismatch { direction: Direction::Missing, error });
    missing.chain(extra.map(|error| Mismatch { direction: Direction::Extra, error }))
}

impl Mismatch<'_> {
    /// The error as log lines show it: `{Type="Invalid value", Field="spec.replicas", Origin="minimum"}`; a field that a
    /// normalisation rule changes is followed by ` (aka "<field as reported>")`.
    #[must_use]
    pub fn rendered(&self, matcher: &Matcher) -> String {
        let normalized = matcher.normalized(&self.error.field);
        let mut field = quoted(&normalized);
        if *normalized != self.error.field {
            field.push_str(&format!(" (aka {})", quoted(&self.error.field)));
        }
        let printed = quoted(self.error.error_type.printed());
        format!("{{Type={printed}, Field={field}, Origin={}}}", quoted(&self.error.origin))
    }

    /// The line that an API server logs for this mismatch.
    #[must_use]
    pub fn log_line(&self, matcher: &Matcher, advice: Advice) -> String {
        let what = match self.direction {
            Direction::Missing => "unmatched",
            Direction::Extra | Direction::Differs => "extra",
        };
        format!(
            "Unexpected difference between hand written validation and declarative validation error results, {what} \
             error(s) found {}. This indicates an issue with declarative validation. {}",
            self.rendered(matcher),
            advice.for_error(self.error)
        )
    }
}

impl Advice {
    /// The advice that is given for `error`.
    #[must_use]
    pub fn for_error(self, error: &FieldError) -> Self {
        match (self, error.stability) {
            (Self::DisableBeta, Some(Stability::Alpha)) => Self::Handwritten,
            (advice, _) => advice,
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gate = match self {
            Self::Handwritten => {
                return f.write_str(
                    "This difference should not affect system operation since hand written validation is authoritative.",
                );
            }
            Self::DisableTakeover => "DeclarativeValidationTakeover",
            Self::DisableBeta => "DeclarativeValidationBeta",
        };
        write!(
            f,
            "Consider disabling the {gate} feature gate to keep data persisted in etcd consistent with prior versions of \
             Kubernetes."
        )
    }
}

fn quoted(text: &str) -> String {
    BadValue::from(text).to_string()
}
