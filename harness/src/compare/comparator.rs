//! How two answers are compared.

use super::comparison::Comparison;
use super::difference::{Difference, Direction, What};
use super::fields;
use super::kubernetes::{Matcher, Participation, Semantics, compare_into};
use super::reason::Reason;
use super::values::{Unset, differences};
use super::verbatim;
use crate::cause::Cause;
use crate::error::FieldError;
use crate::object::to_value;
use crate::oracle::{Answer, Detail, Objects, Precision};
use crate::path::pattern;
use crate::side::Side;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// How the answers of a pair are compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Comparator {
    /// Field errors, as Kubernetes compares them.
    Kubernetes(Matcher),
    /// Field errors by type and field.
    Fields {
        /// Whether origins have to be the same, too.
        origin: bool,
    },
    /// Field errors word for word, marks and all, each as often as the other side reports it.
    Verbatim,
    /// Accepted or rejected, and nothing else.
    Decision,
    /// The objects that the oracles make, value by value.
    Objects {
        /// What `null` and absence are to each other.
        unset: Unset,
    },
}

/// The name of a comparator, as evidence keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ComparedBy {
    /// See [`Comparator::Kubernetes`].
    Kubernetes {
        /// Whose algorithm.
        semantics: Semantics,
        /// Which errors took part.
        participation: Participation,
    },
    /// See [`Comparator::Fields`].
    Fields {
        /// Whether origins had to be the same.
        origin: bool,
    },
    /// See [`Comparator::Verbatim`].
    Verbatim,
    /// See [`Comparator::Decision`].
    Decision,
    /// See [`Comparator::Objects`].
    Objects {
        /// What `null` and absence were to each other.
        unset: Unset,
    },
}

impl ComparedBy {
    /// Whether it is how an API server compares the errors of its handwritten and its declarative validation.
    #[must_use]
    pub fn is_usual(self) -> bool {
        matches!(self, Self::Kubernetes { participation: Participation::Marked(_), .. })
    }
}

/// Prints the release of Kubernetes, or what is compared: `1.37`, `by decision`.
impl fmt::Display for ComparedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kubernetes { semantics, .. } => write!(f, "{semantics}"),
            Self::Fields { origin: false } => f.write_str("by field"),
            Self::Fields { origin: true } => f.write_str("by field and origin"),
            Self::Verbatim => f.write_str("word for word"),
            Self::Decision => f.write_str("by decision"),
            Self::Objects { .. } => f.write_str("by value"),
        }
    }
}

impl Comparator {
    /// Returns the comparator that compares as much as both oracles can say.
    #[must_use]
    pub fn between(reference: Precision, candidate: Precision) -> Self {
        match (reference.detail, candidate.detail) {
            (Detail::Errors, Detail::Errors) => Self::Fields { origin: reference.origins && candidate.origins },
            (Detail::Object, Detail::Object) => Self::Objects { unset: Unset::default() },
            _ => Self::Decision,
        }
    }

    /// Returns the name of the comparator.
    #[must_use]
    pub fn name(&self) -> ComparedBy {
        match self {
            Self::Kubernetes(matcher) => {
                ComparedBy::Kubernetes { semantics: matcher.semantics(), participation: matcher.participants() }
            }
            Self::Fields { origin } => ComparedBy::Fields { origin: *origin },
            Self::Verbatim => ComparedBy::Verbatim,
            Self::Decision => ComparedBy::Decision,
            Self::Objects { unset } => ComparedBy::Objects { unset: *unset },
        }
    }

    /// Returns Kubernetes' matcher if errors are compared as Kubernetes compares them.
    #[must_use]
    pub fn matcher(&self) -> Option<&Matcher> {
        match self {
            Self::Kubernetes(matcher) => Some(matcher),
            _ => None,
        }
    }

    /// Returns a comparator that compares as this release of Kubernetes does. A comparator other than Kubernetes' stays as it is.
    #[must_use]
    pub fn as_of(self, semantics: Semantics) -> Self {
        match self {
            Self::Kubernetes(matcher) => Self::Kubernetes(matcher.as_of(semantics)),
            other => other,
        }
    }

    /// Whether errors that differ in their origin alone are different.
    #[must_use]
    pub fn heeds_origin(&self) -> bool {
        matches!(self, Self::Kubernetes(_) | Self::Fields { origin: true } | Self::Verbatim)
    }

    /// Whether an error of this side takes part in the comparison.
    #[must_use]
    pub fn includes(&self, side: Side, error: &FieldError) -> bool {
        match self {
            Self::Kubernetes(matcher) => matcher.participants().includes(side, error),
            Self::Fields { .. } | Self::Verbatim => true,
            Self::Decision | Self::Objects { .. } => false,
        }
    }

    /// Whether an error of this side may be the partner of one of the other side.
    #[must_use]
    pub fn may_match(&self, side: Side, error: &FieldError) -> bool {
        match self {
            Self::Kubernetes(matcher) => matcher.may_match(side, error),
            _ => self.includes(side, error),
        }
    }

    /// The comparator of a run that asks which handwritten checks may go: errors of standard rules answer checks that say the same.
    #[must_use]
    pub fn answering(self) -> Self {
        match self {
            Self::Kubernetes(matcher) => Self::Kubernetes(matcher.answering()),
            other => other,
        }
    }

    /// Whether a candidate error says the same as a reference error.
    #[must_use]
    pub fn matches(&self, want: &FieldError, got: &FieldError) -> bool {
        match self {
            Self::Kubernetes(matcher) => matcher.matches(want, got),
            Self::Fields { origin } => fields::key(want, *origin) == fields::key(got, *origin),
            Self::Verbatim => want == got,
            Self::Decision | Self::Objects { .. } => false,
        }
    }

