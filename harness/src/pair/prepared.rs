//! Cases ready to be judged.

use crate::error::FieldError;
use crate::form::{Sent, Unfit};
use crate::oracle::{OracleFailure, Question, View};
use crate::side::{BySide, Side};

/// A case ready to be judged by both oracles of a pair.
pub struct Prepared<'a> {
    /// What both are asked.
    pub question: Question<'a>,
    /// What each of them made of the objects.
    pub views: BySide<View<'a>>,
    /// The objects before the steps of the request.
    pub sent: Sent<'a>,
}

/// Why a case could not be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unprepared {
    /// Its objects do not have the form of the pair.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// An oracle could not take the objects in its own form.
    #[error("{side} cannot take the object: {failure}")]
    View {
        /// Which oracle.
        side: Side,
        /// Its explanation.
        failure: OracleFailure,
    },
    /// An API server rejects the object before it asks either side.
    #[error("an API server rejects the object first: {reason}")]
    Refused {
        /// What it has against the object.
        errors: Vec<FieldError>,
        /// The same in words.
        reason: String,
    },
    /// It is not known whether an API server rejects the object before it asks either side.
    #[error("what validates objects first could not judge: {0}")]
    Unvalidated(OracleFailure),
}
