//! Findings that another finding brings along: when a rule that stops others is lost, they all report.

use crate::compare::{Cause, DifferenceKind, Signature};
use crate::evidence::SignatureEvidence;
use crate::rule::ErrorShape;
use std::collections::BTreeMap;

/// Longest chain of findings that bring each other along.
const MOST_STEPS: usize = 8;

/// Returns the finding that brings the findings of a signature along; none when it stands for itself. `all` are the findings of the
/// same pair and operation.
pub(super) fn root<'s>(
    all: &'s BTreeMap<Signature, SignatureEvidence>,
    signature: &Signature,
) -> Option<&'s Signature> {
    let mut found = None;
    for _ in 0..MOST_STEPS {
        match above(all, found.unwrap_or(signature)) {
            Some(next) => found = Some(next),
            None => return found,
        }
    }
    // They bring each other along: none of them is the first.
    None
}

/// Returns the finding right above: the silent side is stopped by an error that the other side lacks, so that the two differ in that error
/// too, in the opposite direction. Every error that stops must be disputed, in as many cases: what an agreed error stops stands for
/// itself.
fn above<'s>(all: &'s BTreeMap<Signature, SignatureEvidence>, signature: &Signature) -> Option<&'s Signature> {
    let (signature, seen) = all.get_key_value(signature).filter(|(of, _)| of.cause == Some(Cause::Stopped))?;
    let mut cases = 0;
    let mut largest: Option<(u64, &Signature)> = None;
    for shape in &seen.stopped_by {
        let direction = signature.direction.reversed();
        let disputed = all.iter().filter(|(other, _)| other.direction == direction && is_in(other, shape));
        let mut lacks = true;
        for (other, of_other) in disputed {
            lacks = false;
            cases += of_other.cases;
            if largest.is_none_or(|(most, _)| of_other.cases > most) {
                largest = Some((of_other.cases, other));
            }
        }
        if lacks {
            return None;
        }
    }
    largest.filter(|_| cases >= seen.cases).map(|(_, root)| root)
}

fn is_in(signature: &Signature, shape: &ErrorShape) -> bool {
    signature.path == shape.field
        && matches!(&signature.kind, DifferenceKind::Error { error_type, origin }
            if *error_type == shape.error_type && *origin == shape.origin)
}

#[cfg(test)]
mod tests {
    use super::root;
    use crate::error::ErrorType;
    use crate::readiness::sample::finding;
    use crate::rule::ErrorShape;
    use std::collections::BTreeMap;

    const LOST: &str = "update changed missing reports-less FieldValueInvalid spec immutable";
    const ALONG: &str = "update new extra stopped FieldValueRequired spec.name -";

    fn shape(field: &str, origin: &str) -> ErrorShape {
        ErrorShape { error_type: ErrorType::Invalid, field: field.to_owned(), origin: origin.to_owned() }
    }

    /// The root of the first of these findings.
    fn root_of(findings: &[(&str, u64, &[ErrorShape])]) -> Option<String> {
        let all: Vec<_> = findings.iter().map(|(text, cases, by)| finding(text, *cases, by)).collect();
        let first = all[0].0.clone();
        root(&all.into_iter().collect::<BTreeMap<_, _>>(), &first).map(|root| root.to_string())
    }

    #[test]
    fn what_a_disputed_error_stops_belongs_to_the_dispute() {
        let by = [shape("spec", "immutable")];
        assert_eq!(root_of(&[(ALONG, 5, &by), (LOST, 5, &[])]), Some(format!("v1 Web {LOST}")));
        // The larger of two relations is the root, and both count.
        let kept = LOST.replace("changed", "new");
        assert_eq!(root_of(&[(ALONG, 5, &by), (LOST, 4, &[]), (&kept, 1, &[])]), Some(format!("v1 Web {LOST}")));
    }

    #[test]
    fn what_an_agreed_error_stops_stands_for_itself() {
        let (by, both) = ([shape("spec", "immutable")], [shape("spec", "immutable"), shape("spec", "minimum")]);
        for (what, findings) in [
            ("nothing is disputed", vec![(ALONG, 5, &by[..])]),
            ("fewer cases are", vec![(ALONG, 5, &by[..]), (LOST, 4, &[])]),
            ("one of two is", vec![(ALONG, 5, &both[..]), (LOST, 9, &[])]),
            ("the same side reports both", vec![(ALONG, 5, &by[..]), (&LOST.replace("missing", "extra"), 9, &[])]),
            (
                "another error is",
                vec![(ALONG, 5, &by[..]), (&LOST.replace("FieldValueInvalid", "FieldValueRequired"), 9, &[])],
            ),
            ("it is not stopped", vec![(&ALONG.replace("stopped", "reports-more"), 5, &by[..]), (LOST, 9, &[])]),
        ] {
            assert_eq!(root_of(&findings), None, "{what}");
        }
    }

    #[test]
    fn chains_lead_to_their_first_finding_and_circles_to_none() {
        let middle = "update new missing stopped FieldValueInvalid spec.mode -";
        let (by_middle, by_lost) = ([shape("spec.mode", "")], [shape("spec", "immutable")]);
        let lost = LOST.replace("missing", "extra");
        let chain = root_of(&[(ALONG, 5, &by_middle), (middle, 6, &by_lost), (&lost, 7, &[])]);
        assert_eq!(chain, Some(format!("v1 Web {lost}")));
        let by_along = [ErrorShape { error_type: ErrorType::Required, ..shape("spec.name", "") }];
        assert_eq!(root_of(&[(ALONG, 5, &by_middle), (middle, 5, &by_along)]), None);
    }
}
