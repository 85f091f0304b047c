//! Outcomes and judgements in words.

use super::case_record::{Judgement, Outcome};
use crate::compare::Direction;
use crate::form::Unfit;
use crate::pair::Unprepared;

impl Outcome {
    /// The outcome of a case with a difference in this direction.
    pub(super) fn of(direction: Direction) -> Self {
        match direction {
            Direction::Missing => Self::Missing,
            Direction::Differs => Self::Differs,
            Direction::Extra => Self::Extra,
        }
    }
}

impl Judgement {
    /// Whether the case was not compared because an object is not one of its type.
    #[must_use]
    pub fn is_undecodable(&self) -> bool {
        matches!(
            self,
            Self::Unprepared(Unprepared::Unfit(Unfit::Object(_) | Unfit::OldObject(_)) | Unprepared::View { .. })
        )
    }

    /// Why the case was not compared: what it is counted under, and the explanation.
    #[must_use]
    pub fn reason(&self) -> Option<(String, String)> {
        match self {
            Self::Compared(_) => None,
            Self::Unprepared(Unprepared::Unfit(Unfit::Object(undecodable))) => {
                Some((undecodable.reason.to_string(), format!("object: {undecodable}")))
            }
            Self::Unprepared(Unprepared::Unfit(Unfit::OldObject(undecodable))) => {
                Some((format!("old object: {}", undecodable.reason), format!("old object: {undecodable}")))
            }
            Self::Unprepared(Unprepared::Unfit(Unfit::NoOldObject)) => {
                Some(("update without old object".to_owned(), Unfit::NoOldObject.to_string()))
            }
            Self::Unprepared(Unprepared::Unfit(Unfit::TooLarge(values))) => {
                Some(("too large".to_owned(), Unfit::TooLarge(*values).to_string()))
            }
            Self::Unprepared(Unprepared::View { side, failure }) => {
                Some((format!("not in a form that the {side} can read"), failure.to_string()))
            }
            Self::Unprepared(refused @ Unprepared::Refused { .. }) => {
                Some(("an API server rejects it before it asks either side".to_owned(), refused.to_string()))
            }
            Self::Unprepared(unvalidated @ Unprepared::Unvalidated(_)) => {
                Some(("what validates objects first could not judge".to_owned(), unvalidated.to_string()))
            }
            Self::Unable { side, failure } => {
                let reason = match failure.declined_because() {
                    Some(reason) if failure.is_too_many_errors() => format!("{reason} from the {side}"),
                    Some(reason) => format!("the {side} cannot be asked: {reason}"),
                    None => format!("the {side} could not judge"),
                };
                Some((reason, failure.to_string()))
            }
        }
    }
}