    /// Compares the errors of the two sides; see [`Comparator::errors_into`].
    #[must_use]
    pub fn errors(&self, reference: &[FieldError], candidate: &[FieldError]) -> Comparison {
        let mut comparison = Comparison::default();
        self.errors_into(reference, candidate, &mut comparison);
        comparison
    }

    /// Whether errors are compared.
    #[must_use]
    pub fn compares_errors(&self) -> bool {
        matches!(self, Self::Kubernetes(_) | Self::Fields { .. } | Self::Verbatim)
    }

    /// Counts how much of an answer can be compared and how much cannot: every error, or the one decision or object. An empty
    /// answer counts as neither. An error without a mark is not counted as incomparable if its oracle marks the comparable ones.
    #[must_use]
    pub fn weigh(&self, side: Side, answer: &Answer, precision: Precision) -> (u64, u64) {
        let one = |whether: bool| u64::from(whether);
        match self {
            Self::Kubernetes(_) | Self::Fields { .. } | Self::Verbatim => {
                // A rejection without errors says nothing that errors could be compared with.
                let bare = answer.errors.is_empty() && answer.rejects();
                let (mut comparable, mut incomparable) = (0, one(bare));
                for error in &answer.errors {
                    if self.includes(side, error) {
                        comparable += 1;
                    } else if !precision.marks {
                        incomparable += 1;
                    }
                }
                (comparable, incomparable)
            }
            Self::Decision => (one(answer.rejects()), 0),
            Self::Objects { .. } => {
                let says = answer.object.is_some() || answer.rejects();
                (one(says), one(!says))
            }
        }
    }

    /// Returns the field of a candidate error in the form in which it is compared.
    #[must_use]
    pub fn normalized<'f>(&self, field: &'f str) -> Cow<'f, str> {
        match self {
            Self::Kubernetes(matcher) => matcher.normalized(field),
            _ => Cow::Borrowed(field),
        }
    }

    /// Compares the errors of the two sides and replaces the content of `out`, which stays empty when errors are not compared.
    pub fn errors_into(&self, reference: &[FieldError], candidate: &[FieldError], out: &mut Comparison) {
        match self {
            Self::Kubernetes(matcher) => compare_into(reference, candidate, matcher, out),
            Self::Fields { origin } => fields::compare_into(reference, candidate, *origin, out),
            Self::Verbatim => verbatim::compare_into(reference, candidate, out),
            Self::Decision | Self::Objects { .. } => out.clear(),
        }
    }

    /// Returns the patterns of the places at which an oracle changed the object that it was given. The list is empty unless
    /// objects are compared.
    #[must_use]
    pub fn changes(&self, answer: &Answer, objects: &Objects<'_>) -> Vec<String> {
        let (Self::Objects { unset }, Some(made)) = (self, &answer.object) else { return Vec::new() };
        let given = objects.given().unwrap_or_else(|| to_value(objects.schema, objects.root, &objects.new));
        let mut changed = differences(&given, made, objects, *unset);
        changed.retain(|difference| !difference.cause.is_some_and(Cause::is_of_unset));
        changed.iter().map(|difference| pattern(difference.what.field())).collect()
    }

    /// Compares decisions, or the objects that the oracles made from `objects`. Returns no difference when errors are compared. Where
    /// one side alone rejects and names errors, each error is a difference, because the other side reports none of them.
    #[must_use]
    pub fn differences(&self, reference: &Answer, candidate: &Answer, objects: &Objects<'_>) -> Vec<Difference> {
        match self {
            Self::Kubernetes(_) | Self::Fields { .. } | Self::Verbatim => Vec::new(),
            Self::Decision => {
                let Some((direction, rejecting)) = alone(reference, candidate) else { return Vec::new() };
                if rejecting.errors.is_empty() {
                    return decisions(direction, rejecting, objects);
                }
                let alone = |error: &FieldError| Difference::new(direction, What::Error(error.clone()), Vec::new());
                rejecting.errors.iter().map(alone).collect()
            }
            Self::Objects { unset } => match (&reference.object, &candidate.object) {
                (Some(one), Some(other)) if !reference.rejects() && !candidate.rejects() => {
                    differences(one, other, objects, *unset)
                }
                _ => alone(reference, candidate)
                    .map_or_else(Vec::new, |(direction, rejecting)| decisions(direction, rejecting, objects)),
            },
        }
    }
}

/// The answer that alone rejects, and what the other side's lack of it is.
fn alone<'a>(reference: &'a Answer, candidate: &'a Answer) -> Option<(Direction, &'a Answer)> {
    match (reference.rejects(), candidate.rejects()) {
        (true, false) => Some((Direction::Missing, reference)),
        (false, true) => Some((Direction::Extra, candidate)),
        _ => None,
    }
}

/// One difference for each reason that is told; one without a reason where none is. Errors say more than a reason: what is to be told
/// apart is told apart by them.
fn decisions(direction: Direction, rejecting: &Answer, objects: &Objects<'_>) -> Vec<Difference> {
    let difference = |field: &str, reason: String, shape: String| {
        let field = if field.is_empty() { "<nil>" } else { field }.to_owned();
        Difference::new(direction, What::Decision { field, reason, shape }, Vec::new())
    };
    let reasons = Reason::of(rejecting, objects);
    if reasons.is_empty() {
        return vec![difference("", rejecting.reason(), String::new())];
    }
    reasons.iter().map(|of| difference(&of.field, of.said.clone(), of.shape.clone())).collect()
}
