//! Findings that another finding brings along: when a rule that stops others is lost, they all report.

use crate::compare::{Cause, DifferenceKind, Signature};
use crate::evidence::SignatureEvidence;
use crate::rule::ErrorShape;
use std::collections::BTreeMap;

/// Longest chain of findings that bring each other along.
const MOST_STEPS: usize = 8;

/// Returns the finding that brings the findings of a signature along; none when it stands for itself. `all` are the findings of the
/// same pair and operation.
pub(super) fn root<'s>(all: &'s BTreeMap<Signature, SignatureEvidence>, signature: &Signature) -> Option<&'s Signature> {
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
