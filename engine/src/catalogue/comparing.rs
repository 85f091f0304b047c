//! How the answers of a described pair are compared.

use super::error::CatalogueError;
use super::pair::{CompareLevel, PairDescription};
use takeover_harness::compare::{Comparator, Matcher};
use takeover_harness::oracle::{Detail, Precision};
use takeover_harness::side::{BySide, Side};
use takeover_harness::subject::PairId;

/// How the answers of a pair are compared: as the user says, or as precisely as both sides can answer, and never by errors that are
/// worded and placed differently.
pub(super) fn comparator(
    pair: &PairId,
    description: &PairDescription,
    reference: Precision,
    candidate: Precision,
    matcher: Matcher,
) -> Result<Comparator, CatalogueError> {
    let sides = BySide { reference, candidate };
    let less_precise = |enough: &dyn Fn(Precision) -> bool, what: &str| {
        let side = Side::ALL.into_iter().find(|side| !enough(*sides.of(*side)))?;
        let said = match side {
            Side::Reference => &description.reference,
            Side::Candidate => &description.candidate,
        };
        Some(format!("the {side} ({said}) {what}"))
    };
    let refuse = |level, reason| Err(CatalogueError::Compare { pair: Box::new(pair.clone()), level, reason });
    let errors = |precision: Precision| precision.detail == Detail::Errors;
    let objects = |precision: Precision| precision.detail == Detail::Object;
    if description.compares_defaults() {
        if description.compare == Some(CompareLevel::Decision) {
            return refuse("decision", "a side sets defaults, which are compared as objects".to_owned());
        }
        if let Some(reason) = less_precise(&objects, "does not answer with objects, and the other side sets defaults") {
            return refuse("object", reason);
        }
    }
    match description.compare {
        None if description.differs_in_words() => Ok(Comparator::Decision),
        None if errors(reference) && errors(candidate) && reference.marks && candidate.marks => {
            Ok(Comparator::Kubernetes(matcher))
        }
        None => Ok(Comparator::between(reference, candidate)),
        Some(CompareLevel::Decision) => Ok(Comparator::Decision),
        Some(CompareLevel::Field) => match less_precise(&errors, "answers no field errors") {
            Some(reason) => refuse("field", reason),
            None => Ok(Comparator::between(reference, candidate)),
        },
        Some(CompareLevel::Verbatim) => match less_precise(&errors, "answers no field errors") {
            Some(reason) => refuse("verbatim", reason),
            None => Ok(Comparator::Verbatim),
        },
        Some(CompareLevel::Kubernetes) => {
            match less_precise(&|of| errors(of) && of.marks, "does not mark which of its errors are compared") {
                Some(reason) => refuse("kubernetes", reason),
                None => Ok(Comparator::Kubernetes(matcher)),
            }
        }
    }
}
