//! Why two sides differ, in a sentence.

use takeover_harness::compare::{Cause, Direction, Relation, Signature};
use takeover_harness::side::Side;

/// Says why the sides differ in what is `direction`: one short sentence without a full stop.
#[must_use]
fn said(cause: Cause, direction: Direction) -> String {
    let reporter = if direction == Direction::Extra { Side::Candidate } else { Side::Reference };
    let silent = reporter.other();
    match cause {
        Cause::Ratchets => format!("the {silent} accepts an unchanged stored value, and the {reporter} does not"),
        Cause::CreateOnly => format!("the {silent} checks this on creates only, and the {reporter} on updates too"),
        Cause::Stopped => format!("another error stops the {silent} before it reaches this check"),
        Cause::Unmarked => {
            format!("the {silent} reports the error too, without the mark or origin that lets it be compared")
        }
        Cause::OtherType => "both sides reject the value, with errors of different types".to_owned(),
        Cause::OtherPlace => "both sides reject the value, and report it at different places".to_owned(),
        Cause::OtherOrigin => "both sides reject the value, and name different origins".to_owned(),
        Cause::ReportsMore => "the candidate rejects what the reference accepts".to_owned(),
        Cause::ReportsLess => "the candidate accepts what the reference rejects".to_owned(),
        Cause::Unsteady => "judging the same case again gives a different answer".to_owned(),
        Cause::LostTwin => "the reference says that a rule covers its check, and no rule reports the error".to_owned(),
        Cause::BreaksLaw => "a law that always holds is broken".to_owned(),
        Cause::DependsOnField => "the default depends on another field".to_owned(),
        Cause::StaleDefault => "a default that no client owns stays after an apply".to_owned(),
        Cause::AtomicDefault => "a default inside an atomic list or map belongs to who applied it".to_owned(),
        Cause::FilledStruct => "an empty struct that has fields of others is not extracted".to_owned(),
        Cause::UnownedStruct => "a struct that has nothing but empty lists belongs to nobody".to_owned(),
        Cause::ChangedByDefault => "defaulting changes or removes what was sent or applied".to_owned(),
        Cause::BeforeFirstApply => "the first apply set no field, so `before-first-apply` owns them all".to_owned(),
        Cause::DuplicateKey => "an apply refuses items with the same key, and validation accepts them".to_owned(),
        Cause::MissingKey => "an apply refuses items without a key, and validation accepts them".to_owned(),
        Cause::OtherJsonType => "an apply refuses a value of this JSON type, and validation accepts it".to_owned(),
        Cause::EmptiedList => "a list that an apply empties becomes null first".to_owned(),
        Cause::NullOrAbsent => format!("the {reporter} writes null, and the {silent} leaves the value out"),
        Cause::EmptyOrAbsent => format!("the {reporter} writes an empty value, and the {silent} leaves it unset"),
        Cause::Order => "both sides make the same items, in another order".to_owned(),
        Cause::NotDefaulted => format!("the {reporter} sets a default, and the {silent} leaves the value unset"),
        Cause::OtherDefault => "both sides set a default, and the defaults differ".to_owned(),
        Cause::DefaultsNull => "null was sent: one side sets a default, and the other does not".to_owned(),
        Cause::DefaultsZero => {
            "a zero or empty value was sent: one side sets a default, and the other does not".to_owned()
        }
        other => other.word().to_owned(),
    }
}

/// Says how the value in question relates to the stored object, and why the sides differ:
/// `a kept value: the candidate accepts an unchanged stored value, and the reference does not`. None where nobody looked for the cause.
#[must_use]
pub fn because(signature: &Signature) -> Option<String> {
    let value = match signature.relation {
        Relation::New => "a new value",
        Relation::Changed => "a changed value",
        Relation::Kept => "a kept value",
    };
    Some(format!("{value}: {}", said(signature.cause?, signature.direction)))
}

#[cfg(test)]
mod tests {
    use super::{because, said};
    use std::collections::BTreeSet;
    use takeover_harness::compare::{Cause, Direction};

    #[test]
    fn every_cause_has_a_sentence_of_its_own() {
        for direction in [Direction::Missing, Direction::Extra] {
            let sentences: BTreeSet<String> = Cause::ALL.into_iter().map(|cause| said(cause, direction)).collect();
            assert_eq!(sentences.len(), Cause::ALL.len());
            assert!(
                sentences.iter().all(|sentence| sentence.contains(' ') && !sentence.ends_with('.')),
                "{sentences:?}"
            );
        }
        assert_ne!(said(Cause::Ratchets, Direction::Missing), said(Cause::Ratchets, Direction::Extra));
    }

    #[test]
    fn the_relation_of_the_value_stands_before_the_cause() {
        let said = |text: &str| because(&text.parse().unwrap());
        assert_eq!(
            said("v1 Web update kept missing ratchets FieldValueInvalid a minimum").as_deref(),
            Some("a kept value: the candidate accepts an unchanged stored value, and the reference does not")
        );
        assert_eq!(said("v1 Web update kept missing - FieldValueInvalid a minimum"), None);
    }
}
