//! What limited levels do with requests that have to wait.

use crate::report::not_supported;
use crate::types::flowcontrol::v1::{LimitResponse, QueuingConfiguration};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most queues of a level.
const QUEUE_LIMIT: i32 = 10_000_000;
/// Bits of the hash from which the hand of a flow is dealt.
const HASH_BITS: f64 = 60.0;

/// Checks what happens to requests that cannot be served at once.
pub(super) fn validate_response(response: &LimitResponse, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("queuing");
    match (response.type_, response.queuing) {
        ("Reject", Some(_)) => {
            let detail = "must be nil if limited.limitResponse.type is not Limited";
            errors.push(FieldError::forbidden(&at, detail).covered());
        }
        ("Reject", None) => {}
        ("Queue", None) => {
            let detail = "must not be empty if limited.limitResponse.type is Limited";
            errors.push(FieldError::required(&at, detail).covered());
        }
        ("Queue", Some(queuing)) => validate_queuing(queuing, &at, errors),
        (other, _) => errors.push(not_supported(&path.child("type"), other, &["Queue", "Reject"])),
    }
}

fn validate_queuing(queuing: &QueuingConfiguration, path: &Path<'_>, errors: &mut ErrorList) {
    let length = queuing.queue_length_limit;
    if length <= 0 {
        errors.push(FieldError::invalid(&path.child("queueLengthLimit"), length, "must be positive"));
    }
    let (queues, at) = (queuing.queues, path.child("queues"));
    if queues <= 0 {
        errors.push(FieldError::invalid(&at, queues, "must be positive"));
    } else if queues > QUEUE_LIMIT {
        errors.push(FieldError::invalid(&at, queues, format!("must not be greater than {QUEUE_LIMIT}")));
    }
    let (hand, at) = (queuing.hand_size, path.child("handSize"));
    if hand <= 0 {
        errors.push(FieldError::invalid(&at, hand, "must be positive"));
    } else if hand > queues {
        errors.push(FieldError::invalid(&at, hand, format!("should not be greater than queues ({queues})")));
    } else if f64::from(queues).log2() * f64::from(hand) > HASH_BITS {
        let detail = format!(
            "required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {HASH_BITS}"
        );
        errors.push(FieldError::invalid(&at, hand, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_is_dealt_from_a_hash_of_sixty_bits() {
        for ((length, queues, hand), expected) in [
            ((50, 64, 8), ""),
            ((1, 1, 1), ""),
            ((50, 64, 10), ""),
            (
                (50, 64, 11),
                "handSize: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60",
            ),
            ((50, 64, 65), "handSize: should not be greater than queues (64)"),
            ((50, 10_000_000, 2), ""),
            ((50, 10_000_001, 2), "queues: must not be greater than 10000000"),
            ((0, 0, 0), "queueLengthLimit: must be positive queues: must be positive handSize: must be positive"),
            ((50, -1, 1), "queues: must be positive handSize: should not be greater than queues (-1)"),
        ] {
            let queuing = QueuingConfiguration { queue_length_limit: length, queues, hand_size: hand };
            let mut errors = ErrorList::new();
            validate_queuing(&queuing, &Path::ROOT, &mut errors);
            let found: Vec<_> = errors.iter().map(|error| format!("{}: {}", error.field, error.detail)).collect();
            assert_eq!(found.join(" "), expected, "{length} {queues} {hand}");
        }
    }
}
