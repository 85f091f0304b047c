//! Comparison of two error lists word for word: for an oracle that is to say what another one says, and not only mean it.

use super::comparison::Comparison;
use crate::error::FieldError;

/// Compares the errors of the two sides, replacing what `out` held. Every error takes part, order does not count, and an error
/// that one side reports more often than the other is a difference. The sides can be exchanged: what was missing is extra.
pub(super) fn compare_into(reference: &[FieldError], candidate: &[FieldError], out: &mut Comparison) {
    out.clear();
    out.used.resize(candidate.len(), false);
    let Comparison { matched, missing, extra, used, .. } = out;
    // Lists in the same order are compared in one go: what comes before the first free error needs no look.
    let mut free = 0;
    for (at, want) in reference.iter().enumerate() {
        let mut rest = candidate.iter().zip(used.iter_mut()).enumerate().skip(free);
        let partner = rest.find(|(_, (got, used))| !**used && *got == want);
        match partner {
            Some((partner, (_, used))) => {
                *used = true;
                matched.push((at, partner));
            }
            None => missing.push(at),
        }
        while used.get(free).is_some_and(|used| *used) {
            free += 1;
        }
    }
    extra.extend(used.iter().enumerate().filter(|(_, used)| !**used).map(|(at, _)| at));
}

#[cfg(test)]
mod tests {
    use crate::compare::{Comparator, Comparison};
    use crate::error::{ErrorType, FieldError, Stability};
    use crate::path::Path;

    fn compared(reference: &[FieldError], candidate: &[FieldError]) -> (Vec<usize>, Vec<usize>) {
        let Comparison { missing, extra, .. } = Comparator::Verbatim.errors(reference, candidate);
        (missing, extra)
    }

    #[test]
    fn multiplicity_counts_and_order_does_not() {
        let errors = |values: &[i32]| -> Vec<FieldError> {
            values.iter().map(|value| FieldError::invalid(&Path::ROOT, *value, "")).collect()
        };
        for (reference, candidate, missing, extra) in [
            (vec![], vec![], vec![], vec![]),
            (vec![1, 2], vec![2, 1], vec![], vec![]),
            (vec![1, 1], vec![1], vec![1], vec![]),
            (vec![1], vec![1, 1], vec![], vec![1]),
            (vec![1, 2], vec![3], vec![0, 1], vec![0]),
        ] {
            let found = compared(&errors(&reference), &errors(&candidate));
            assert_eq!(found, (missing, extra), "{reference:?} {candidate:?}");
        }
    }

    #[test]
    fn every_word_and_every_mark_counts() {
        let base = FieldError::new(ErrorType::Invalid, &Path::ROOT, 1, "detail").with_origin("minimum");
        let alone = std::slice::from_ref::<FieldError>;
        assert_eq!(compared(alone(&base), alone(&base)), (vec![], vec![]));
        for other in [
            FieldError { error_type: ErrorType::TooLong, ..base.clone() },
            FieldError { field: "a".into(), ..base.clone() },
            FieldError { origin: "maximum".into(), ..base.clone() },
            FieldError { detail: "other".into(), ..base.clone() },
            FieldError { bad_value: 2.into(), ..base.clone() },
            FieldError { stability: Some(Stability::Alpha), ..base.clone() },
            FieldError { short_circuit: true, ..base.clone() },
            FieldError { covered_by_declarative: true, ..base.clone() },
        ] {
            assert_eq!(compared(alone(&base), alone(&other)), (vec![0], vec![0]), "{other:?}");
        }
    }
}
